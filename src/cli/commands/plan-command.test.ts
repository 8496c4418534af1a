import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { FLAKY, GATE, GREET } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ greet: GREET, gate: GATE, flaky: FLAKY });
});
afterEach(() => environment.remove());

test("a plan tells the steps, their agents and models, and starts no run", async () => {
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

test("a loop is shown by its first iterations and its end, and a failure is exit code 1", async () => {
  const { exitCode, stdout } = await environment.atomic("run", "ralph", "Do it", "--plan");
  expect(exitCode).toBe(1);
  expect(stdout.split("\n")).toEqual([
    "failed: 502 visits of nodes",
    'error GRAPH_LOOP_LIMIT: The loop "tasks" ran 500 times without reaching its end. Check its "until", or set maxIterations.',
    "  read-goal: tool, not executed",
    "  plan: agent, by opencode",
    "  rounds: iteration 1",
    "  tasks: iteration 1",
    "  pick-task: tool, not executed",
    "  if_1? no",
    "  tasks: iteration 2",
    "  pick-task#2: tool, not executed",
    "  if_1? no",
    "  tasks: at its limit after 500",
    "Functions are not executed in a plan: a loop whose end one of them decides goes on to its limit here.",
    "",
  ]);
});

test.each([
  { title: "an input that the workflow does not have", args: ["greet", "--input", "cuont=2"], says: "no input" },
  { title: "an unknown agent", args: ["greet", "--agent", "clade"], says: 'There is no agent "clade"' },
  { title: "an unknown workflow", args: ["greeet"], says: "greeet" },
])("a plan refuses $title as a run does", async ({ args, says }) => {
  const { exitCode, stdout, stderr } = await environment.atomic("run", ...args, "--plan");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(says);
});
