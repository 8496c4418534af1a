import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor, type RunEvent } from "../contracts/index.ts";
import {
  annotation,
  type CompiledGraph,
  DefaultSaver,
  defineState,
  graph,
  type NodeDefinition,
  toolNode,
  waitNode,
} from "../graph/index.ts";
import { createSessionStore, type SessionStore } from "./session-store/session-store.ts";
import type { WorkflowSession } from "./session-store/workflow-session.ts";
import { createWorkflowRuns, type ExecuteOptions, type StartOptions, type WorkflowRuns } from "./workflow-runs.ts";

const OWNER = { pid: 11, startedAt: "2026-01-01T00:00:00.000Z" };
const OTHER = { pid: 22, startedAt: "2026-01-02T00:00:00.000Z" };

let root = "";
let store: SessionStore;
let runs: WorkflowRuns;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-runs-")));
  store = createSessionStore({ root });
  runs = createWorkflowRuns({ store, owner: OWNER });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const first = toolNode({ id: "first", execute: () => 1 });
const gate = waitNode({ id: "gate", prompt: "Ship it?" });
const last = toolNode({ id: "last", execute: () => 2 });

function compile(...nodes: readonly NodeDefinition[]): CompiledGraph {
  return graph().start(nodes).end().compile();
}

function optionsFor(compiled: CompiledGraph, more: Partial<ExecuteOptions> = {}): ExecuteOptions {
  const metadata = { name: "release", description: "", aliases: [], source: "local", version: "1.2.3" } as const;
  return { graph: compiled, metadata, services: {}, signal: new AbortController().signal, ...more };
}

function startOptions(compiled: CompiledGraph, more: Partial<StartOptions> = {}): StartOptions {
  return { ...optionsFor(compiled), input: {}, projectDirectory: "/project", ...more };
}

test("a run has a session from its start to its end", async () => {
  const seen: string[] = [];
  const { runId, status } = await runs.start(
    startOptions(compile(first, last), {
      input: { topic: "x", when: new Date(0) },
      agent: "scripted",
      model: "a/b",
      settings: { workingDirectory: "/project/src" },
      onSession: ({ sessionId, status: atStart, owner }) => seen.push(`${sessionId} ${atStart} ${owner?.pid}`),
    }),
  );
  expect(status).toBe("completed");
  expect(seen).toEqual([`${runId} running 11`]);
  expect(await store.load(runId)).toEqual({
    sessionId: runId,
    sessionDir: join(root, runId),
    workflowName: "release",
    workflowVersion: "1.2.3",
    projectDirectory: "/project",
    input: { topic: "x", when: "1970-01-01T00:00:00.000Z" },
    agent: "scripted",
    model: "a/b",
    settings: { workingDirectory: "/project/src" },
    owner: OWNER,
    hasBegun: true,
    createdAt: expect.any(String),
    lastUpdated: expect.any(String),
    status: "completed",
    nodeHistory: ["first", "last"],
    outputs: { first: 1, last: 2 },
  });
});

test("an output that JSON cannot say does not keep the session from being closed", async () => {
  const { runId, status } = await runs.start(startOptions(compile(toolNode({ id: "count", execute: () => 10n }))));
  expect(status).toBe("completed");
  expect(await store.load(runId)).toMatchObject({ status: "completed", outputs: { count: "10" } });
});

test("the log has what happened also where the caller's onEvent throws, which is a warning", async () => {
  const onEvent = (): never => {
    throw new Error("the screen is gone");
  };
  const { runId, status, warnings } = await runs.start(startOptions(compile(first), { onEvent }));
  expect({ status, warnings }).toEqual({
    status: "completed",
    warnings: ["onEvent threw; the run continues: the screen is gone"],
  });
  expect((await runs.log(runId)).map(({ type }) => type)).toEqual(["run-start", "warning", "run-end"]);
});

test("a log that cannot be written is a warning, beside that of an onEvent that throws", async () => {
  const onEvent = ({ type }: RunEvent): void => {
    if (type === "run-start") throw new Error("the screen is gone");
  };
  // A folder in place of the log's file.
  const onSession = ({ sessionDir }: WorkflowSession): void => mkdirSync(join(sessionDir, "logs", "run.jsonl"));
  const { status, warnings } = await runs.start(startOptions(compile(first), { onEvent, onSession }));
  expect({ status, warnings }).toEqual({
    status: "completed",
    warnings: [expect.stringMatching(/^onEvent threw; the run continues: the screen is gone; EISDIR/)],
  });
});

test("nodes are given the session's folder and the default model", async () => {
  const given: unknown[] = [];
  const look = toolNode({
    id: "look",
    execute: (_, { services, model }) => given.push([services.sessionDirectory, services.workingDirectory, model]),
  });
  const services = { workingDirectory: "/project" };
  const { runId } = await runs.start(startOptions(compile(look), { services, model: "a/b" }));
  expect(given).toEqual([[join(root, runId), "/project", "a/b"]]);
});

test("a run that asks is paused in its session and suspended in its report; another process answers, and takes the session over", async () => {
  const compiled = compile(first, gate, last);
  const { runId, status, requests } = await runs.start(startOptions(compiled));
  expect({ status, requests: requests.map(({ id }) => id) }).toEqual({ status: "suspended", requests: ["gate"] });
  expect(await store.load(runId)).toMatchObject({ status: "paused", owner: OWNER, nodeHistory: ["first"] });
  expect((await runs.report(runId)).status).toBe("suspended");

  const later = createWorkflowRuns({ store: createSessionStore({ root }), owner: OTHER });
  const result = await later.resume(runId, { gate: "yes" }, optionsFor(compiled));
  expect(result.status).toBe("completed");
  expect(await store.load(runId)).toMatchObject({
    status: "completed",
    owner: OTHER,
    nodeHistory: ["first", "last"],
    outputs: { first: 1, gate: "yes", last: 2 },
  });
});

test("a rejected answer does not change the session", async () => {
  const compiled = compile(gate);
  const { runId } = await runs.start(startOptions(compiled));
  const before = await store.load(runId);
  const later = createWorkflowRuns({ store, owner: OTHER });
  await expect(later.resume(runId, { gate: "maybe" }, optionsFor(compiled))).rejects.toThrow("was rejected");
  expect(await store.load(runId)).toEqual(before);
});

test("while a run is resumed its session says who executes it", async () => {
  const during: unknown[] = [];
  const look = toolNode({
    id: "look",
    async execute(_, { runId }) {
      // Waits for the session update of the resume.
      const { status, owner } = await store.update(runId, (session) => session);
      const report = await runs.report(runId);
      during.push({ status, pid: owner?.pid, isLive: await runs.isLive(runId), reported: report.status });
      return during.length;
    },
  });
  const compiled = compile(gate, look);
  const { runId } = await runs.start(startOptions(compiled));
  await createWorkflowRuns({ store, owner: OTHER }).resume(runId, { gate: "yes" }, optionsFor(compiled));
  expect(during).toEqual([{ status: "running", pid: 22, isLive: true, reported: "running" }]);
  expect(await runs.isLive(runId)).toBe(false);
});

test("a run that fails says why, until it is resumed and succeeds", async () => {
  let isBroken = true;
  const fragile = toolNode({
    id: "fragile",
    execute: () => {
      if (isBroken) throw new Error("It is broken");
      return "fine";
    },
  });
  const compiled = compile(first, fragile);
  const { runId, status } = await runs.start(startOptions(compiled));
  expect(status).toBe("failed");
  expect(await store.load(runId)).toMatchObject({
    status: "failed",
    error: { code: "NODE_FAILED", message: "It is broken", nodeId: "fragile" },
    nodeHistory: ["first"],
  });
  isBroken = false;
  await runs.resume(runId, {}, optionsFor(compiled));
  const session = await store.load(runId);
  expect(session).toMatchObject({ status: "completed", nodeHistory: ["first", "fragile"] });
  expect(session.error).toBeUndefined();
});

test("a run that is cancelled during a node resumes at that node", async () => {
  const abort = new AbortController();
  const events: RunEvent["type"][] = [];
  const stopped = toolNode({
    id: "stopped",
    async execute(_, { signal }) {
      if (abort.signal.aborted) return "done";
      abort.abort(new Error("Interrupted"));
      signal.throwIfAborted();
      throw new Error("The signal of the run does not reach its node");
    },
  });
  const compiled = compile(first, stopped);
  const { runId, status } = await runs.start(
    startOptions(compiled, { signal: abort.signal, onEvent: ({ type }) => events.push(type) }),
  );
  expect({ status, lastEvent: events.at(-1) }).toEqual({ status: "cancelled", lastEvent: "run-end" });
  expect(await store.load(runId)).toMatchObject({ status: "cancelled", nodeHistory: ["first"] });
  expect((await runs.resume(runId, {}, optionsFor(compiled))).status).toBe("completed");
  expect((await store.load(runId)).nodeHistory).toEqual(["first", "stopped"]);
});

test("a waiting run can be cancelled without its graph, and a completed one cannot", async () => {
  const compiled = compile(gate);
  const { runId } = await runs.start(startOptions(compiled));
  await runs.cancel(runId);
  expect((await runs.report(runId)).status).toBe("cancelled");
  expect((await runs.resume(runId, { gate: "yes" }, optionsFor(compiled))).status).toBe("completed");
  await expect(runs.cancel(runId)).rejects.toThrow("is completed; there is nothing left to do.");
  await expect(runs.resume(runId, {}, optionsFor(compiled))).rejects.toThrow("is completed");
  expect((await store.load(runId)).status).toBe("completed");
});

/** Leaves a run as a process leaves it that is killed right after an entry of the journal. */
async function killAfter(runId: string, entry: (body: string) => boolean): Promise<void> {
  const saver = new DefaultSaver({ directory: store.directoryOf(runId) });
  const sequence = (await saver.read(runId)).findLast(({ body }) => entry(body))?.sequence ?? 0;
  await saver.truncate(runId, sequence);
  await store.update(runId, (session) => ({ ...session, status: "running", nodeHistory: [], outputs: {} }));
}

test("a run whose process died is interrupted", async () => {
  const { runId } = await runs.start(startOptions(compile(first)));
  await killAfter(runId, (body) => body.startsWith('{"type":"done"'));
  const { session, status, summary } = await runs.report(runId);
  expect({ stored: session.status, status }).toEqual({ stored: "running", status: "interrupted" });
  expect(await runs.status(session)).toBe("interrupted");
  expect(summary?.nodes.map(({ taskId }) => taskId)).toEqual(["first"]);
});

test("a run that was killed after its last record is completed; resuming it returns its result", async () => {
  const events: RunEvent["type"][] = [];
  const compiled = compile(first, last);
  const { runId, state } = await runs.start(startOptions(compiled));
  await killAfter(runId, () => true);
  expect((await runs.report(runId)).status).toBe("completed");
  expect(await runs.status(await store.load(runId))).toBe("completed");
  await expect(runs.cancel(runId)).rejects.toThrow("is completed; there is nothing left to do.");
  const onEvent = ({ type }: RunEvent): number => events.push(type);
  const result = await runs.resume(runId, {}, optionsFor(compiled, { onEvent }));
  expect(result).toMatchObject({ runId, status: "completed", state, output: 2, requests: [] });
  expect(events).toEqual(["run-start", "run-end"]);
  expect(await store.load(runId)).toMatchObject({
    status: "completed",
    nodeHistory: ["first", "last"],
    outputs: { first: 1, last: 2 },
  });
  await expect(runs.resume(runId, {}, optionsFor(compiled))).rejects.toThrow("is completed");
});

test("what a migration adds is redacted wherever a run is read, resumed or closed", async () => {
  const secret = "zq8-Wm4Kt2Vx9LbN";
  const redactor = createRedactor({ secrets: [{ name: "KEY", value: secret }] });
  const redacting = createWorkflowRuns({ store, owner: OWNER, redactor });
  const compiled = compile(first, last);
  const { runId } = await redacting.start(startOptions(compiled));
  await killAfter(runId, () => true);
  const { metadata } = optionsFor(compiled);
  const newer = optionsFor(compiled, {
    metadata: { ...metadata, stateVersion: 1 },
    migrateState: (_from, state) => ({ ...state, key: secret }),
  });
  expect(await redacting.state(runId, newer)).toMatchObject({ key: "[redacted:KEY]" });
  const { state } = await redacting.resume(runId, {}, newer);
  expect(state).toMatchObject({ key: "[redacted:KEY]" });
});

test.each([
  { title: "a question", node: gate, status: "suspended" },
  {
    title: "a failure",
    node: toolNode({ id: "gate", execute: () => Promise.reject(new Error("no")) }),
    status: "failed",
  },
])("a run that was killed after $title was its last record is $status", async ({ node, status }) => {
  const { runId } = await runs.start(startOptions(compile(node)));
  await killAfter(runId, () => true);
  const report = await runs.report(runId);
  expect([report.status, await runs.status(report.session)].map(String)).toEqual([status, status]);
});

test("a session whose process died before the first step begins with its input when it is resumed", async () => {
  const { sessionId } = await store.create({ workflowName: "release", projectDirectory: "/p", input: { topic: "x" } });
  expect(await runs.report(sessionId)).toMatchObject({ status: "interrupted", summary: undefined });
  const given: unknown[] = [];
  const look = toolNode({ id: "look", execute: (_, { state }) => given.push(state) });
  const { runId, status } = await runs.resume(sessionId, {}, optionsFor(compile(look)));
  expect({ runId, status }).toEqual({ runId: sessionId, status: "completed" });
  expect(given).toEqual([expect.objectContaining({ topic: "x" })]);
  expect(await store.load(sessionId)).toMatchObject({ status: "completed", owner: OWNER });
});

test("a session whose process died before the first step can be cancelled", async () => {
  const { sessionId } = await store.create({ workflowName: "release", projectDirectory: "/p", input: {} });
  await runs.cancel(sessionId);
  expect((await runs.report(sessionId)).status).toBe("cancelled");
});

test("an input that the graph rejects leaves no session", async () => {
  const strict = graph(defineState({ topic: annotation("") }))
    .start(toolNode({ id: "step", execute: () => 1 }))
    .end()
    .compile() as unknown as CompiledGraph; // true: a graph may be run with any of its states
  await expect(runs.start(startOptions(strict, { input: { topik: "x" } }))).rejects.toThrow(
    'The state has no field "topik".',
  );
  expect(await store.list()).toEqual({ sessions: [], problems: [] });
});

test("of two processes that resume one run, one gets it", async () => {
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const hold = toolNode({
    id: "hold",
    async execute() {
      reached.resolve();
      await release.promise;
      return 1;
    },
  });
  const compiled = compile(gate, hold);
  const { runId } = await runs.start(startOptions(compiled));
  const winner = createWorkflowRuns({ store, owner: OTHER }).resume(runId, { gate: "yes" }, optionsFor(compiled));
  await reached.promise;
  // Waits for the session update of the resume.
  await store.update(runId, (session) => session);
  await expect(runs.resume(runId, { gate: "yes" }, optionsFor(compiled))).rejects.toThrow(
    `The run "${runId}" is being executed by process 22.`,
  );
  await expect(runs.cancel(runId)).rejects.toThrow("is being executed by process 22.");
  expect(await store.load(runId)).toMatchObject({ status: "running", owner: OTHER });
  release.resolve();
  expect((await winner).status).toBe("completed");
});
