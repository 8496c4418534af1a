import { expect, test } from "bun:test";
import { RunFinishedError, RunLockedError, RunNotExecutedError, UnknownRequestError } from "../../graph/index.ts";
import type { RunReport } from "../../workflows/index.ts";
import { giveAnswer } from "./give-answer.ts";

const REQUEST = { id: "gate", nodeId: "gate", question: "Ship it?", askedAt: 7 };

/** Tries an answer's two ways with what each of them fails with in turn, and tells which were gone. */
async function give(failures: readonly (Error | undefined)[], isLiveInTurn: readonly boolean[], askedAt = 7) {
  const tries: string[] = [];
  const attempt = (way: string) => async () => {
    const failure = failures[tries.length];
    tries.push(way);
    if (failure !== undefined) throw failure;
    return way;
  };
  // The cast is true: of a report nothing else is read.
  const report = { summary: { requests: [{ ...REQUEST, askedAt }] } } as unknown as RunReport;
  const runs = { report: async () => report, isLive: async () => isLiveInTurn[tries.length] ?? false };
  const takers = { toLiveRun: attempt("live"), resume: attempt("resume") };
  const end = await giveAnswer(runs, { runId: "r", request: REQUEST }, takers).catch((error: unknown) => error);
  return { tries, end };
}

test.each([
  { title: "by nobody", failures: [], isLive: [false], tries: ["resume"] },
  { title: "by another process", failures: [], isLive: [true], tries: ["live"] },
  {
    title: "by a process that has just taken it over",
    failures: [new RunLockedError("r")],
    isLive: [false, true],
    tries: ["resume", "live"],
  },
  {
    title: "by one process after the other",
    failures: [new RunNotExecutedError("r"), new RunLockedError("r"), new RunNotExecutedError("r")],
    isLive: [true, false, true, false],
    tries: ["live", "resume", "live", "resume"],
  },
])("an answer is taken by a run that is executed $title", async ({ failures, isLive, tries }) => {
  expect(await give(failures, isLive)).toEqual({ tries: [...tries], end: tries.at(-1) });
});

test("an answer that is refused is not tried again", async () => {
  const refusal = new RunFinishedError("r");
  expect(await give([refusal], [false])).toEqual({ tries: ["resume"], end: refusal });
});

test("an answer is not for a question that was asked again under the same id", async () => {
  expect(await give([], [false], 8)).toEqual({ tries: [], end: new UnknownRequestError("gate#1", ["gate"]) });
});
