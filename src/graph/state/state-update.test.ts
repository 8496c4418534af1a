import { describe, expect, test } from "bun:test";
import { UnknownStateFieldError } from "../errors/update-errors.ts";
import { annotation, defineState, Reducers } from "./annotation.ts";
import { createStateRules } from "./state-rules.ts";
import { applyChange, createInitialState, pruneChange, takeInput } from "./state-update.ts";

const SCHEMA = defineState({
  topic: annotation("none"),
  tags: annotation<string[]>(() => [], Reducers.concat),
  notes: annotation<Record<string, number>>({}, Reducers.merge),
});
const RULES = createStateRules(SCHEMA);
const OPEN_RULES = createStateRules(undefined);

describe("the first state", () => {
  test("is the defaults with the input put over them, without reducers", () => {
    expect(createInitialState(RULES, { tags: ["a"] }, "run-1", 5)).toEqual({
      topic: "none",
      tags: ["a"],
      notes: {},
      outputs: {},
      executionId: "run-1",
      lastUpdated: new Date(5),
    });
  });

  test("has a default of its own for each run when a function makes it", () => {
    const [left, right] = [1, 2].map((now) => createInitialState(RULES, {}, "run", now));
    expect(left?.tags).toEqual([]);
    expect(left?.tags).not.toBe(right?.tags);
  });

  test("takes any field when there is no schema, but not the engine's own", () => {
    const input = { anything: 1, executionId: "mine", lastUpdated: new Date(0) };
    expect(createInitialState(OPEN_RULES, input, "run-1", 5)).toEqual({
      anything: 1,
      outputs: {},
      executionId: "run-1",
      lastUpdated: new Date(5),
    });
  });

  test("rejects a field that the schema does not have", () => {
    expect(() => takeInput(RULES, { tpoic: "x" })).toThrow(
      new UnknownStateFieldError("tpoic", ["outputs", "topic", "tags", "notes"]),
    );
    expect(new UnknownStateFieldError("tpoic", ["topic", "tags"]).message).toBe(
      'The state has no field "tpoic". Did you mean "topic"? Its fields: topic, tags. Declare it in defineState() or correct the update.',
    );
  });
});

describe("applying a change", () => {
  const state = createInitialState(RULES, { tags: ["a"], outputs: { first: 1 } }, "run-1", 5);

  test("goes through the reducers, replaces the rest and stamps the time", () => {
    const before = structuredClone(state);
    expect(applyChange(RULES, state, { topic: "x", tags: ["b"], outputs: { second: 2 } }, { now: 9 })).toEqual({
      topic: "x",
      tags: ["a", "b"],
      notes: {},
      outputs: { first: 1, second: 2 },
      executionId: "run-1",
      lastUpdated: new Date(9),
    });
    expect(state).toEqual(before);
  });

  test("leaves the engine's own fields alone", () => {
    const change = { executionId: "mine", lastUpdated: new Date(0) };
    expect(applyChange(RULES, state, change, { now: 9 })).toEqual({ ...state, lastUpdated: new Date(9) });
  });

  test("merges outputs also without a schema", () => {
    const open = createInitialState(OPEN_RULES, { outputs: { a: 1 }, tags: ["a"] }, "run-1", 5);
    expect(applyChange(OPEN_RULES, open, { outputs: { b: 2 }, tags: ["b"] }, { now: 9 })).toEqual({
      outputs: { a: 1, b: 2 },
      tags: ["b"],
      executionId: "run-1",
      lastUpdated: new Date(9),
    });
  });
});

describe("pruning a change", () => {
  const state = createInitialState(RULES, { topic: "x", tags: ["a"], notes: { n: 1 } }, "run-1", 5);

  test.each([
    { title: "a value that is the field's already", change: { topic: "x" }, kept: undefined },
    { title: "another value", change: { topic: "y" }, kept: { topic: "y" } },
    { title: "the engine's own fields", change: { executionId: "a", lastUpdated: new Date() }, kept: undefined },
    { title: "an update of a reduced field", change: { tags: ["a"] }, kept: { tags: ["a"] } },
    {
      title: "the very value of an appended field, which would be appended",
      change: { tags: state.tags },
      kept: { tags: ["a"] },
    },
    {
      title: "the very value of a merged field",
      change: { notes: state.notes, outputs: state.outputs },
      kept: undefined,
    },
    { title: "an equal but new value of a merged field", change: { notes: { n: 1 } }, kept: { notes: { n: 1 } } },
    { title: "nothing", change: {}, kept: undefined },
  ])("looks at $title", ({ change, kept }) => expect(pruneChange(RULES, state, change)).toEqual(kept));

  test("keeps an undefined value of a field that is not there yet", () => {
    const open = createInitialState(OPEN_RULES, {}, "run-1", 5);
    expect(pruneChange(OPEN_RULES, open, { later: undefined })).toEqual({ later: undefined });
    expect(Object.keys(pruneChange(OPEN_RULES, open, { later: undefined }) ?? {})).toEqual(["later"]);
  });

  test("keeps the changed fields of a whole state that a node returns", () => {
    expect(pruneChange(RULES, state, { ...state, tags: ["b"], topic: "y" })).toEqual({ topic: "y", tags: ["b"] });
  });

  test("rejects a field that the schema does not have", () => {
    expect(() => pruneChange(RULES, state, { topic: "x", tgas: [] })).toThrow(
      'The state has no field "tgas". Did you mean "tags"? Its fields: outputs, topic, tags, notes. Declare it in defineState() or correct the update.',
    );
  });
});
