import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentDefinition, NamedRegistry } from "../graph/index.ts";
import { createScriptedAgent } from "../testkit/index.ts";
import { forkSession } from "./fork-session.ts";
import { plan, planAndDo } from "./ralph/fixtures/ralph-bench.ts";
import { RALPH_METADATA } from "./ralph/ralph-metadata.ts";
import { createRalphWorkflow } from "./ralph/ralph-workflow.ts";
import { createSessionStore } from "./session-store/session-store.ts";
import { createWorkflowRuns } from "./workflow-runs.ts";

let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "atomic-fork-"));
  await mkdir(join(root, "project"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("a fork of Ralph has the list of the moment as its own, and does only what was left then", async () => {
  const handedOut: string[] = [];
  const script = planAndDo([plan("1"), plan("2"), plan("3")]);
  const agent = createScriptedAgent({
    workingDirectory: join(root, "project"),
    script(request, context) {
      const id = /\(task (\S+)\)/.exec(request.prompt)?.[1];
      if (id !== undefined) handedOut.push(id);
      return script(request, context);
    },
  });
  const store = createSessionStore({ root: join(root, "sessions") });
  const owner = { pid: process.pid, startedAt: new Date().toISOString() };
  const runs = createWorkflowRuns({ store, owner });
  const options = {
    graph: createRalphWorkflow(),
    metadata: RALPH_METADATA,
    services: {
      clients: () => agent,
      agents: new NamedRegistry<AgentDefinition>([{ name: "worker", prompt: "You work." }]),
      workingDirectory: join(root, "project"),
    },
    signal: new AbortController().signal,
  };
  const input = { prompt: "Do it", workers: 1, review: false };
  const { runId } = await runs.start({ ...options, input, projectDirectory: join(root, "project") });
  expect(handedOut.splice(0)).toEqual(["1", "2", "3"]);
  const origin = await store.load(runId);
  const list = (folder: string): Promise<string> => readFile(join(folder, "tasks.json"), "utf8");
  const before = await list(origin.sessionDir);
  const first = (await runs.history(runId)).find(({ type, nodeId }) => type === "node" && nodeId === "implement");
  const fork = await forkSession({ store, owner }, { ...options, origin, at: first?.sequence ?? 0 });
  expect(JSON.parse(await list(fork.sessionDir)).tasks.map(({ status }: { status: string }) => status)).toEqual([
    "in_progress",
    "pending",
    "pending",
  ]);
  expect(await runs.status(fork)).toBe("suspended");
  const result = await runs.resume(fork.sessionId, {}, options);
  expect({ status: result.status, handedOut }).toEqual({ status: "completed", handedOut: ["2", "3"] });
  expect(result.state).toMatchObject({ tasksPath: join(fork.sessionDir, "tasks.json") });
  expect(await list(origin.sessionDir)).toBe(before);
  expect(await list(fork.sessionDir)).not.toContain("pending");
  await agent.stop();
});
