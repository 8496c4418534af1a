import { expect, test } from "bun:test";
import { UnknownStateFieldError, UnserializableValueError } from "../errors/update-errors.ts";
import { annotation, defineState, Reducers } from "./annotation.ts";
import { applyStateUpdate, initializeState } from "./state-schema.ts";

const State = defineState({
  topic: annotation("nothing"),
  notes: annotation<string[]>(() => ["first"], Reducers.concat),
});

test("initializeState: a state begins with the first values, and the input over them", () => {
  const state = initializeState(State, { topic: "locks" });
  const { executionId, lastUpdated, ...fields } = state;
  expect(fields).toEqual({ topic: "locks", notes: ["first"], outputs: {} });
  expect([typeof executionId, lastUpdated instanceof Date]).toEqual(["string", true]);
});

test("applyStateUpdate: an update is applied by the reducers, and leaves the state as it was", () => {
  const before = initializeState(State);
  const notes = ["second"];
  const after = applyStateUpdate(State, before, { notes, topic: "locks", outputs: { a: 1 } });
  notes.push("later");
  expect(before).toMatchObject({ topic: "nothing", notes: ["first"], outputs: {} });
  expect(after).toMatchObject({ topic: "locks", notes: ["first", "second"], outputs: { a: 1 } });
  expect(after.executionId).toBe(before.executionId);
});

test("a field that the schema does not have is rejected", () => {
  // The casts make the mistake that the types prevent.
  expect(() => initializeState(State, { colour: "red" } as object)).toThrow(UnknownStateFieldError);
  expect(() => applyStateUpdate(State, initializeState(State), { colour: "red" } as object)).toThrow(
    'The state has no field "colour".',
  );
});

test("a symbol as a key, which a journal would lose, is rejected in an update and in an input", () => {
  const outputs = { seen: { [Symbol("s")]: 1, b: 2 } };
  const problem = (path: string) => new UnserializableValueError(path, "an object with a symbol as a key").message;
  expect(() => initializeState(State, { outputs })).toThrow(problem("input.outputs.seen"));
  expect(() => applyStateUpdate(State, initializeState(State), { outputs })).toThrow(problem("update.outputs.seen"));
});
