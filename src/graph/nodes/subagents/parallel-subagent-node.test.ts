import { describe, expect, test } from "bun:test";
import { NO_USAGE, type RunEvent } from "../../../contracts/index.ts";
import { createScriptedAgent } from "../../../testkit/index.ts";
import { graph } from "../../builder.ts";
import { MissingServiceError, SchemaValidationError } from "../../errors/errors.ts";
import { survive } from "../../fixtures/crash-harness.ts";
import { FakeSubagents, type SubagentAnswer, succeed } from "../../fixtures/fake-subagents.ts";
import { logs, node, rejectionOf, TestState } from "../../fixtures/test-nodes.ts";
import type { AgentDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { annotation, defineState, type StateOf } from "../../state/annotation.ts";
import { RunControl } from "../../steering/run-control.ts";
import { NodeCancelledError } from "../../steering/steering-errors.ts";
import { agentNode } from "../agents/agent-node.ts";
import { type ParallelSubagentNodeConfig, parallelSubagentNode } from "./parallel-subagent-node.ts";

const agents = new NamedRegistry<AgentDefinition>([
  { name: "explore", prompt: "You explore." },
  { name: "judge", prompt: "You judge." },
]);

const FAILS_B: SubagentAnswer = (options) => (options.task === "b" ? new Error("b is lost") : succeed(options));

/** Two explorers and a judge; each result is a line of the log. */
function gather(config: Partial<ParallelSubagentNodeConfig<TestState>> = {}) {
  return parallelSubagentNode<TestState>({
    id: "gather",
    agents: [
      { agentName: "explore", task: "a" },
      { agentName: "explore", task: ({ value }) => value },
      { agentName: "judge", task: "c" },
    ],
    merge: (results, { value }) => ({
      log: [...results].map(([key, { success, output, error }]) => `${value}, ${key}: ${success ? output : error}`),
    }),
    retry: { backoffMs: 0, jitter: 0 },
    ...config,
  });
}

async function run(gathering: ReturnType<typeof gather>, subagents: FakeSubagents, options: RunOptions = {}) {
  const compiled = graph(TestState).start(gathering).then(node("last")).end().compile();
  return await compiled.run({ value: "b" }, { runId: "r", ...options, services: { agents, subagents } });
}

describe("a parallel sub-agent node", () => {
  test("merges its agents' results, by name and index", async () => {
    const subagents = new FakeSubagents();
    const { status, state } = await run(gather(), subagents);
    expect({ status, log: state.log, outputs: state.outputs }).toEqual({
      status: "completed",
      log: ["b, explore-0: explore: a", "b, explore-1: explore: b", "b, judge-2: judge: c", "last"],
      outputs: {
        gather: [
          { agent: "explore-0", success: true, output: "explore: a" },
          { agent: "explore-1", success: true, output: "explore: b" },
          { agent: "judge-2", success: true, output: "judge: c" },
        ],
      },
    });
    expect(subagents.spawned.map(({ agentId }) => agentId)).toEqual([
      "gather[gather-explore-0]/gather-explore-0",
      "gather[gather-explore-1]/gather-explore-1",
      "gather[gather-judge-2]/gather-judge-2",
    ]);
  });

  test("as the last node, its results are the run's output, unless merge writes another one", async () => {
    const lastly = async (merge: () => object) => {
      const gathering = gather({ agents: [{ agentName: "judge", task: "c" }], merge });
      const compiled = graph(TestState).start(gathering).end().compile();
      const services = { agents, subagents: new FakeSubagents() };
      const { output, error } = await compiled.run({ value: "b" }, { runId: "r", services });
      return error?.message ?? output;
    };
    expect(await lastly(() => ({}))).toEqual([{ agent: "judge-0", success: true, output: "judge: c" }]);
    expect(await lastly(() => ({ outputs: { gather: "mine" } }))).toBe("mine");
    expect(await lastly(() => ["no update"])).toContain("update");
  });

  test("passes the whole results to merge", async () => {
    const results: unknown[] = [];
    const gathering = gather({
      agents: [{ agentName: "judge", task: "c", agentType: "claude" }],
      merge: (all) => {
        results.push(...all);
        return {};
      },
    });
    const subagents = new FakeSubagents();
    await run(gathering, subagents);
    expect(results).toEqual([
      [
        "judge-0",
        {
          success: true,
          agentId: "gather[gather-judge-0]/gather-judge-0",
          agentType: "claude",
          output: "judge: c",
          toolUses: 1,
          durationMs: 5,
          usage: { ...NO_USAGE, inputTokens: 2 },
        },
      ],
    ]);
    expect(subagents.spawned[0]?.agentType).toBe("claude");
  });

  test("prefers what merge writes over the node's own output", async () => {
    const gathering = gather({ merge: (results) => ({ outputs: { gather: results.size } }) });
    expect((await run(gathering, new FakeSubagents())).state.outputs).toEqual({ gather: 3 });
  });

  test("runs its agents in parallel, as many as the run allows", async () => {
    let running = 0;
    let most = 0;
    const bothRun = Promise.withResolvers<void>();
    const subagents = new FakeSubagents(async (options) => {
      most = Math.max(most, ++running);
      if (running === 2) bothRun.resolve();
      await bothRun.promise;
      running--;
      return succeed(options);
    });
    expect((await run(gather(), subagents, { maxConcurrency: 2 })).status).toBe("completed");
    expect(most).toBe(2);
  });

  test("continues without an agent that fails, after its last attempt", async () => {
    const subagents = new FakeSubagents(FAILS_B);
    const { status, state } = await run(gather(), subagents);
    expect({ status, log: state.log }).toEqual({
      status: "completed",
      log: ["b, explore-0: explore: a", "b, explore-1: b is lost", "b, judge-2: judge: c", "last"],
    });
    expect(subagents.spawned.filter(({ task }) => task === "b").map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  test("with failFast cancels the others at the first failure, and a catch after it handles that", async () => {
    const aborted: unknown[] = [];
    const subagents = new FakeSubagents(({ task, signal }) => {
      if (task === "b") return new Error("b is lost");
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted.push(task);
          reject(signal.reason);
        });
      });
    });
    const gathering = gather({ failFast: true, retry: { maxAttempts: 1 } });
    const compiled = graph(TestState)
      .start(gathering)
      .catch((error) => logs(`took ${error.message}`))
      .end()
      .compile();
    const { state } = await compiled.run({ value: "b" }, { services: { agents, subagents } });
    expect({ log: state.log, aborted }).toEqual({ log: ["took b is lost"], aborted: ["a", "c"] });
  });

  test("continues without agents that somebody skips or cancels", async () => {
    const control = new RunControl();
    const allRun = Promise.withResolvers<void>();
    const subagents = new FakeSubagents((options) => {
      if (options.task === "b") return succeed(options);
      if (subagents.spawned.length === 3) allRun.resolve();
      return new Promise((_resolve, reject) => {
        options.signal.addEventListener("abort", () => reject(options.signal.reason));
      });
    });
    const ended = run(gather(), subagents, { control });
    await allRun.promise;
    await control.skipNode("gather-explore-0");
    await control.cancelNode("gather-judge-2");
    expect((await ended).state.log).toEqual([
      "b, explore-0: The sub-agent was skipped.",
      "b, explore-1: explore: b",
      `b, judge-2: ${new NodeCancelledError("gather-judge-2").message}`,
      "last",
    ]);
  });

  test("never restarts an agent that has finished", async () => {
    const checkpointer = new MemorySaver();
    const stop = new AbortController();
    const subagents = new FakeSubagents(({ task, attempt, signal, ...options }) => {
      if (task !== "c" || attempt > 1) return succeed({ task, attempt, signal, ...options });
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    let doneCount = 0;
    const onEvent = ({ type }: RunEvent): void => {
      // The node itself and two agents.
      if (type === "node-end" && ++doneCount === 3) setImmediate(() => stop.abort(new Error("enough")));
    };
    const first = await run(gather(), subagents, { checkpointer, signal: stop.signal, onEvent });
    expect(first.status).toBe("cancelled");
    const compiled = graph(TestState).start(gather()).then(node("last")).end().compile({ checkpointer });
    const { state } = await compiled.resume("r", {}, { services: { agents, subagents } });
    expect(state.log).toEqual(["b, explore-0: explore: a", "b, explore-1: explore: b", "b, judge-2: judge: c", "last"]);
    expect(subagents.spawned.map(({ task, attempt }) => `${task} ${attempt}`)).toEqual(["a 1", "b 1", "c 1", "c 2"]);
  });

  test("sends its agents the reason why the next node rejected their results", async () => {
    const subagents = new FakeSubagents();
    const check = node(
      "check",
      ({ state }) => {
        if (!state.log.some((line) => line.includes("rejected"))) throw new SchemaValidationError("too little");
        return logs("checked");
      },
      { retry: { maxAttempts: 2 } },
    );
    const gathering = gather({ agents: [{ agentName: "judge", task: "c" }] });
    const compiled = graph(TestState).start(gathering).then(check).end().compile();
    expect((await compiled.run({}, { services: { agents, subagents } })).status).toBe("completed");
    expect(subagents.spawned.map(({ task }) => task)).toEqual([
      "c",
      "c\n\nYour previous answer was rejected: too little",
    ]);
  });

  test("merges nothing when it has no agents", async () => {
    const gathering = gather({ agents: [], merge: (results) => ({ total: results.size, log: ["none"] }) });
    expect((await run(gathering, new FakeSubagents())).state.log).toEqual(["none", "last"]);
  });

  test("fails as a whole, before any agent starts, when one is unknown or nothing runs them", async () => {
    const subagents = new FakeSubagents();
    const misspelt = gather({
      agents: [
        { agentName: "explore", task: "a" },
        { agentName: "jugde", task: "b" },
      ],
    });
    expect((await run(misspelt, subagents)).error?.message).toBe(
      'The node "gather" needs the agent "jugde", which does not exist. Did you mean "judge"? Known agents: explore, judge.',
    );
    expect(subagents.spawned).toEqual([]);
    const nobody = graph(TestState).start(gather()).end().compile().execute({}, { services: { agents } });
    expect(await rejectionOf(nobody)).toEqual(new MissingServiceError("subagents", "gather"));
  });

  test("survives a crash at every entry of its journal, snapshots or not", async () => {
    const subagents = new FakeSubagents(FAILS_B);
    const services = { agents, subagents };
    const build = () =>
      graph(TestState)
        .start(node("begin", () => ({ stateUpdate: { value: "b" } })))
        .then(gather({ retry: { maxAttempts: 1 } }))
        .then(node("last"));
    const calm = await survive(build, { lives: [], options: { services } });
    expect(calm.fields.log).toEqual([
      "b, explore-0: explore: a",
      "b, explore-1: b is lost",
      "b, judge-2: judge: c",
      "last",
    ]);
    for (const snapshots of [{}, { snapshotMinLength: 0 }]) {
      for (let failAfter = 1; failAfter <= calm.writeCount; failAfter++) {
        const survival = await survive(build, { lives: [failAfter], options: { services, ...snapshots } });
        expect({ failAfter, ...survival, writeCount: 0 }).toEqual({ failAfter, ...calm, writeCount: 0 });
      }
    }
  });
});

test("three explorers search at once, each in its own session, and an agent combines their answers", async () => {
  const State = defineState({ topic: annotation(""), findings: annotation<string[]>([]), answer: annotation("") });
  type State = StateOf<typeof State>;
  const workflow = graph(State)
    .start(
      parallelSubagentNode<State>({
        id: "research-phase",
        agents: ["files", "tests", "docs"].map((what) => ({
          agentName: "explore",
          task: ({ topic }: State) => `Find ${what} related to: ${topic}`,
        })),
        merge: (results) => ({ findings: [...results.values()].map(({ output }) => output) }),
      }),
    )
    .then(
      agentNode<State>({
        id: "synthesize",
        agentType: "claude",
        buildMessage: ({ findings }) => `Synthesize:\n${findings.join("\n")}`,
        outputMapper: ({ content }) => ({ answer: content }),
      }),
    )
    .end()
    .compile();
  const agent = createScriptedAgent({ script: ({ prompt }) => prompt.replace("Find", "Found") });
  const { status, state } = await workflow.run({ topic: "locks" }, { services: { clients: () => agent, agents } });
  expect({ status, findings: state.findings, answer: state.answer }).toEqual({
    status: "completed",
    findings: ["Found files related to: locks", "Found tests related to: locks", "Found docs related to: locks"],
    answer: "Synthesize:\nFound files related to: locks\nFound tests related to: locks\nFound docs related to: locks",
  });
  expect(agent.turns.map(({ config }) => config.systemPrompt)).toEqual([
    "You explore.",
    "You explore.",
    "You explore.",
    undefined,
  ]);
  expect(new Set(agent.turns.map(({ sessionId }) => sessionId)).size).toBe(4);
});
