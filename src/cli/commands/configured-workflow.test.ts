import { afterAll, beforeAll, expect, test } from "bun:test";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

/** Its steps have the names that the configuration gives them. */
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

let environment: TestEnvironment;

beforeAll(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ steps: STEPS });
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
