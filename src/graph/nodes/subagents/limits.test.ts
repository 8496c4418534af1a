import { describe, expect, test } from "bun:test";
import { NO_USAGE, NotSignedInError, RateLimitedError, type RunEvent } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { FakeSubagents, succeed } from "../../fixtures/fake-subagents.ts";
import { FakeWorktrees } from "../../fixtures/fake-worktrees.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import type { AgentDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { SubagentOptions } from "../../model/subagent-runner.ts";
import { type SubagentNodeConfig, subagentNode } from "./subagent-node.ts";

const agents = new NamedRegistry<AgentDefinition>([{ name: "worker", prompt: "You work." }]);

function workflow(config: Partial<SubagentNodeConfig<TestState>> = {}) {
  const node = subagentNode<TestState>({
    id: "work",
    agentName: "worker",
    agentType: "opencode",
    task: "Write it",
    retry: { backoffMs: 0, jitter: 0 },
    ...config,
  });
  return graph(TestState).start(node).end().compile();
}

const busy = (agent: string): RateLimitedError => new RateLimitedError(agent, "too much", 0);

/** Agents of which some have reached their limits. */
function limited(errors: Readonly<Record<string, Error>>) {
  return new FakeSubagents((options) => {
    const error = errors[options.agentType ?? ""];
    if (error === undefined) return succeed(options);
    options.onEvent({ type: "usage", sessionId: "s", at: 5, usage: { ...NO_USAGE, outputTokens: 9 } });
    return { success: false, error: error.message, cause: error, output: "Half of it." };
  });
}

const who = (spawned: readonly SubagentOptions[]): readonly string[] =>
  spawned.map(({ agentType, agentId }) => `${agentType} ${agentId}`);

describe("a sub-agent whose account reaches a limit", () => {
  test("is replaced by the next agent, in the same worktree, with a note of what happened", async () => {
    const subagents = limited({ opencode: busy("opencode"), claude: new NotSignedInError("claude", "claude login") });
    const worktrees = new FakeWorktrees();
    const events: RunEvent[] = [];
    const { status, usageByAgent } = await workflow({
      isolation: "worktree",
      fallbackAgents: ["opencode", "claude", "copilot"],
    }).run({}, { services: { agents, subagents, worktrees }, onEvent: (event) => events.push(event) });
    expect(status).toBe("completed");
    expect(usageByAgent).toEqual({
      opencode: { ...NO_USAGE, outputTokens: 9 },
      claude: { ...NO_USAGE, outputTokens: 9 },
      copilot: { ...NO_USAGE, inputTokens: 2 },
    });
    expect(who(subagents.spawned)).toEqual(["opencode work", "claude work/claude", "copilot work/copilot"]);
    expect(worktrees.calls.filter((call) => call.startsWith("open"))).toEqual(["open work"]);
    const [, second, third] = subagents.spawned;
    expect(second?.sessionConfig.workingDirectory).toBe("/trees/work");
    expect(second?.task).toStartWith("Write it\n\n(Your working folder");
    expect(second?.task).toEndWith(
      [
        'Another agent began this task and had to stop: The provider of "opencode" limits the rate of calls: too much. Try again in 0 s.',
        "What it did is in your working folder. Look at it first, for example with git status and git diff, and continue from there.",
        "The end of what it said:",
        "<said>",
        "Half of it.",
        "</said>",
      ].join("\n"),
    );
    expect(third?.task).toContain('had to stop: The agent "claude" is not signed in. Run: claude login');
    const logs = events.flatMap((event) => (event.type === "log" ? [event.message] : []));
    expect(logs.filter((line) => line.includes("takes over"))).toEqual([
      'The provider of "opencode" limits the rate of calls: too much. Try again in 0 s. The agent "claude" takes over.',
      expect.stringContaining('The agent "copilot" takes over.'),
    ]);
  });

  test("and all others too: the last one is retried, as the provider says", async () => {
    const subagents = limited({ opencode: busy("opencode"), claude: busy("claude") });
    const { errorInfo } = await workflow({ fallbackAgents: ["claude"] }).run({}, { services: { agents, subagents } });
    expect(errorInfo?.code).toBe("RATE_LIMITED");
    expect(who(subagents.spawned)).toEqual([
      "opencode work",
      "claude work/claude",
      "claude work/claude",
      "claude work/claude",
    ]);
  });

  test("is retried itself where nobody can take over", async () => {
    const subagents = limited({ opencode: busy("opencode") });
    const { errorInfo } = await workflow().run({}, { services: { agents, subagents } });
    expect([errorInfo?.code, who(subagents.spawned)]).toEqual([
      "RATE_LIMITED",
      ["opencode work", "opencode work", "opencode work"],
    ]);
  });

  test("stops the run at once where that is wanted", async () => {
    const subagents = limited({ opencode: busy("opencode") });
    const { errorInfo } = await workflow({ onLimit: "stop", fallbackAgents: ["claude"] }).run(
      {},
      { services: { agents, subagents } },
    );
    expect([errorInfo?.code, who(subagents.spawned)]).toEqual(["RATE_LIMITED", ["opencode work"]]);
  });

  test("is replaced by an agent with its own model: the node's is one of the first agent", async () => {
    const named = new NamedRegistry<AgentDefinition>([{ name: "worker", prompt: "", models: { claude: "sonnet" } }]);
    const subagents = limited({ opencode: busy("opencode") });
    await workflow({ model: "gpt", fallbackAgents: ["claude"] }).run({}, { services: { agents: named, subagents } });
    expect(subagents.spawned.map(({ model }) => model)).toEqual(["gpt", "sonnet"]);
  });

  test("is not replaced for another failure", async () => {
    const subagents = limited({ opencode: new Error("broken") });
    const { error } = await workflow({ fallbackAgents: ["claude"], retry: { maxAttempts: 1 } }).run(
      {},
      { services: { agents, subagents } },
    );
    expect(error?.message).toContain("broken");
    expect(who(subagents.spawned)).toEqual(["opencode work"]);
  });
});
