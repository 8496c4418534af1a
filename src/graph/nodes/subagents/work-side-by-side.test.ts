import { describe, expect, test } from "bun:test";
import { graph } from "../../builder.ts";
import { FakeSubagents, type SubagentAnswer, succeed } from "../../fixtures/fake-subagents.ts";
import { FakeWorktrees } from "../../fixtures/fake-worktrees.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import type { AgentDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import { type ParallelSubagentNodeConfig, parallelSubagentNode } from "./parallel-subagent-node.ts";

const agents = new NamedRegistry<AgentDefinition>([{ name: "worker", prompt: "You work." }]);
const FAST = { backoffMs: 0, jitter: 0 };

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
