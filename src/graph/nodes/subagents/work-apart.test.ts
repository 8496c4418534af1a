import { describe, expect, test } from "bun:test";
import { RateLimitedError, type RunEvent } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import { FakeSubagents, type SubagentAnswer, succeed } from "../../fixtures/fake-subagents.ts";
import { FakeWorktrees } from "../../fixtures/fake-worktrees.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import type { AgentDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { SubagentOptions } from "../../model/subagent-runner.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { type ParallelSubagentNodeConfig, parallelSubagentNode } from "./parallel-subagent-node.ts";
import { type SubagentNodeConfig, subagentNode } from "./subagent-node.ts";

const agents = new NamedRegistry<AgentDefinition>([{ name: "worker", prompt: "You work." }]);
const FAST = { backoffMs: 0, jitter: 0 };

function one(config: Partial<SubagentNodeConfig<TestState>> = {}) {
  const working = subagentNode<TestState>({
    id: "work",
    agentName: "worker",
    task: ({ value }) => `Write ${value}`,
    isolation: "worktree",
    retry: FAST,
    ...config,
  });
  return graph(TestState).start(working).end().compile();
}

function several(config: Partial<ParallelSubagentNodeConfig<TestState>> = {}) {
  const working = parallelSubagentNode<TestState>({
    id: "work",
    agents: [
      { agentName: "worker", task: "a", isolation: "worktree" },
      { agentName: "worker", task: "b" },
      { agentName: "worker", task: "c", isolation: "worktree", worktreeSetup: "npm ci" },
    ],
    merge: (results) => ({
      log: [...results].map(([key, { success, output, error }]) => `${key}: ${success ? output : error}`),
    }),
    retry: FAST,
    ...config,
  });
  return graph(TestState).start(working).end().compile();
}

const logsOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "log" ? [event.message] : []));

const idsOf = (spawned: readonly SubagentOptions[]): readonly string[] => spawned.map(({ agentId }) => agentId);

describe("a sub-agent in a worktree", () => {
  test("works there, and what it leaves is committed and merged", async () => {
    const subagents = new FakeSubagents();
    const worktrees = new FakeWorktrees();
    const events: RunEvent[] = [];
    const services = { agents, subagents, worktrees, workingDirectory: "/project" };
    const options = { runId: "r", services, onEvent: (event: RunEvent) => void events.push(event) };
    const { state, output } = await one({ worktreeSetup: "npm ci" }).run({ value: "x" }, options);
    expect(worktrees.calls).toEqual([
      "open work (npm ci)",
      "commit work: worker: Write x",
      "merge work: worker: Write x",
      "close work",
    ]);
    const [{ task = "", sessionConfig = {} } = {}] = subagents.spawned;
    expect(sessionConfig.workingDirectory).toBe("/trees/work");
    expect(task).toBe(
      "Write x\n\n(Your working folder is a git worktree of its own, on the branch atomic/work. Stay in it and on the branch. What you change is committed and merged for you. For servers, use the ports 4000 to 4001, which nobody else has.)",
    );
    expect([state.outputs.work, output]).toEqual([`worker: ${task}`, `worker: ${task}`]);
    expect(logsOf(events)).toEqual(["notes.txt is not committed.", "Merged atomic/work: worker: Write x"]);
  });

  test("an agent with the same settings resolves conflicts, under an id of its own", async () => {
    const subagents = new FakeSubagents();
    const worktrees = new FakeWorktrees(async ({ signal }, { resolveConflict }) => {
      const conflict = { workingDirectory: "/trees/work", files: ["a.txt", "b.txt"], signal };
      return (await resolveConflict?.(conflict)) ? "merged" : "conflict";
    });
    const { status } = await one().run({ value: "x" }, { services: { agents, subagents, worktrees } });
    expect({ status, ids: idsOf(subagents.spawned) }).toEqual({ status: "completed", ids: ["work", "work/conflict"] });
    const { task = "", sessionConfig } = subagents.spawned[1] ?? {};
    expect(task).toContain('One side is the work "worker: Write x"');
    expect(task).toContain("\n- a.txt\n- b.txt");
    expect(sessionConfig?.workingDirectory).toBe("/trees/work");
  });

  test.each([
    {
      title: "the agent fails",
      answer: (): Error => new Error("I cannot"),
      said: "did not resolve the conflicts: I cannot",
    },
    { title: "conflicts are left", answer: succeed, said: "an agent resolves them" },
  ])("work that cannot be merged because $title fails the step, and its branch is named", async ({ answer, said }) => {
    const subagents = new FakeSubagents((options) => (options.agentId === "work" ? succeed : answer)(options));
    const worktrees = new FakeWorktrees(async ({ signal }, { resolveConflict }) => {
      await resolveConflict?.({ workingDirectory: "/trees/work", files: ["a.txt"], signal });
      return "conflict";
    });
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void events.push(event);
    const { status, error } = await one().run({ value: "x" }, { onEvent, services: { agents, subagents, worktrees } });
    expect([status, error?.name, error?.message]).toEqual([
      "failed",
      "WorktreeNotMergedError",
      'The work of the sub-agent "worker" is on the branch "atomic/work" and was not merged: "a.txt" was changed on both sides, and the conflict is not resolved. Merge it yourself: git merge atomic/work',
    ]);
    expect(logsOf(events).join("\n")).toContain(said);
    expect(worktrees.calls).not.toContain("close work");
  });

  test("a later attempt merges without repeating the work", async () => {
    const saver = new MemorySaver();
    const subagents = new FakeSubagents();
    let isBlocked = true;
    const worktrees = new FakeWorktrees(async () => (isBlocked ? "blocked" : "merged"));
    const options = { runId: "r", checkpointer: saver, services: { agents, subagents, worktrees } };
    const failed = await one().run({ value: "x" }, options);
    expect(failed.error?.message).toContain("was not merged: the branch main does not exist. Merge");
    isBlocked = false;
    const { runId, ...others } = options;
    const { status } = await one().resume(runId, {}, others);
    expect({ status, ids: idsOf(subagents.spawned) }).toEqual({ status: "completed", ids: ["work"] });
    expect(worktrees.calls.filter((call) => !call.startsWith("merge"))).toEqual([
      "open work",
      "commit work: worker: Write x",
      "close work",
    ]);
  });

  test("what keeps a merged worktree is logged, and fails nothing", async () => {
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void events.push(event);
    for (const close of [async () => ["commits that no branch has"], () => Promise.reject(new Error("EACCES"))]) {
      const worktrees = new FakeWorktrees(async () => "merged", close);
      const { status } = await one().run(
        {},
        { onEvent, services: { agents, subagents: new FakeSubagents(), worktrees } },
      );
      expect(status).toBe("completed");
    }
    expect(logsOf(events).filter((line) => line.includes("kept"))).toEqual([
      "The worktree of atomic/work is kept: commits that no branch has",
      "The worktree of atomic/work is kept: EACCES",
    ]);
  });

  test("an agent that could not even try to resolve a conflict runs again", async () => {
    let tries = 0;
    const answer: SubagentAnswer = (options) => {
      if (options.agentId === "work") return succeed(options);
      tries++;
      return tries === 1 ? new RateLimitedError("claude", "slow down") : succeed(options);
    };
    const worktrees = new FakeWorktrees(async ({ signal }, { resolveConflict }) => {
      const conflict = { workingDirectory: "/trees/work", files: ["a.txt"], signal };
      return (await resolveConflict?.(conflict)) ? "merged" : "conflict";
    });
    const services = { agents, subagents: new FakeSubagents(answer), worktrees };
    expect([(await one().run({}, { services })).status, tries]).toEqual(["completed", 2]);
  });

  test("needs the service, and plan() makes no worktree", async () => {
    const { error } = await one().run({ value: "x" }, { services: { agents, subagents: new FakeSubagents() } });
    expect(error).toBeInstanceOf(MissingServiceError);
    const worktrees = new FakeWorktrees();
    const services = { agents, subagents: new FakeSubagents(), worktrees };
    // As a caller without types may pass it.
    const { status } = await one().plan({ value: "x" }, { services } as object);
    expect([status, worktrees.calls]).toEqual(["completed", []]);
  });
});

describe("sub-agents side by side, some in worktrees", () => {
  test("are merged in their order, after all have ended", async () => {
    const ended: string[] = [];
    const gate = Promise.withResolvers<void>();
    const answer: SubagentAnswer = async (options) => {
      // The last one ends first.
      if (options.task.startsWith("a")) await gate.promise;
      if (options.task.startsWith("c")) gate.resolve();
      ended.push(options.task.slice(0, 1));
      return { ...succeed(options), output: options.task.slice(0, 1) };
    };
    const worktrees = new FakeWorktrees();
    const services = { agents, subagents: new FakeSubagents(answer), worktrees };
    const { state, output } = await several().run({ value: "x" }, { services });
    expect(ended.at(-1)).toBe("a");
    expect(worktrees.calls.filter((call) => /^(?:merge|close)/.test(call))).toEqual([
      "merge work[work-worker-0]/work-worker-0: worker: a",
      "close work[work-worker-0]/work-worker-0",
      "merge work[work-worker-2]/work-worker-2: worker: c",
      "close work[work-worker-2]/work-worker-2",
    ]);
    expect(state.log).toEqual(["worker-0: a", "worker-1: b", "worker-2: c"]);
    expect(output).toEqual(
      ["a", "b", "c"].map((text, index) => ({ agent: `worker-${index}`, success: true, output: text })),
    );
  });

  const conflictOfFirst = () =>
    new FakeWorktrees(async ({ taskId }) => (taskId.endsWith("worker-0") ? "conflict" : "merged"));

  test("work that cannot be merged counts as failed, and the others' is merged", async () => {
    const worktrees = conflictOfFirst();
    const services = { agents, subagents: new FakeSubagents(), worktrees };
    const { status, state } = await several().run({ value: "x" }, { services });
    expect(status).toBe("completed");
    expect(state.log?.[0]).toContain(
      'worker-0: The work of the sub-agent "worker" is on the branch "atomic/work[work-worker-0]/work-worker-0" and was not merged:',
    );
    expect(worktrees.calls.filter((call) => call.startsWith("close"))).toEqual([
      "close work[work-worker-2]/work-worker-2",
    ]);
  });

  test("one worktree that is broken stops no other", async () => {
    const worktrees = new FakeWorktrees(async ({ taskId }) => {
      if (taskId.endsWith("worker-0")) throw new Error("its folder is missing");
      return "merged";
    });
    const services = { agents, subagents: new FakeSubagents(), worktrees };
    const { status, state } = await several().run({ value: "x" }, { services });
    expect([status, state.log?.[0]]).toEqual(["completed", "worker-0: its folder is missing"]);
    expect(worktrees.calls).toContain("close work[work-worker-2]/work-worker-2");
  });

  test("with failFast, it fails the node", async () => {
    const services = { agents, subagents: new FakeSubagents(), worktrees: conflictOfFirst() };
    const { status, error } = await several({ failFast: true }).run({ value: "x" }, { services });
    expect([status, error?.name]).toEqual(["failed", "WorktreeNotMergedError"]);
  });

  test("a sub-agent that failed is not merged", async () => {
    const worktrees = new FakeWorktrees();
    const answer: SubagentAnswer = (options) => (options.task.startsWith("a") ? new Error("no") : succeed(options));
    const services = { agents, subagents: new FakeSubagents(answer), worktrees };
    const { state } = await several({ retry: { maxAttempts: 1 } }).run({ value: "x" }, { services });
    expect(state.log?.[0]).toBe("worker-0: no");
    expect(worktrees.calls.filter((call) => call.startsWith("merge"))).toEqual([
      "merge work[work-worker-2]/work-worker-2: worker: c",
    ]);
  });
});
