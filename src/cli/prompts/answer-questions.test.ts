import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { type HumanRequest, NO_USAGE } from "../../contracts/index.ts";
import type { RunResult } from "../../graph/index.ts";
import type { RunReport } from "../../workflows/index.ts";
import { Keys } from "../fixtures/keys.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { type AskedEnd, type AskedRun, answerQuestions } from "./answer-questions.ts";

const REQUEST: HumanRequest = { id: "gate", nodeId: "gate", question: "Ship it?", askedAt: 7 };

const SUSPENDED: RunResult = {
  ...{ runId: "r", status: "suspended", requests: [REQUEST], usage: NO_USAGE, warnings: [] },
  ...{ state: { executionId: "r", lastUpdated: new Date(0), outputs: {} } },
  ...{ error: undefined, errorInfo: undefined, output: undefined },
};

/** A person at a terminal, and a run that nobody executes. */
class Asked {
  readonly abort = new AbortController();
  readonly stdin = new PassThrough();
  readonly stderr = new TextStream({ isTTY: true });
  readonly #notes: string[] = [];
  /** What other processes have made of the run. */
  report: { readonly status: RunReport["status"]; readonly requests: readonly HumanRequest[] } = SUSPENDED;
  resume: () => Promise<RunResult> = () => Promise.reject(new Error("Nobody was expected to answer"));

  start(): Promise<AskedEnd> {
    const runs = {
      report: async () => ({ status: this.report.status, summary: { requests: this.report.requests } }),
      isLive: async () => false,
      control: () => ({}),
      resume: () => this.resume(),
    };
    const asked = {
      environment: { stdin: this.stdin, stderr: this.stderr },
      workspace: { runs, store: { load: async () => ({ lastUpdated: "once" }) } },
      reporter: { note: (text: string) => this.#notes.push(text), pause: () => () => undefined },
      options: { signal: this.abort.signal },
      hold: (work: () => Promise<unknown>) => work(),
    };
    // The cast is true: nothing else of it is used.
    return answerQuestions(asked as unknown as AskedRun, SUSPENDED);
  }

  /** Answers the question when it is on the screen. */
  async answer(): Promise<void> {
    await this.stderr.waitFor("Ship it?");
    this.stdin.write(`yes${Keys.enter}`);
  }
}

test.each([
  { title: "completed", report: { status: "completed", requests: [] } },
  { title: "cancelled", report: { status: "cancelled", requests: [] } },
  { title: "running again", report: { status: "running", requests: [REQUEST] } },
] as const)("a person who leaves a question sees that the run is $title", async ({ report }) => {
  const asked = new Asked();
  asked.report = report;
  asked.abort.abort();
  expect(await asked.start()).toEqual({ type: "elsewhere", runId: "r", status: report.status });
});

test("a person who leaves an open question sees the questions that are still open", async () => {
  const asked = new Asked();
  const other = { ...REQUEST, id: "other", nodeId: "other" };
  asked.report = { status: "suspended", requests: [other] };
  asked.abort.abort();
  expect(await asked.start()).toEqual({ type: "ended", result: { ...SUSPENDED, requests: [other] }, wasAsked: true });
});

test("an error after Ctrl+C ends the call like one before it", async () => {
  const asked = new Asked();
  const failure = new Error("The disk is full");
  asked.resume = () => {
    asked.abort.abort(new Error("Interrupted"));
    return Promise.reject(failure);
  };
  const ended = asked.start();
  await asked.answer();
  await expect(ended).rejects.toBe(failure);
});

test.each([
  { title: "the signal's reason", errorOf: (signal: AbortSignal): unknown => signal.reason },
  { title: "an AbortError", errorOf: () => new DOMException("The operation was aborted", "AbortError") },
])("Ctrl+C while an answer is given leaves the question open: $title", async ({ errorOf }) => {
  const asked = new Asked();
  asked.resume = () => {
    asked.abort.abort(new Error("Interrupted"));
    return Promise.reject(errorOf(asked.abort.signal));
  };
  const ended = asked.start();
  await asked.answer();
  expect(await ended).toEqual({ type: "ended", result: SUSPENDED, wasAsked: true });
});
