import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { annotation, defineState, graph, nodes, script } from "../../graph/index.ts";
import { runWorkflow } from "./run-workflow.ts";

const State = defineState({
  seconds: annotation(1),
  prompt: annotation(""),
  isFast: annotation(false),
  paths: annotation<readonly string[]>([]),
});
const { agentNode } = nodes(State);
const build = () =>
  graph(State)
    .start(agentNode({ id: "write", buildMessage: ({ seconds }) => `Write for ${seconds} seconds.` }))
    .end()
    .compile();
const inputs = z.object({ seconds: z.number().int(), depth: z.number().default(2) });

/** What no type checker has seen. */
const lie = (options: unknown) => options as never;

describe("runWorkflow rejects, as atomic run does,", () => {
  test.each<[string, object, unknown, string]>([
    [
      "settings that the file does not have",
      { default: build, defaultConfig: { rounds: 3, isQuick: true } },
      { config: { round: 5, isQuick: "no", color: 1 } },
      'The input of the test is not valid:\n  - The workflow has no setting "round". Did you mean "rounds"?\n' +
        '  - The setting "isQuick" must be yes or no (true or false), not "no".\n' +
        '  - The workflow has no setting "color". Its settings: rounds, isQuick.',
    ],
    [
      "settings of a wrong kind",
      { default: build, defaultConfig: { rounds: 3 } },
      { config: { rounds: "five" } },
      'The setting "rounds" must be a number, not "five".',
    ],
    [
      "settings of a workflow without any",
      { default: build },
      { config: { rounds: 5 } },
      "The workflow has no settings for config. Declare them in its file: export const defaultConfig = { … }.",
    ],
    [
      "inputs that the state does not have, and inputs of another kind",
      build,
      { input: { second: 1, isFast: 1, paths: "a.ts", prompt: 7, seconds: "abc" } },
      'The input of the test is not valid:\n  - The workflow has no input "second". Did you mean "seconds"?\n' +
        '  - The input "isFast" must be yes or no (true or false), not 1.\n  - The input "paths" must be a list, not "a.ts".\n' +
        '  - The input "prompt" must be a text, not 7.\n  - The input "seconds" must be a number, not "abc".',
    ],
    [
      "inputs that the file does not declare",
      { default: build, inputs },
      { input: { seconds: 1, dept: 7, prompt: "x" } },
      'The input of the test is not valid:\n  - The workflow has no input "dept". Did you mean "depth"?\n' +
        "  - The workflow takes no prompt. Its inputs: seconds, depth.",
    ],
    [
      "declared inputs of a wrong type",
      { default: build, inputs },
      { input: { seconds: "abc" } },
      'The input "seconds" is invalid: Invalid input: expected number, received string.',
    ],
    ["missing inputs", { default: build, inputs }, {}, 'The input "seconds" is missing.'],
  ])("%s", async (_, subject, options, message) => {
    await expect(runWorkflow(lie(subject), lie(options))).rejects.toThrow(
      expect.objectContaining({ code: "INPUT_INVALID", message }),
    );
  });
});

test("inputs and settings that fit are passed on: those of an open schema, of a function alone, and of a script", async () => {
  const open = z.looseObject({ seconds: z.number() });
  const flow = { default: build, inputs: open };
  const declared = await runWorkflow(flow, { input: { seconds: 3, prompt: "x" } });
  expect(declared.expectCompleted().prompts("write")).toEqual(["Write for 3 seconds."]);
  const alone = (config: { readonly rounds: number }) => script(async () => config.rounds);
  expect((await runWorkflow(alone, { config: { rounds: 5 } })).output).toBe(5);
  const echo = script<unknown>(async ({ args }) => args);
  expect((await runWorkflow(echo, { input: { anything: 7 } })).output).toEqual({ anything: 7 });
});

test("prompts() of a node that the workflow does not have throws, with the nearest name", async () => {
  const result = await runWorkflow(build);
  expect(result.prompts("write")).toEqual(["Write for 1 seconds."]);
  expect(() => result.prompts("wrote")).toThrow(new Error('The workflow has no node "wrote". Did you mean "write"?'));
  expect(() => result.prompts("xyz")).toThrow(new Error('The workflow has no node "xyz". Its nodes: write.'));
  const open = await runWorkflow(script(async ({ agent }) => await agent("Hi", { label: "greet" })));
  expect(open.prompts("greet")).toEqual(["Hi"]);
  expect(open.prompts("other")).toEqual([]);
});
