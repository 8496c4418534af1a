import { expect, test } from "bun:test";
import { MemorySaver } from "../savers/memory-saver.ts";
import { mergeSettings } from "./merge-settings.ts";

const [ofGraph, ofRun] = [new MemorySaver(), new MemorySaver()];

test.each([
  { title: "a graph's checkpointer is used", config: { checkpointer: ofGraph }, options: {}, expected: ofGraph },
  {
    title: "a run's goes before it",
    config: { checkpointer: ofGraph },
    options: { checkpointer: ofRun },
    expected: ofRun,
  },
  {
    title: "checkpointing false in compile() leaves the graph's out",
    config: { checkpointer: ofGraph, checkpointing: false },
    options: {},
    expected: undefined,
  },
  {
    title: "but not the run's",
    config: { checkpointing: false },
    options: { checkpointer: ofRun },
    expected: ofRun,
  },
  {
    title: "checkpointing false in run() leaves out all",
    config: { checkpointer: ofGraph, checkpointing: true },
    options: { checkpointer: ofRun, checkpointing: false },
    expected: undefined,
  },
  {
    title: "checkpointing true in run() wins over the graph",
    config: { checkpointer: ofGraph, checkpointing: false },
    options: { checkpointing: true },
    expected: ofGraph,
  },
])("$title", ({ config, options, expected }) => {
  expect(mergeSettings(config, options).checkpointer).toBe(expected);
});

test("checkpointing without a checkpointer is rejected", () => {
  expect(() => mergeSettings({ checkpointing: true }, {})).toThrow(
    "checkpointing is true, and there is no checkpointer; give one to compile() or run()",
  );
});

test("what is undefined counts as not given, and timeout as timeoutMs", () => {
  expect(mergeSettings({ name: "w", timeout: 5 }, { maxSteps: undefined } as object)).toEqual({
    name: "w",
    timeoutMs: 5,
  });
});

test.each([
  { config: { maxTokens: 5 }, options: undefined, expected: { maxTokens: 5 } },
  { config: { maxTokens: 5 }, options: {}, expected: { maxTokens: 5 } },
  { config: { maxTokens: 5, maxCostUsd: 1 }, options: { maxTokens: 9 }, expected: { maxTokens: 9, maxCostUsd: 1 } },
  { config: { maxTokens: 5 }, options: { maxTokens: undefined } as object, expected: { maxTokens: 5 } },
  { config: undefined, options: { maxCostUsd: 2 }, expected: { maxCostUsd: 2 } },
  { config: undefined, options: undefined, expected: undefined },
])("a run's budget replaces single limits of its graph's: $config, $options", ({ config, options, expected }) => {
  const [graph, run] = [config, options].map((budget) => (budget === undefined ? {} : { budget }));
  expect<unknown>(mergeSettings(graph ?? {}, run ?? {}).budget).toEqual(expected);
});
