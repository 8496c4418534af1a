import { expect, test } from "bun:test";
import { RunFinishedError, RunLockedError, RunNotExecutedError, UnknownRequestError } from "../../graph/index.ts";
import type { RunReport } from "../../workflows/index.ts";
import { giveAnswer } from "./give-answer.ts";

const REQUEST = { id: "gate", nodeId: "gate", question: "Ship it?", askedAt: 7 };

/** Answers a question with ways that fail in turn, and returns the attempts that were made and the end. */
async function give(failures: readonly (Error | undefined)[], isLiveInTurn: readonly boolean[], askedAt = 7) {
  const tries: string[] = [];
  const attempt = async (way: string): Promise<string> => {
    const failure = failures[tries.length];
    tries.push(way);
    if (failure !== undefined) throw failure;
    return way;
  };
  // The cast is true: nothing else of a report is read.
  const report = { summary: { requests: [{ ...REQUEST, askedAt }] } } as unknown as RunReport;
  const runs = { report: async () => report, isLive: async () => isLiveInTurn[tries.length] ?? false };
  const ways = { toLiveRun: () => attempt("live"), resume: (count: number) => attempt(`resume ${count}`) };
  const end = await giveAnswer(runs, { runId: "r", request: REQUEST }, ways).catch((error: unknown) => error);
  return { tries, end };
}

const LOCKED = new RunLockedError("r", "process 7");

test.each([
  { title: "by no process", failures: [], isLive: [false], tries: ["resume 1"] },
  { title: "by another process", failures: [], isLive: [true], tries: ["live"] },
  {
    title: "by a process that has just taken it over",
    failures: [LOCKED],
    isLive: [false, true],
    tries: ["resume 1", "live"],
  },
  {
    title: "by one process after the other",
    failures: [new RunNotExecutedError("r"), LOCKED, new RunNotExecutedError("r")],
    isLive: [true, false, true, false],
    tries: ["live", "resume 1", "live", "resume 2"],
  },
])("an answer reaches a run that is executed $title", async ({ failures, isLive, tries }) => {
  expect(await give(failures, isLive)).toEqual({ tries: [...tries], end: tries.at(-1) });
});

test.each([
  { title: "it was rejected", error: new RunFinishedError("r") },
  { title: "the lease was lost during the run", error: new RunLockedError("r") },
])("an answer is not retried when $title", async ({ error }) => {
  expect(await give([error], [false])).toEqual({ tries: ["resume 1"], end: error });
});

test("an answer does not apply to a later question with the same id", async () => {
  expect(await give([], [false], 8)).toEqual({ tries: [], end: new UnknownRequestError("gate#1", ["gate#1"]) });
});

test("the signal ends the wait for a run that stays locked", async () => {
  const abort = new AbortController();
  // The cast is true: nothing else of a report is read.
  const report = { summary: { requests: [REQUEST] } } as unknown as RunReport;
  const ended = giveAnswer(
    { report: async () => report, isLive: async () => false },
    { runId: "r", request: REQUEST },
    {
      signal: abort.signal,
      toLiveRun: () => Promise.reject(new Error("The run is not live")),
      resume() {
        abort.abort();
        return Promise.reject(LOCKED);
      },
    },
  );
  await expect(ended).rejects.toMatchObject({ name: "AbortError" });
});
