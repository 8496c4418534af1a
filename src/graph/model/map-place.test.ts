import { expect, test } from "bun:test";
import { createScriptedAgent } from "../../testkit/index.ts";
import { graph } from "../builder.ts";
import { FakeSubagents } from "../fixtures/fake-subagents.ts";
import { LoopState, loopNode, storeOf, TASKS_PATH, task } from "../fixtures/task-loop-bench.ts";
import { logs, node, TestState } from "../fixtures/test-nodes.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { skillNode } from "../nodes/agents/skill-node.ts";
import { contextMonitorNode } from "../nodes/context/context-monitor-node.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { parallelNode } from "../nodes/flow/parallel-node.ts";
import { sleepNode } from "../nodes/flow/sleep-node.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { askUserNode } from "../nodes/people/ask-user-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { parallelSubagentNode } from "../nodes/subagents/parallel-subagent-node.ts";
import { subagentNode } from "../nodes/subagents/subagent-node.ts";
import { criteriaLoopFields, criteriaLoopNode } from "../nodes/tasks/criteria-loop-node.ts";
import { taskLoopNode } from "../nodes/tasks/task-loop-node.ts";
import { customToolNode } from "../nodes/tools/custom-tool-node.ts";
import { shellNode } from "../nodes/tools/shell-node.ts";
import { toolNode } from "../nodes/tools/tool-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, type StateOf } from "../state/annotation.ts";
import type { MapPlace } from "./map-place.ts";
import type { AgentDefinition, PromptDefinition } from "./named-definitions.ts";
import { NamedRegistry } from "./named-registry.ts";

const State = defineState({ ...criteriaLoopFields, value: annotation("") });
type State = StateOf<typeof State>;

/** Notes where functions of an author's are called, by their names. */
function witness() {
  const seen = new Map<string, string>();
  /** A function that returns a value; the last of what it is given that has an item is its place. */
  const see =
    <Value>(name: string, value: Value) =>
    (...given: readonly unknown[]): Value => {
      const [place] = given.filter(
        (each): each is MapPlace => typeof each === "object" && each !== null && "item" in each,
      );
      const outer = place?.outer === undefined ? "" : ` in ${place.outer.item} ${place.outer.index}`;
      seen.set(name, place === undefined ? "nothing" : `${place.item} ${place.index}${outer}`);
      return value;
    };
  return { seen, see };
}

const NOTHING: Partial<State> = {};

test("every function of the state knows the items of the maps around it", async () => {
  const { seen, see } = witness();
  const inner = graph(State).start(
    toolNode<State>({ id: "within", args: see("within a subgraph", {}), execute: () => 1 }),
  );
  const settings = { systemPrompt: see("systemPrompt", "s"), outputMapper: see("agent's outputMapper", NOTHING) };
  const body = graph(State)
    .start(
      toolNode<State>({
        id: "tool",
        args: see("args", {}),
        execute: () => 1,
        outputMapper: see("outputMapper", NOTHING),
      }),
    )
    .then(customToolNode<State>({ id: "custom", toolName: "lint", args: see("custom args", {}) }))
    .then(
      shellNode<State>({
        id: "shell",
        command: see("command", "true"),
        workingDirectory: see("workingDirectory", "/"),
        outputMapper: see("shell's outputMapper", NOTHING),
      }),
    )
    .then(
      subgraphNode<State, State>({
        id: "sub",
        subgraph: inner.end().compile(),
        inputMapper: see("inputMapper", NOTHING),
        outputMapper: see("subgraph's outputMapper", NOTHING),
      }),
    )
    .then(
      agentNode<State>({ id: "agent", title: see("title", "t"), buildMessage: see("buildMessage", "m"), ...settings }),
    )
    .then(skillNode<State>({ id: "skill", skill: "repair", args: see("skill's args", "a") }))
    .then(
      subagentNode<State>({
        id: "delegate",
        agentName: "scout",
        task: see("task", "look"),
        systemPrompt: see("sub-agent's systemPrompt", "s"),
        outputMapper: see("sub-agent's outputMapper", NOTHING),
      }),
    )
    .then(parallelSubagentNode<State>({ id: "team", agents: [], merge: see("merge of no sub-agents", NOTHING) }))
    .then(contextMonitorNode<State>({ session: see("session", "s"), outputMapper: see("reading", NOTHING) }))
    .then(sleepNode<State>({ id: "nap", durationMs: see("durationMs", 0) }))
    .then(
      criteriaLoopNode<State>({
        taskNodes: { id: "work", type: "tool", execute: () => undefined },
        output: see("output", "COMPLETE"),
      }),
    )
    .then(waitNode<State>({ id: "wait", prompt: see("prompt", "Go on?"), inputMapper: see("answer", NOTHING) }))
    .then(
      askUserNode<State>({
        id: "ask",
        options: see("options", { question: "Who?" }),
        outputMapper: see("reply", NOTHING),
      }),
    )
    .then(
      parallelNode<State>({
        id: "both",
        branches: ["left", "right"].map((id) => ({ id, type: "tool", execute: () => undefined })),
        merge: see("merge of nodes", NOTHING),
      }),
    )
    .parallel([{ id: "up", type: "tool", execute: () => undefined }], { merge: see("merge of branches", NOTHING) })
    .if(see("if", false))
    .endif()
    .loop({ id: "body", type: "tool", execute: () => undefined }, { until: see("until", true) })
    .then(decisionNode<State>({ id: "route", routes: [{ condition: see("condition", true), target: "last" }] }))
    .then({ id: "last", type: "tool", execute: () => undefined });
  const outer = graph(State).map(see("items of the inner map", ["x"]), body);
  const compiled = graph(State)
    .start({ id: "first", type: "tool", execute: () => undefined })
    .map(see("items of the outer map", ["a"]), outer)
    .end()
    .compile({ checkpointer: new MemorySaver() });
  const agent = createScriptedAgent({ script: () => "done" });
  const services = {
    clients: () => agent,
    agents: new NamedRegistry<AgentDefinition>([{ name: "scout", prompt: "You look." }]),
    skills: new NamedRegistry<PromptDefinition>([{ name: "repair", prompt: "Repair $1" }]),
    tools: new NamedRegistry([{ name: "lint", description: "Lints", inputSchema: {}, handler: () => "fine" }]),
    subagents: new FakeSubagents(),
    shell: async (command: string) => ({
      command,
      exitCode: 0,
      stdout: "",
      stderr: "",
      isTruncated: false,
      durationMs: 0,
    }),
  };
  let result = await compiled.run({}, { services, onEvent: () => undefined });
  for (const answer of ["yes", "me"]) {
    const [request] = result.requests;
    result = await compiled.resume(result.runId, { [request?.id ?? ""]: answer }, { services });
  }
  expect([result.status, result.error]).toEqual(["completed", undefined]);
  const places = Object.groupBy(seen.keys(), (name) => seen.get(name) ?? "");
  expect(Object.fromEntries(Object.entries(places).map(([place, names = []]) => [place, names.length]))).toEqual({
    "undefined -1": 1,
    "a 0": 1,
    "x 0 in a 0": seen.size - 2,
  });
  expect(places["undefined -1"]).toEqual(["items of the outer map"]);
  expect(places["a 0"]).toEqual(["items of the inner map"]);
  expect(seen.size).toBe(33);
});

test("a task loop's functions know the item too", async () => {
  const { seen, see } = witness();
  const loop = taskLoopNode<LoopState>({
    taskNodes: loopNode("work"),
    tasksPath: see("tasksPath", TASKS_PATH),
    until: see("until", true),
  });
  const compiled = graph(LoopState)
    .map(() => ["x"], loop)
    .end()
    .compile();
  await compiled.execute({}, { services: { tasks: storeOf(task("a")) } });
  expect(Object.fromEntries(seen)).toEqual({ tasksPath: "x 0", until: "x 0" });
});

test("a node's context has the outer item", async () => {
  const inner = graph(TestState).map(
    () => [1, 2],
    node("say", ({ item, index, outer }) => logs(`${item} ${index} ${outer?.item} ${outer?.index} ${outer?.outer}`)),
  );
  const compiled = graph(TestState)
    .start(node("first", ({ outer, item }) => logs(`${item} ${outer}`)))
    .map(() => ["a", "b"], inner)
    .end()
    .compile();
  expect((await compiled.execute()).log).toEqual([
    "undefined undefined",
    "1 0 a 0 undefined",
    "2 1 a 0 undefined",
    "1 0 b 1 undefined",
    "2 1 b 1 undefined",
  ]);
});
