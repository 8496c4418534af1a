import { describe, expect, test } from "bun:test";
import { AgentTurnError } from "../../../contracts/index.ts";
import { readSettings, requestFor, resolveAcpEffort, resolveAcpModel, toModelDisplayInfos } from "./acp-settings.ts";

const select = (id: string, category: string, values: readonly string[]) => ({
  id,
  category,
  type: "select",
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});

const settings = readSettings({
  configOptions: [
    select("m", "model", ["acme/one", "two"]),
    select("e", "thought_level", ["low", "medium", "xhigh", "default"]),
    select("x", "mode", ["ask", "auto"]),
    { id: "b", category: "model", type: "boolean", currentValue: true },
  ],
});

describe("the settings of a session", () => {
  test("are read from config options, groups included, and from the older modes and models", () => {
    expect(settings.model).toEqual({
      configId: "m",
      current: "acme/one",
      choices: [
        { value: "acme/one", name: "ACME/ONE" },
        { value: "two", name: "TWO" },
      ],
    });
    const group = { group: "g", name: "G", options: [{ value: "three", name: "Three" }] };
    const grouped = readSettings({
      configOptions: [{ ...select("m", "model", []), currentValue: "three", options: [group] }],
    });
    expect(grouped.model?.choices).toEqual([{ value: "three", name: "Three" }]);
    expect(
      readSettings({
        modes: { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] },
        models: { currentModelId: "m", availableModels: [{ modelId: "m", name: "M" }] },
      }),
    ).toEqual({
      mode: { current: "a", choices: [{ value: "a", name: "A" }] },
      model: { current: "m", choices: [{ value: "m", name: "M" }] },
    });
  });

  test("stay the same where a later answer does not mention them", () => {
    expect(readSettings({ configOptions: [select("x", "mode", ["auto"])] }, settings).model).toEqual(settings.model);
    expect(readSettings(undefined, settings)).toEqual(settings);
  });
});

describe("a selection", () => {
  test("is a request in the form that the agent supports, and none when the value is selected already", () => {
    const older = { current: "a", choices: [] };
    const { mode = older } = settings;
    expect([requestFor("mode", mode, "auto"), requestFor("mode", mode, "ask")]).toEqual([
      { method: "session/set_config_option", params: { configId: "x", value: "auto" } },
      undefined,
    ]);
    expect([requestFor("mode", older, "b"), requestFor("model", older, "b")]).toEqual([
      { method: "session/set_mode", params: { modeId: "b" } },
      { method: "session/set_model", params: { modelId: "b" } },
    ]);
  });

  test.each([
    ["acme/one", "acme/one"],
    ["one", "acme/one"],
    ["Two", "two"],
  ])("of the model %s is %s", (name, value) => {
    expect(resolveAcpModel(settings.model, name, "odd")).toBe(value);
  });

  test("of an unknown model is an error that lists the offered ones", () => {
    expect(() => resolveAcpModel(settings.model, "six", "odd")).toThrow(
      new AgentTurnError("odd", 'the model "six" cannot be chosen: it offers: acme/one, two.', { isRetryable: false }),
    );
    expect(() => resolveAcpModel(undefined, "six", "odd")).toThrow("it lets nobody choose a model");
  });

  test.each([
    ["none", "low"],
    ["medium", "medium"],
    ["high", "xhigh"],
    ["max", "xhigh"],
  ] as const)("of the effort %s is the nearest, %s", (effort, value) => {
    expect(resolveAcpEffort(settings.effort, effort)).toBe(value);
  });

  test("of an effort needs an agent that offers efforts", () => {
    expect(resolveAcpEffort({ current: "a", choices: [{ value: "default", name: "" }] }, "high")).toBeUndefined();
  });
});

test("models are listed for display, with the efforts of the selected one", () => {
  expect(toModelDisplayInfos(settings)).toEqual([
    { model: "acme/one", displayName: "ACME/ONE", reasoningEfforts: ["low", "medium"] },
    { model: "two", displayName: "TWO" },
  ]);
});
