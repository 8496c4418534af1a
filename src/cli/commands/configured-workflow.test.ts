import { afterAll, beforeAll, expect, test } from "bun:test";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

/** The configuration names its steps. */
const STEPS = `import { annotation, defineState, graph, Reducers, toolNode, waitNode } from "@bastani/atomic/graph";
const State = defineState({ notes: annotation([], Reducers.concat) });
export const defaultConfig = { step: "default" };
export default ({ step }) =>
  graph(State)
    .start(toolNode({ id: step, execute: () => "", outputMapper: () => ({ notes: [step] }) }))
    .then(waitNode({ id: step + "-gate", inputMapper: () => ({}) }))
    .end()
    .compile({ output: ({ notes }) => notes });
`;

const OUTER = `import { annotation, defineState, graph, Reducers, subgraphNode } from "@bastani/atomic/graph";
const State = defineState({ notes: annotation([], Reducers.concat), step: annotation("given") });
export default () =>
  graph(State)
    .start(subgraphNode({
      id: "inner",
      subgraph: "steps",
      config: ({ step }) => ({ step }),
      inputMapper: () => ({}),
      outputMapper: ({ notes }) => ({ notes }),
    }))
    .end()
    .compile({ output: ({ notes }) => notes });
`;

let environment: TestEnvironment;

beforeAll(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ steps: STEPS, outer: OUTER });
});
afterAll(() => environment.remove());

test("a plan is about the workflow as the call configures it", async () => {
  const { stdout } = await environment.atomic("run", "steps", "--config", "step=own", "--plan");
  expect(stdout.split("\n")[1]).toBe("  own: tool, not executed");
});

test("the state of a run is shown and edited with the workflow as it was configured", async () => {
  const runId = runIdIn((await environment.atomic("run", "steps", "--config", "step=own")).stdout);
  const stateOf = async (): Promise<unknown> => {
    const shown = await environment.atomic("runs", "show", runId, "--state");
    expect([shown.exitCode, shown.stderr]).toEqual([0, ""]);
    return JSON.parse(shown.stdout);
  };
  expect(await stateOf()).toMatchObject({ notes: ["own"] });
  const edited = await environment.atomic("runs", "edit", runId, "--set", 'notes=["by hand"]');
  expect([edited.exitCode, edited.stderr]).toEqual([0, ""]);
  expect(await stateOf()).toMatchObject({ notes: ["by hand"] });
});

test("a workflow that another one configures is planned, shown, edited and answered as it was begun", async () => {
  const plan = await environment.atomic("run", "outer", "--plan");
  expect(plan.stdout).toContain("given: tool, not executed");
  const runId = runIdIn((await environment.atomic("run", "outer")).stdout);
  const shown = await environment.atomic("runs", "show", runId, "--state");
  expect([shown.exitCode, shown.stderr]).toEqual([0, ""]);
  // Only the workflow as it was built then has the step that the run waits at.
  expect((await environment.atomic("runs", "edit", runId, "--set", "step=later")).exitCode).toBe(0);
  const answered = await environment.atomic("runs", "answer", runId, "yes");
  expect([answered.exitCode, answered.stderr]).toEqual([0, expect.not.stringContaining("error")]);
  const { stdout } = await environment.atomic("runs", "show", runId, "--output", "--json");
  expect(JSON.parse(stdout)).toEqual(["given"]);
});
