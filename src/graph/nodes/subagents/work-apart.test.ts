import { beforeEach, describe, expect, test } from "bun:test";
import { RateLimitedError, type RunEvent } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import { FakeSubagents, type SubagentAnswer, succeed } from "../../fixtures/fake-subagents.ts";
import { FakeWorktrees } from "../../fixtures/fake-worktrees.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import type { CommandRunner } from "../../model/execution-context.ts";
import type { GitReader } from "../../model/git-reader.ts";
import type { AgentDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { SubagentOptions, SubagentSuccess } from "../../model/subagent-runner.ts";
import type { WorktreeConflict } from "../../model/worktree-service.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
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

const logsOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "log" ? [event.message] : []));

const conflictIn = (signal: AbortSignal, files: readonly string[] = ["a.txt"]): WorktreeConflict => ({
  workingDirectory: "/trees/work",
  files,
  projectFolder: "/trees/work/app",
  environment: { PORT: "4000" },
  snapshot: async () => "same",
  signal,
});

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

  test("has nothing to do where somebody has merged an earlier attempt's work", async () => {
    class MergedByHand extends FakeWorktrees {
      override async open(...args: Parameters<FakeWorktrees["open"]>) {
        return { ...(await super.open(...args)), isMergedByHand: true };
      }
    }
    const subagents = new FakeSubagents();
    const worktrees = new MergedByHand();
    const events: RunEvent[] = [];
    const options = {
      services: { agents, subagents, worktrees },
      onEvent: (event: RunEvent) => void events.push(event),
    };
    const { output } = await one().run({ value: "x" }, options);
    expect([subagents.spawned, worktrees.calls.map((call) => call.split(" ")[0])]).toEqual([
      [],
      ["open", "commit", "merge", "close"],
    ]);
    expect(output).toBe("atomic/work has been merged since the last attempt: no agent works on it again.");
    expect(logsOf(events)).toContain(String(output));
  });

  describe("with a command that verifies it", () => {
    const ran: { readonly command: string; readonly place: unknown }[] = [];
    const shell =
      (...exitCodes: readonly number[]): CommandRunner =>
      async (command, { workingDirectory, extraEnv }) => {
        ran.push({ command, place: { workingDirectory, extraEnv } });
        const exitCode = exitCodes[ran.length - 1] ?? 0;
        return { command, exitCode, stdout: "1 failed\n", stderr: "", isTruncated: false, durationMs: 7 };
      };
    beforeEach(() => void ran.splice(0));

    test("is merged once it succeeds there, with the ports of the worktree", async () => {
      const worktrees = new FakeWorktrees();
      const services = { agents, subagents: new FakeSubagents(), worktrees, shell: shell(0) };
      const outputMapper = ({ verification }: SubagentSuccess) => ({ log: [JSON.stringify(verification)] });
      const { state } = await one({ verify: "npm test", outputMapper }).run({ value: "x" }, { services });
      expect(ran).toEqual([
        { command: "npm test", place: { workingDirectory: "/trees/work", extraEnv: { PORT: "4000" } } },
      ]);
      expect(state.log).toEqual(['{"command":"npm test","durationMs":7}']);
      expect(worktrees.calls.map((call) => call.split(" ")[0])).toEqual(["open", "commit", "commit", "merge", "close"]);
    });

    test("is not merged when it fails, and the error has the end of the output", async () => {
      const worktrees = new FakeWorktrees();
      const services = { agents, subagents: new FakeSubagents(), worktrees, shell: shell(3) };
      const { errorInfo } = await one({ verify: "npm test" }).run({ value: "x" }, { services });
      expect(errorInfo).toEqual({
        code: "VERIFICATION_FAILED",
        message: "The work is not done: `npm test` ended with exit code 3 in /trees/work.\n1 failed",
        nodeId: "work",
      });
      expect([ran.length, worktrees.calls.map((call) => call.split(" ")[0])]).toEqual([1, ["open", "commit"]]);
    });

    test("has to succeed with the files that the command itself changes", async () => {
      const worktrees = new FakeWorktrees();
      worktrees.changesLeft = 2;
      const services = { agents, subagents: new FakeSubagents(), worktrees, shell: shell() };
      expect((await one({ verify: "npm test" }).run({ value: "x" }, { services })).status).toBe("completed");
      expect(ran).toHaveLength(2);
      worktrees.changesLeft = 9;
      const git: GitReader = async ([command]) =>
        command === "diff" ? { type: "done", stdout: "at.txt\0" } : { type: "failed", exitCode: 1, message: "" };
      const unsteady = { ...services, git };
      const { errorInfo } = await one({ verify: "npm test" }).run({ value: "x" }, { services: unsteady });
      expect(errorInfo).toEqual({
        code: "VERIFICATION_UNSTEADY",
        message:
          '`npm test` succeeds, but files that git does not ignore change each time: "at.txt". So it never succeeds with the work as it is. Correct the command and resume the run, or name such files in .gitignore before the next run.',
        nodeId: "work",
      });
    });

    test("fails the run, and no task, when the command does not exist", async () => {
      const services = { agents, subagents: new FakeSubagents(), worktrees: new FakeWorktrees(), shell: shell(127) };
      const { errorInfo } = await one({ verify: "npm tset" }).run({ value: "x" }, { services });
      expect(errorInfo).toEqual({
        code: "VERIFICATION_IMPOSSIBLE",
        message: "`npm tset`, or a command in it, was not found (exit code 127), so no work can be verified.\n1 failed",
        nodeId: "work",
      });
    });

    test("is verified again after an agent resolved conflicts, before the merge", async () => {
      const outcomes: boolean[] = [];
      const worktrees = new FakeWorktrees(async ({ signal }, { resolveConflict }) => {
        const conflict = conflictIn(signal);
        outcomes.push((await resolveConflict?.(conflict)) ?? false);
        return outcomes.at(-1) ? "merged" : "conflict";
      });
      const services = { agents, subagents: new FakeSubagents(), worktrees, shell: shell(0, 1, 0, 0) };
      const failed = await one({ verify: "npm test" }).run({ value: "x" }, { services });
      expect([failed.errorInfo?.code, outcomes]).toEqual(["WORKTREE_NOT_MERGED", [false]]);
      const passed = await one({ verify: "npm test" }).run({ value: "x" }, { services });
      expect([passed.status, outcomes]).toEqual(["completed", [false, true]]);
      const place = { workingDirectory: "/trees/work/app", extraEnv: { PORT: "4000" } };
      expect(ran[3]).toEqual({ command: "npm test", place });
    });

    test("only the commit that the command succeeded with is merged; another one is verified first", async () => {
      const wanted: (string | undefined)[] = [];
      const worktrees = new FakeWorktrees(async (_task, { commit }) => {
        wanted.push(commit);
        if (wanted.length > 1) return "merged";
        worktrees.changesLeft = 1;
        return "changed";
      });
      const services = { agents, subagents: new FakeSubagents(), worktrees, shell: shell(0, 0, 3) };
      expect((await one({ verify: "npm test" }).run({ value: "x" }, { services })).status).toBe("completed");
      expect([wanted, ran.length]).toEqual([["c0", "c1"], 2]);
      wanted.length = 0;
      ran.splice(0, 2);
      const failing = { ...services, shell: shell(0, 3) };
      const { errorInfo } = await one({ verify: "npm test" }).run({ value: "x" }, { services: failing });
      expect([errorInfo?.code, wanted]).toEqual(["VERIFICATION_FAILED", ["c1"]]);
    });

    test("is verified in the run's own folder without isolation, and not at all by an empty command", async () => {
      const services = { agents, subagents: new FakeSubagents(), shell: shell(1), workingDirectory: "/project" };
      const here = { isolation: (): undefined => undefined, verify: ({ value }: TestState) => value };
      const failed = await one(here).run({ value: "npm test" }, { services });
      expect(failed.error?.message).toBe("The work is not done: `npm test` ended with exit code 1.\n1 failed");
      expect(ran).toEqual([{ command: "npm test", place: { workingDirectory: "/project", extraEnv: undefined } }]);
      expect((await one(here).run({ value: " " }, { services })).status).toBe("completed");
    });
  });

  test("a rule about a file of the project, by its absolute path, holds in the worktree and in a conflict", async () => {
    const subagents = new FakeSubagents();
    const worktrees = new FakeWorktrees(async ({ signal }, { resolveConflict }) => {
      await resolveConflict?.(conflictIn(signal));
      return "merged";
    });
    const deny = { effect: "deny", tools: ["edit"], paths: ["/project/a.txt", "b.txt"] } as const;
    const sessionConfig = { permissions: { rules: [deny] } };
    const services = { agents, subagents, worktrees, sessionConfig, workingDirectory: "/project" };
    await one().run({ value: "x" }, { services });
    const denied = subagents.spawned.map(({ sessionConfig }) => sessionConfig?.permissions?.rules[0]?.paths);
    expect(denied).toEqual([
      ["/project/a.txt", "b.txt", "/trees/work/a.txt"],
      ["/project/a.txt", "b.txt", "/trees/work/app/a.txt", "/trees/work/app/b.txt"],
    ]);
  });

  test("a worktree can start at another branch than the one that is checked out", async () => {
    const worktrees = new FakeWorktrees();
    const config = { worktreeBranch: ({ value }: TestState) => value, worktreeSetup: () => "npm ci" };
    const services = { agents, subagents: new FakeSubagents(), worktrees };
    await one(config).run({ value: "next" }, { services });
    expect(worktrees.calls[0]).toBe("open work (npm ci, on next)");
  });

  test("a worktree with a name is the same for each visit", async () => {
    const worktrees = new FakeWorktrees();
    const working = subagentNode<TestState>({
      id: "work",
      agentName: "worker",
      task: "Write",
      isolation: "worktree",
      worktreeName: ({ value }) => `task ${value}`,
    });
    const twice = graph(TestState).loop(graph(TestState).start(working), { maxIterations: 2 }).end().compile();
    await twice.run({ value: "x" }, { services: { agents, subagents: new FakeSubagents(), worktrees } });
    expect(worktrees.calls.filter((call) => call.startsWith("open"))).toEqual(["open task x", "open task x"]);
  });

  test("an agent with the same settings resolves conflicts, under an id of its own", async () => {
    const subagents = new FakeSubagents();
    const worktrees = new FakeWorktrees(async ({ signal }, { resolveConflict }) => {
      const conflict = conflictIn(signal, ["a.txt", "b.txt"]);
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
      await resolveConflict?.(conflictIn(signal));
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
      const conflict = conflictIn(signal);
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
