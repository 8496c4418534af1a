import { describe, expect, test } from "bun:test";
import {
  annotation,
  defineState,
  graph,
  MemorySaver,
  type NodeDefinition,
  Reducers,
  type StateOf,
  type StateUpdate,
  waitNode,
} from "../index.ts";

// The casts of this file stand in for files that are not type-checked. A rejection that nobody handles would fail a test.
const State = defineState({
  list: annotation<string[]>([], Reducers.concat),
  fields: annotation<object>({}, Reducers.merge),
  items: annotation<{ id: number }[]>([], Reducers.mergeById("id")),
  total: annotation(0, Reducers.sum),
  highest: annotation(0, Reducers.max),
  lowest: annotation(0, Reducers.min),
  any: annotation(false, Reducers.or),
  all: annotation(true, Reducers.and),
  fussy: annotation<unknown, { readonly id: { readonly name: string } }>([], (_, update) => update.id.name),
  later: annotation<unknown>([], async () => {
    throw new Error("never seen");
  }),
  forgetful: annotation<unknown>([], (current, update) => void [current, update]),
  mutating: annotation<unknown[]>([], (current, update) => {
    current.push(update);
    return current;
  }),
  clearing: annotation<unknown>("x", (_, update) => update ?? undefined),
});
type State = StateOf<typeof State>;

function returning(id: string, update: object): NodeDefinition<State> {
  return { id, type: "tool", execute: () => ({ stateUpdate: update as StateUpdate<State> }) };
}

async function endWith(update: object) {
  const { status, errorInfo, state } = await graph(State).start(returning("n", update)).end().compile().run({});
  return { status, code: errorInfo?.code, message: errorInfo?.message, nodeId: errorInfo?.nodeId, state };
}

const OWN_TYPE = "Give a value of the field's own type.";
const AT_ONCE = "A reducer returns the new value, at once.";
const text = (field: string, problem: string, remedy = OWN_TYPE, from = "n"): string =>
  `The update of "${field}" from "${from}" does not fit this field, and nothing was changed: ${problem}. ${remedy}`;

describe("a node fails instead of damaging the state, with an update", () => {
  test.each<{ readonly update: object; readonly problem: string; readonly remedy?: string }>([
    { update: { list: "abc" }, problem: 'Reducers.concat takes a list, and was given "abc"' },
    { update: { list: null }, problem: "Reducers.concat takes a list, and was given null" },
    { update: { list: undefined }, problem: "Reducers.concat takes a list, and was given undefined" },
    { update: { list: new Set(["a"]) }, problem: "Reducers.concat takes a list, and was given a Set" },
    { update: { fields: "ab" }, problem: 'Reducers.merge takes an object of fields, and was given "ab"' },
    { update: { fields: [1] }, problem: "Reducers.merge takes an object of fields, and was given [1]" },
    { update: { fields: null }, problem: "Reducers.merge takes an object of fields, and was given null" },
    { update: { outputs: "x" }, problem: 'Reducers.merge takes an object of fields, and was given "x"' },
    { update: { items: { id: 1 } }, problem: 'Reducers.mergeById takes a list of objects, and was given {"id":1}' },
    { update: { items: [null] }, problem: "Reducers.mergeById takes a list of objects, and was given [null]" },
    { update: { total: "5" }, problem: 'Reducers.sum takes a number, and was given "5"' },
    { update: { highest: null }, problem: "Reducers.max takes a number, and was given null" },
    { update: { lowest: [1] }, problem: "Reducers.min takes a number, and was given [1]" },
    { update: { any: "false" }, problem: 'Reducers.or takes true or false, and was given "false"' },
    { update: { all: 0 }, problem: "Reducers.and takes true or false, and was given 0" },
    { update: { later: 1 }, problem: "its reducer was given 1, and returned a promise", remedy: AT_ONCE },
    { update: { forgetful: 1 }, problem: "its reducer was given 1, and returned undefined", remedy: AT_ONCE },
  ])("$update", async ({ update, problem, remedy }) => {
    const [field = ""] = Object.keys(update);
    const { state, ...end } = await endWith(update);
    expect(end).toEqual({
      status: "failed",
      code: "STATE_UNFIT_UPDATE",
      message: text(field, problem, remedy),
      nodeId: "n",
    });
    const { executionId: _id, lastUpdated: _at, ...fields } = state;
    expect((await endWith({})).state).toMatchObject(fields);
  });

  test("that a reducer of one's own cannot take", async () => {
    const { code, message } = await endWith({ fussy: 1 });
    expect([code, message]).toEqual([
      "STATE_UNFIT_UPDATE",
      text("fussy", "its reducer was given 1, and threw: undefined is not an object (evaluating 'update.id.name')"),
    ]);
  });

  test("that a reducer adds in place, which is an error of its own", async () => {
    expect((await endWith({ mutating: 1 })).code).toBe("STATE_MUTATION");
  });
});

test.each([{ clearing: undefined }, { clearing: null }])("a reducer may clear a field: %p", async (update) => {
  const { status, state } = await endWith(update);
  expect([status, state.clearing]).toEqual(["completed", undefined]);
});

test("a value of another type that the run began with is named, too", async () => {
  const compiled = graph(State)
    .start(returning("n", { total: 5 }))
    .end()
    .compile();
  const { errorInfo } = await compiled.run({ total: "1" } as never);
  expect(errorInfo?.message).toBe(text("total", 'Reducers.sum adds to a number, and the field\'s value is "1"'));
});

test("a reducer that fails only where branches join names the step that joins them", async () => {
  const Picky = defineState({
    log: annotation<string[]>([], (current, update: string[]) => {
      if (current.includes("a")) throw new Error("too late");
      return [...current, ...update];
    }),
  });
  const log = (id: string): NodeDefinition<StateOf<typeof Picky>> => ({
    id,
    type: "tool",
    execute: () => ({ stateUpdate: { log: [id] } }),
  });
  const compiled = graph(Picky)
    .parallel([log("a"), log("b")])
    .end()
    .compile();
  const { errorInfo } = await compiled.run({});
  expect([errorInfo?.code, errorInfo?.message]).toEqual([
    "STATE_UNFIT_UPDATE",
    text("log", 'its reducer was given ["b"], and threw: too late', OWN_TYPE, "parallel_1"),
  ]);
});

test("an edit cannot put a value of another type below the updates of a branch", async () => {
  const compiled = graph(State)
    .parallel([
      graph(State)
        .start(returning("a", { list: ["a"] }))
        .then(waitNode<State>({ id: "gate" })),
      returning("b", {}),
    ])
    .end()
    .compile({ checkpointer: new MemorySaver() });
  await compiled.run({}, { runId: "r" });
  await expect(compiled.edit("r", { set: { list: "abc" as never } })).rejects.toThrow(
    'The update of "list" does not fit this field, and nothing was changed: Reducers.concat adds to a list, and the field\'s value is "abc". Give a value of the field\'s own type.',
  );
});
