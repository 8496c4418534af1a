import { expect, test } from "bun:test";
import { createScriptedAgent } from "../../testkit/index.ts";
import { graph } from "../builder.ts";
import { MemoryTaskStore } from "../fixtures/memory-task-store.ts";
import {
  getSubagentRegistry,
  getToolRegistry,
  setSubagentRegistry,
  setToolRegistry,
} from "../model/default-services.ts";
import { NamedRegistry } from "../model/named-registry.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { parallelSubagentNode } from "../nodes/subagents/parallel-subagent-node.ts";
import { criteriaLoopFields, criteriaLoopNode } from "../nodes/tasks/criteria-loop-node.ts";
import { taskLoopNode } from "../nodes/tasks/task-loop-node.ts";
import { taskLoopFields } from "../nodes/tasks/task-loop-state.ts";
import { customToolNode } from "../nodes/tools/custom-tool-node.ts";
import { defineState, type StateOf } from "../state/annotation.ts";
import type { PlanReport } from "./plan-report.ts";
import { stepsOfType } from "./plan-report.ts";

function visitsOf(report: PlanReport): readonly string[] {
  return stepsOfType(report, "node").map(({ taskId, outcome }) => `${taskId} ${outcome}`);
}

const Tasks = defineState({ ...taskLoopFields });
const work = agentNode<StateOf<typeof Tasks>>({
  id: "work",
  buildMessage: ({ currentTask }) => `${currentTask?.name}`,
});
const taskLoop = graph(Tasks)
  .start(taskLoopNode({ taskNodes: work }))
  .end()
  .compile();

test("a dry run processes tasks in memory", async () => {
  const agent = createScriptedAgent({ script: () => ({ text: "done" }) });
  const tasks = new MemoryTaskStore({
    "research/tasks.json": [
      { id: "a", name: "First", status: "pending" },
      { id: "b", name: "Second", status: "pending", dependencies: ["a"] },
    ],
  });
  const report = await taskLoop.plan({}, { clients: () => agent, services: { tasks } });
  expect([report.status, report.state.allTasksComplete, tasks.lists.get("research/tasks.json")]).toEqual([
    "completed",
    true,
    [expect.objectContaining({ id: "a", status: "passing" }), expect.objectContaining({ id: "b", status: "passing" })],
  ]);
  expect(visitsOf(report).filter((visit) => visit.startsWith("work"))).toEqual(["work completed", "work#2 completed"]);
});

test("without tasks a task loop has nothing to do, and touches no file", async () => {
  const report = await taskLoop.plan({});
  expect([report.status, visitsOf(report)]).toEqual(["completed", ["task-loop completed"]]);
});

test("a dry run repeats until the agent says that it is done", async () => {
  let turns = 0;
  const agent = createScriptedAgent({ script: () => ({ text: ++turns < 3 ? "more to do" : "COMPLETE" }) });
  const State = defineState({ ...criteriaLoopFields });
  const repeating = criteriaLoopNode<StateOf<typeof State>>({
    taskNodes: agentNode<StateOf<typeof State>>({ id: "go-on", buildMessage: "Go on" }),
  });
  const report = await graph(State)
    .start(repeating)
    .end()
    .compile()
    .plan({}, { clients: () => agent });
  expect([report.status, report.state.criteriaComplete, report.state.iteration]).toEqual(["completed", true, 3]);
});

test("sub-agents receive their tasks in a dry run", async () => {
  const agent = createScriptedAgent({ script: () => ({ text: "found" }) });
  const agents = new NamedRegistry([{ name: "explore", prompt: "You explore." }]);
  const research = parallelSubagentNode({
    id: "research",
    agents: [
      { agentName: "explore", task: "Find code" },
      { agentName: "explore", task: "Find tests" },
    ],
    merge: (results) => ({ outputs: { found: [...results.values()].map(({ output }) => output) } }),
  });
  const report = await graph()
    .start(research)
    .end()
    .compile()
    .plan({}, { clients: () => agent, services: { agents } });
  expect([report.status, report.state.outputs.found]).toEqual(["completed", ["found", "found"]]);
});

test("a dry run looks up tools and agents in the defaults, and calls no tool", async () => {
  const clients = () => createScriptedAgent();
  const lint = customToolNode({ id: "lint", toolName: "lint" });
  const ask = agentNode({ id: "ask", agent: "explore", prompt: "Look around" });
  const plan = () => graph().start(lint).then(ask).end().compile().plan({}, { clients });
  const missing = (service: string) => ({ status: "failed", errorInfo: { code: "SERVICE_MISSING", nodeId: service } });
  // Another test of this process may have made the registries.
  setToolRegistry(undefined);
  setSubagentRegistry(undefined);
  try {
    expect(await plan()).toMatchObject(missing("lint"));
    const handler = () => {
      throw new Error("called");
    };
    getToolRegistry().register({ name: "lint", description: "Lints", inputSchema: {}, handler });
    expect(await plan()).toMatchObject(missing("ask"));
    getSubagentRegistry().register({ name: "explore", prompt: "You explore." });
    expect(await plan()).toMatchObject({ status: "completed" });
  } finally {
    setToolRegistry(undefined);
    setSubagentRegistry(undefined);
  }
});
