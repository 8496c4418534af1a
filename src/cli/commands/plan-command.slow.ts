import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { FLAKY, GATE, GREET, NAME_PROBLEMS, NAMED_FILES, NAMES } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ greet: GREET, gate: GATE, flaky: FLAKY });
});
afterEach(() => environment.remove());

test("a plan lists the steps, their agents and models, and starts no run", async () => {
  const args = ["run", "greet", "Ada", "--input", "count=2", "--agent", "opencode", "--model", "m1"];
  expect(await environment.atomic(...args, "--plan")).toEqual({
    exitCode: 0,
    stdout: "completed: 1 visit of nodes\n  greet: agent, by opencode, model m1\n",
    stderr: "",
  });
  expect((await environment.store.list()).sessions).toEqual([]);
});

test("a function is not executed, and a question is answered by itself", async () => {
  const flaky = await environment.atomic("run", "flaky", "--plan");
  expect(flaky.stdout).toBe(
    "completed: 2 visits of nodes\n  first: tool, not executed\n  second: tool, not executed\n",
  );
  const gate = await environment.atomic("run", "gate", "--plan");
  expect(gate.stdout).toContain("approve asks: Ship it?");
  expect(gate.exitCode).toBe(0);
});

test("as JSON a plan is one line", async () => {
  const { stdout } = await environment.atomic("run", "greet", "Ada", "--plan", "--json");
  expect(JSON.parse(stdout)).toEqual({
    type: "plan",
    workflow: "greet",
    status: "completed",
    steps: [
      {
        type: "node",
        path: "",
        taskId: "greet",
        nodeId: "greet",
        nodeType: "agent",
        attempts: 1,
        source: "executed",
        outcome: "completed",
        agentType: "opencode",
      },
    ],
    loops: [],
    waitedMs: 0,
  });
});

test("a plan names misspelled tools", async () => {
  await environment.writeWorkflows({
    raed: `import { agentNode, graph } from "@bastani/atomic/graph";
export default () => graph().start(agentNode({ id: "look", buildMessage: "Look", tools: ["raed"] })).end().compile();
`,
  });
  const warning = 'The tools of the node "look" include "raed", which Atomic does not know. Did you mean "read"?';
  const { stdout } = await environment.atomic("run", "raed", "--plan");
  expect(stdout).toBe(`completed: 1 visit of nodes\nwarning: ${warning}\n  look: agent, by opencode\n`);
  const json = await environment.atomic("run", "raed", "--plan", "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({ type: "plan", status: "completed", warnings: [warning] });
});

test("a plan names what no run would find or accept, whether or not it visits the node", async () => {
  await environment.writeWorkflows({ names: NAMES });
  await environment.writeProject(NAMED_FILES);
  const plan = ["run", "names", "--plan", "--deny", "shell:rm *"];
  expect(await environment.atomic(...plan)).toEqual({
    exitCode: 1,
    stdout: [
      "completed: 3 visits of nodes",
      ...NAME_PROBLEMS,
      "  bad-input: tool, not executed",
      "  late-input: tool, not executed",
      "  command-clean: agent, by opencode",
      "  if_1? no",
      "",
    ].join("\n"),
    stderr: "",
  });
  const json = JSON.parse((await environment.atomic(...plan, "--json")).stdout);
  expect(json.problems).toContainEqual({
    message: 'The node "missing" needs the tool "greeet", which does not exist',
    remedy: 'Did you mean "greet"?',
    severity: "error",
  });
});

test("a plan names workflows and settings that do not exist, whether or not it visits the node", async () => {
  await environment.writeWorkflows({
    outer: `import { graph, subgraphNode, toolNode } from "@bastani/atomic/graph";
export default () =>
  graph()
    .start(toolNode({ id: "first", execute: () => 1 }))
    .if(() => false)
    .then(subgraphNode({ id: "second", subgraph: "ralphh" }))
    .then(subgraphNode({ id: "third", subgraph: "ralph", config: { maxIteration: 1 } }))
    .endif()
    .end()
    .compile();
`,
  });
  const { exitCode, stdout } = await environment.atomic("run", "outer", "--plan");
  expect({ exitCode, problems: stdout.split("\n").filter((line) => line.startsWith("error: ")) }).toEqual({
    exitCode: 1,
    problems: [
      'error: The node "second" runs the workflow "ralphh", which does not exist or cannot be loaded. Did you mean "ralph"?',
      'error: The node "third" sets "maxIteration" of the workflow "ralph", which has no such setting. Did you mean "maxIterations"?',
    ],
  });
});

const REGISTERED = `import { agentNode, customToolNode, getSubagentRegistry, getToolRegistry, graph } from "@bastani/atomic/graph";
getToolRegistry().register({ name: "own", description: "Own", inputSchema: {}, handler: () => 1 });
getSubagentRegistry().register({ name: "mine", prompt: "You look." });
export default () =>
  graph().start(customToolNode({ id: "call", toolName: "own" })).then(agentNode({ agent: "mine" })).end().compile();
`;

test("a plan finds what the workflow's file registers", async () => {
  await environment.writeWorkflows({ registered: REGISTERED });
  expect(await environment.atomic("run", "registered", "--plan")).toMatchObject({
    exitCode: 0,
    stdout: "completed: 2 visits of nodes\n  call: tool, not executed\n  agent-mine: agent, by opencode\n",
  });
});

const SAMPLES =
  "Functions are not executed in a plan, and agents give a sample answer: what depends on them may come out differently.";

test("a loop that ends by a function's result is shown once, and the plan continues after it", async () => {
  const { exitCode, stdout } = await environment.atomic("run", "ralph", "Do it", "--plan");
  expect(stdout.split("\n")).toEqual([
    "completed: 8 visits of nodes",
    "  read-goal: tool, not executed",
    "  wants-pull-request? no",
    "  prepare: tool, not executed",
    "  needs-plan? yes",
    "  plan: agent, by opencode",
    "  write-tasks: tool, not executed",
    "  rounds: iteration 1",
    "  tasks: tool, not executed",
    "  tasks-workers: 1 item",
    "    0 › tasks-first: tool, not executed",
    "    0 › tasks-iterations: done after 0",
    "  tasks-end: tool, not executed",
    "  all-done? no",
    "  has-failures? no",
    "  conclude: tool, not executed",
    "  rounds: repeats at most 1000 times; a plan cannot tell how often",
    "  has-branch? no",
    SAMPLES,
    "",
  ]);
  expect(exitCode).toBe(0);
});

const LOOPS = `import { annotation, defineState, graph, toolNode } from "@bastani/atomic/graph";
const State = defineState({ files: annotation<string[]>([]), isDone: annotation(false) });
const step = (id: string) => toolNode({ id, execute: () => "" });
export default ({ times }: { times: number }) =>
  graph(State)
    .start(step("begin"))
    .loop(step("counted"), { id: "counts", until: (_, { iteration }) => iteration >= times })
    .loop(step("again"), { id: "endless", until: ({ isDone }) => isDone, maxIterations: 2, onMaxIterations: "fail" })
    .parallel([step("left"), step("right")])
    .map(({ files }) => files, step("each"), { id: "each-file" })
    .end()
    .compile();
export const defaultConfig = { times: 1 };
`;

test("--config builds the graph that is planned; forks and empty maps are explained", async () => {
  await environment.writeWorkflows({ loops: LOOPS });
  const planned = await environment.atomic("run", "loops", "--plan", "--config", "times=3");
  expect(planned).toEqual({
    exitCode: 0,
    stdout: `completed: 7 visits of nodes
  begin: tool, not executed
  counts: iteration 1
  counted: tool, not executed
  counts: iteration 2
  counted#2: tool, not executed
  counts: done after 3
  endless: iteration 1
  again: tool, not executed
  endless: repeats at most 2 times; a plan cannot tell how often
  parallel_1: in parallel
    left › left: tool, not executed
    right › right: tool, not executed
  each-file: 0 items
${SAMPLES}
A map over an empty list plans no branches. Give it items, for example: --input 'files=["…"]'
`,
    stderr: "",
  });
  const filled = await environment.atomic("run", "loops", "--plan", "--input", 'files=["a"]');
  expect(filled.stdout).toContain("  each-file: 1 item\n    0 › each: tool, not executed\n");
  expect(filled.stdout).not.toContain("--input");
});

test.each([
  { title: "an input that the workflow does not have", args: ["greet", "--input", "cuont=2"], says: "no input" },
  { title: "an unknown agent", args: ["greet", "--agent", "clade"], says: 'There is no agent "clade"' },
  { title: "an unknown workflow", args: ["greeet"], says: "greeet" },
])("a plan rejects $title as a run does", async ({ args, says }) => {
  const { exitCode, stdout, stderr } = await environment.atomic("run", ...args, "--plan");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(says);
});
