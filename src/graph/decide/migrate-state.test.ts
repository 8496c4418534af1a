import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import type { MigrateState } from "../model/graph-config.ts";
import type { NodeResult } from "../model/node-definition.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers, type StateSchema } from "../state/annotation.ts";

const Old = defineState({
  fullName: annotation(""),
  notes: annotation<string[]>([], Reducers.concat),
  legacy: annotation("old"),
});

const New = defineState({
  first: annotation(""),
  last: annotation(""),
  notes: annotation<string[]>([], Reducers.concat),
  level: annotation(1),
});

/** Splits the name into two fields; the rest stays. */
const splitName: MigrateState = (_from, state) => {
  const [first = "", last = ""] = String(state.fullName ?? "").split(" ");
  return { ...state, first, last };
};

/** A node that changes the state, whatever its schema. */
const setting = (id: string, stateUpdate: object) => ({
  id,
  type: "tool" as const,
  execute: () => ({ stateUpdate }) as NodeResult,
});

/** Writes the name, asks, and continues; the same graph for any schema. */
function compile(schema: StateSchema, stateVersion?: number, migrateState?: MigrateState) {
  return graph(schema)
    .start(
      setting("enter", { ...("fullName" in schema.fields ? { fullName: "Ada Lovelace" } : {}), notes: ["entered"] }),
    )
    .then(waitNode({ id: "gate", inputMapper: () => ({}) }))
    .then(setting("finish", { notes: ["finished"] }))
    .end()
    .compile({
      ...(stateVersion === undefined ? {} : { stateVersion }),
      ...(migrateState === undefined ? {} : { migrateState }),
    });
}

/** A run of the first version that waits at its gate. */
async function waitingRun(snapshotMinLength?: number) {
  const checkpointer = new MemorySaver();
  const options = { checkpointer, ...(snapshotMinLength === undefined ? {} : { snapshotMinLength }) };
  await compile(Old, 1).run({ legacy: "given" }, { ...options, runId: "r" });
  return { checkpointer, options };
}

function fieldsOf(state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { executionId, lastUpdated: _lastUpdated, ...fields } = state;
  return { executionId, ...fields };
}

describe.each([undefined, 0])(
  "a run of an older state version (snapshots from %p characters on)",
  (snapshotMinLength) => {
    test("continues with the state that migrateState returns", async () => {
      const { options } = await waitingRun(snapshotMinLength);
      const seen: unknown[] = [];
      const migrateState: MigrateState = (from, state) => {
        seen.push([from, fieldsOf(state)]);
        return splitName(from, state);
      };
      const result = await compile(New, 2, migrateState).resume("r", { gate: "yes" }, options);
      expect(seen).toEqual([
        [
          1,
          {
            executionId: "r",
            fullName: "Ada Lovelace",
            legacy: "given",
            notes: ["entered"],
            outputs: {},
            first: "",
            last: "",
            level: 1,
          },
        ],
      ]);
      expect([result.status, fieldsOf({ ...result.state })]).toEqual([
        "completed",
        { executionId: "r", outputs: {}, first: "Ada", last: "Lovelace", notes: ["entered", "finished"], level: 1 },
      ]);
    });

    test("is migrated once: later processes find the new version in the journal", async () => {
      const { options } = await waitingRun(snapshotMinLength);
      const resumed = await compile(New, 2, splitName).resume("r", {}, options);
      expect([resumed.status, resumed.requests.map(({ id }) => id)]).toEqual(["suspended", ["gate"]]);
      const never: MigrateState = () => {
        throw new Error("It was migrated already");
      };
      const result = await compile(New, 2, never).resume("r", { gate: "yes" }, options);
      expect([result.status, result.state.first, result.state.notes]).toEqual([
        "completed",
        "Ada",
        ["entered", "finished"],
      ]);
    });
  },
);

test("a new field has its default even in a run that is read from a snapshot", async () => {
  const { options } = await waitingRun(0);
  const Grown = defineState({ ...Old.fields, extra: annotation<string[]>(["first"]) });
  const result = await compile(Grown, 1).resume("r", { gate: "yes" }, options);
  expect([result.status, result.state.extra, result.state.legacy]).toEqual(["completed", ["first"], "given"]);
});

test("branches in progress are migrated too, and join without removed fields", async () => {
  const build = (schema: StateSchema, stateVersion: number, migrateState?: MigrateState) =>
    graph(schema)
      .start(setting("enter", { notes: ["entered"] }))
      .parallel([
        [
          setting("left", { ...("fullName" in schema.fields ? { fullName: "Ada Lovelace" } : {}), notes: ["left"] }),
          waitNode({
            id: "gate",
            inputMapper: (_answer, state) => ({ notes: [JSON.stringify(fieldsOf({ ...state }))] }),
          }),
        ],
        [setting("right", { legacy: "right" })],
      ])
      .end()
      .compile({ stateVersion, ...(migrateState === undefined ? {} : { migrateState }) });
  const options = { checkpointer: new MemorySaver() };
  const Both = defineState({ ...Old.fields, first: annotation("") });
  expect((await build(Both, 1).run({}, { ...options, runId: "r" })).status).toBe("suspended");
  const After = defineState({ first: annotation(""), notes: annotation<string[]>([], Reducers.concat) });
  const firstOnly: MigrateState = (from, state) => ({ ...state, first: splitName(from, state).first });
  const { status, state } = await build(After, 2, firstOnly).resume("r", { "parallel_1[left]/gate": "yes" }, options);
  expect([status, fieldsOf({ ...state })]).toEqual([
    "completed",
    {
      executionId: "r",
      outputs: {},
      first: "Ada",
      notes: [
        "entered",
        "left",
        JSON.stringify({ executionId: "r", outputs: {}, first: "Ada", notes: ["entered", "left"] }),
      ],
    },
  ]);
});

test("the past of a migrated run can be read, and a fork of it continues with the new state", async () => {
  const { options } = await waitingRun();
  const compiled = compile(New, 2, splitName);
  const [start, entered] = await compiled.history("r", options);
  expect(fieldsOf({ ...(await compiled.stateAt("r", entered?.sequence ?? 0, options)) })).toEqual({
    executionId: "r",
    outputs: {},
    first: "Ada",
    last: "Lovelace",
    notes: ["entered"],
    level: 1,
  });
  const forked = await compiled.fork("r", { at: start?.sequence ?? 0 }, { ...options, runId: "forked" });
  const ended = await compiled.resume("forked", { gate: "yes" }, options);
  expect([forked.status, ended.status, ended.state.notes]).toEqual(["suspended", "completed", ["entered", "finished"]]);
});

const failing = (migrateState: unknown): MigrateState => migrateState as MigrateState;

test.each([
  {
    title: "no migrateState",
    version: 2,
    migrateState: undefined,
    problem:
      "declares 2: a migration is missing. Export migrateState(fromVersion, state), which returns the state of today.",
  },
  {
    title: "a version that fell",
    version: 0,
    migrateState: splitName,
    problem: "declares 0: it was written by a newer workflow. Run it with that one.",
  },
  {
    title: "a migrateState that throws",
    version: 2,
    migrateState: failing(() => {
      throw new Error("no idea");
    }),
    problem: "declares 2: migrateState failed: no idea. Correct it and resume the run again.",
  },
  {
    title: "a migrateState that returns nothing",
    version: 2,
    migrateState: failing(() => undefined),
    problem: "declares 2: migrateState failed: It did not return a state. Correct it and resume the run again.",
  },
  {
    title: "a migrateState that returns a promise",
    version: 2,
    migrateState: failing(async () => ({})),
    problem:
      "declares 2: migrateState failed: It returned a promise; it must return the state itself. Correct it and resume the run again.",
  },
  {
    title: "a misspelt field",
    version: 2,
    migrateState: failing(() => ({ frist: "Ada" })),
    problem:
      'declares 2: migrateState failed: The state has no field "frist". Did you mean "first"? Its fields: outputs, first, last, notes, level. Declare it in defineState() or correct the update. Correct it and resume the run again.',
  },
  {
    title: "a value that cannot be kept",
    version: 2,
    migrateState: failing(() => ({ first: () => "Ada" })),
    problem:
      'declares 2: migrateState failed: The value at "first" is a function, which a journal cannot keep. Store plain data (JSON, Date, Map, Set, bigint, Uint8Array) instead. Correct it and resume the run again.',
  },
])("$title is rejected and loses nothing", async ({ version, migrateState, problem }) => {
  const { checkpointer, options } = await waitingRun();
  const before = await checkpointer.read("r");
  const compiled = compile(New, version, migrateState);
  const message = `The state of the run "r" has version 1, the workflow ${problem}`;
  await expect(compiled.resume("r", { "parallel_1[left]/gate": "yes" }, options)).rejects.toThrow(message);
  await expect(compiled.checkAnswers("r", { gate: "yes" }, options)).rejects.toThrow(message);
  expect(await checkpointer.read("r")).toEqual(before);
  expect((await compile(Old, 1).resume("r", { gate: "yes" }, options)).status).toBe("completed");
});

test("a workflow that declares no version takes every run as it is", async () => {
  const { options } = await waitingRun();
  expect((await compile(Old).resume("r", { gate: "yes" }, options)).status).toBe("completed");
});

test("a map continues over its original list, even if a migration changes the field", async () => {
  const body = [waitNode({ id: "gate", inputMapper: () => ({}) }), setting("each", { notes: ["one"] })];
  const build = (schema: StateSchema, field: string) =>
    // The cast is true: both schemas have a list there.
    graph(schema)
      .map((state) => (state as unknown as Record<string, string[]>)[field] ?? [], body, { id: "all" })
      .end();
  const notes = annotation<string[]>([], Reducers.concat);
  const checkpointer = new MemorySaver();
  const before = build(defineState({ notes, names: annotation<string[]>([]) }), "names");
  await before.compile({ checkpointer, stateVersion: 1 }).run({ names: ["Ada", "Grace"] } as object, { runId: "r" });
  const today = build(defineState({ notes, people: annotation<string[]>([]) }), "people").compile({
    checkpointer,
    stateVersion: 2,
    migrateState: (_from, { names, ...state }) => ({ ...state, people: (names as string[]).slice(1) }),
  });
  const first = await today.resume("r", { "all[0]/gate": "yes" });
  expect([first.status, first.requests.length]).toEqual(["suspended", 1]);
  const { status, state } = await today.resume("r", { "all[1]/gate": "yes" });
  expect([status, (state as unknown as { notes: string[] }).notes]).toEqual(["completed", ["one", "one"]]);
});
