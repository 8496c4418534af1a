import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFile, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEventBody, NO_USAGE, type RunEvent } from "../contracts/index.ts";
import { logNote, RunLog, readRunLog } from "./run-log.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-log-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const BASE = { runId: "r", at: 7 } as const;
const NODE = { ...BASE, nodeId: "work", taskId: "work#2" } as const;
const sessionId = "s";
const NO_OPTIONS = { options: [], isMultiple: false };
const agent = (event: AgentEventBody): RunEvent => ({ ...NODE, type: "agent", event: { ...event, at: 7 } });
const say = (message: string): RunEvent => ({ ...NODE, type: "log", message });

function failed(more: { readonly retryAt?: number } = {}): RunEvent {
  return { ...NODE, type: "node-error", attempt: 1, error: { code: "X", message: "It broke" }, ...more };
}

test("the log has what people want to read of a run, with time, node and lines", async () => {
  const log = new RunLog(folder);
  const events: readonly RunEvent[] = [
    { ...BASE, type: "run-start", workflow: "w", isResume: false },
    { ...NODE, type: "node-start", nodeType: "tool", name: "Work", attempt: 1 },
    say("one\ntwo"),
    agent({ type: "text-delta", sessionId, text: "Hello" }),
    agent({ type: "waiting", sessionId, reason: "rate-limit", message: "Slow down" }),
    agent({ type: "waiting", sessionId, reason: "rate-limit", message: "Slow down" }),
    agent({ type: "question-ask", sessionId, question: { id: "q", sessionId, question: "Which?", ...NO_OPTIONS } }),
    { ...NODE, type: "command-end", command: "ls", exitCode: 0, durationMs: 3 },
    { ...NODE, type: "node-error", attempt: 1, error: { code: "X", message: "It broke" } },
    { ...NODE, type: "node-error", attempt: 2, retryAt: 7, error: { code: "NODE_RESTARTED", message: "Restarted." } },
    { ...NODE, type: "node-sleep", until: 3_610_000 },
    { ...NODE, type: "answer", requestId: "key", value: "a secret" },
    { ...BASE, type: "warning", message: "Careful" },
    { ...BASE, type: "run-end", status: "failed", usage: {} as never, error: { code: "X", message: "It broke" } },
  ];
  for (const event of events) log.add(event);
  log.close();
  const about = { at: 7, nodeId: "work", taskId: "work#2" };
  expect(await readRunLog(folder)).toEqual([
    { at: 7, type: "run-start", message: "The run starts." },
    { ...about, type: "log", message: "one\ntwo" },
    { ...about, type: "agent", message: "The agent waits (rate-limit): Slow down" },
    { ...about, type: "agent", message: "The agent asks: Which?" },
    { ...about, type: "command-end", message: "$ ls  exit code 0, 3 ms" },
    { ...about, type: "node-error", message: "Attempt 1 failed: It broke" },
    { ...about, type: "node-error", message: "Attempt 2 was stopped: somebody restarted the step." },
    { ...about, type: "node-sleep", message: "Sleeps until 1970-01-01T01:00:10.000Z." },
    { ...about, type: "answer", message: "Answered: a secret" },
    { at: 7, type: "warning", message: "Careful" },
    { at: 7, type: "run-end", message: "The run is failed: It broke" },
  ]);
  expect((await stat(join(folder, "run.jsonl"))).mode & 0o777).toBe(0o600);
});

test.each<{ readonly title: string; readonly event: RunEvent; readonly isForgotten: boolean }>([
  { title: "is done", event: { ...NODE, type: "node-end", durationMs: 1, usage: NO_USAGE }, isForgotten: true },
  { title: "is dropped", event: { ...NODE, type: "node-dropped" }, isForgotten: true },
  { title: "failed", event: failed(), isForgotten: true },
  { title: "failed and will be retried", event: failed({ retryAt: 9 }), isForgotten: false },
])("an agent's last wait is forgotten when its visit ends: it $title", async ({ event, isForgotten }) => {
  const log = new RunLog(folder);
  const waiting = agent({ type: "waiting", sessionId, reason: "rate-limit", message: "Slow down" });
  for (const each of [waiting, waiting, event, waiting]) log.add(each);
  log.close();
  const waits = (await readRunLog(folder)).filter(({ type }) => type === "agent");
  expect(waits).toHaveLength(isForgotten ? 2 : 1);
});

test("another process continues after half a line of a killed one", async () => {
  const first = new RunLog(folder);
  first.add(say("a"));
  first.close();
  await appendFile(join(folder, "run.jsonl"), '{"at":7,"mess');
  const second = new RunLog(folder);
  second.add(say("b"));
  second.close();
  expect((await readRunLog(folder)).map(({ message }) => message)).toEqual(["a", "b"]);
});

test("the log keeps the latest entries, in two files of bounded size", async () => {
  const log = new RunLog(folder, { maxBytes: 1_000 });
  for (let count = 0; count < 100; count++) log.add(say(`${count}`));
  log.add(say("x".repeat(300_000)));
  log.add(say("last"));
  log.close();
  const messages = (await readRunLog(folder)).map(({ message }) => message);
  expect(messages.slice(-2)).toEqual([`${"x".repeat(262_144)}… (37856 characters more)`, "last"]);
  expect(messages.length).toBeLessThan(40);
  expect((await readdir(folder)).sort()).toEqual(["run.jsonl", "run.previous.jsonl", "work.2.log"]);
});

test("a log that cannot be written fails once, and what comes too late is not written", async () => {
  const log = new RunLog("/dev/null/logs");
  expect(() => log.add(say("a"))).toThrow("ENOTDIR");
  expect(() => log.add(say("b"))).not.toThrow();
  const closed = new RunLog(folder);
  closed.close();
  closed.add(say("c"));
  expect(await readRunLog(folder)).toEqual([]);
});

test("a resume after a process that left no end says so, and one after an end does not", async () => {
  const start = { ...BASE, type: "run-start", workflow: "w", isResume: false } as never;
  const resume = { ...BASE, type: "run-start", workflow: "w", isResume: true } as never;
  const end = { ...BASE, type: "run-end", status: "completed", usage: {} as never } as const;
  for (const events of [[start], [resume, end], [resume]]) {
    const log = new RunLog(folder);
    for (const event of events) log.add(event);
    log.close();
    logNote(folder, { at: 8, type: "pause", message: "Somebody paused the run." });
  }
  expect((await readRunLog(folder)).map(({ message }) => message)).toEqual([
    "The run starts.",
    "Somebody paused the run.",
    "The process that executed the run ended without a word.",
    "The run resumes.",
    "The run is completed.",
    "Somebody paused the run.",
    "The run resumes.",
    "Somebody paused the run.",
  ]);
});
