import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { recordsOf, rejectionOf } from "../fixtures/test-nodes.ts";
import type { GraphConfig } from "../model/graph-config.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers, type StateFields } from "../state/annotation.ts";

const FIELDS = {
  count: annotation(0, Reducers.sum),
  answer: annotation(""),
  tags: annotation<unknown>(["a"], Reducers.concat as never),
  text: annotation("a".repeat(1_001)),
};
/** A default that no journal can keep: it is made again whenever the run is restored. */
const RARE = { rare: annotation<unknown>(() => new WeakMap()) };

/** Adds to `count` and `tags`, asks, and ends; the same graph for any fields. */
function compile(fields: StateFields, config: GraphConfig = {}) {
  const first = { id: "first", type: "tool", execute: () => ({ stateUpdate: { count: 1, tags: ["b"] } }) };
  return (
    graph(defineState(fields))
      // The casts are true: only `fields` decides which fields there are.
      .start(first as unknown as NodeDefinition)
      .then(waitNode({ id: "gate", inputMapper: (answer) => ({ answer }) as object }))
      .end()
      .compile(config)
  );
}

/** A run that waits at its gate. */
async function waitingRun(
  input: object = {},
  {
    snapshotMinLength,
    fields = FIELDS,
  }: { readonly snapshotMinLength?: number | undefined; readonly fields?: StateFields } = {},
) {
  const checkpointer = new MemorySaver();
  const options = { checkpointer, ...(snapshotMinLength === undefined ? {} : { snapshotMinLength }) };
  await compile(fields).run(input, { ...options, runId: "r" });
  return options;
}

const { tags: _tags, ...WITHOUT_TAGS } = FIELDS;

describe.each([undefined, 0])("with snapshots from %p characters on", (snapshotMinLength) => {
  test.each([
    {
      title: "another long default",
      fields: { ...FIELDS, text: annotation("b".repeat(1_001)) },
      difference: 'the default of "text" is another one',
    },
    {
      title: "no reducer",
      fields: { ...FIELDS, tags: annotation<unknown>(["a"]) },
      difference: 'the reducer of "tags" was Reducers.concat and is none',
    },
    {
      title: "a reducer of its own",
      fields: { ...FIELDS, tags: annotation<unknown>(["a"], (_current, update) => update) },
      difference: 'the reducer of "tags" was Reducers.concat and is a function',
    },
    {
      title: "a reducer where it had none",
      fields: { ...FIELDS, answer: annotation("", (current, update) => current + update) },
      difference: 'the reducer of "answer" was none and is a function',
    },
    { title: "no such field", fields: WITHOUT_TAGS, difference: 'the field "tags" is gone' },
  ])("a run is rejected by a state with $title", async ({ fields, difference }) => {
    const options = await waitingRun({}, { snapshotMinLength });
    const error = await rejectionOf(compile(fields).resume("r", { gate: "yes" }, options));
    const message = `The run "r" was started with other declarations of its state:\n  - ${difference}\nRestore them, or raise stateVersion and convert the state of the run with migrateState.`;
    expect(error).toMatchObject({ code: "STATE_CHANGED", differences: [difference], message });
    // Nothing was written: with its own fields, it continues.
    const { status, state } = await compile(FIELDS).resume("r", { gate: "yes" }, options);
    expect([status, state]).toMatchObject(["completed", { count: 1, tags: ["a", "b"], answer: "yes" }]);
  });

  test("a run continues with a field more, and with the defaults that it started with", async () => {
    const options = await waitingRun({}, { snapshotMinLength });
    const tags = annotation<unknown>(["z"], Reducers.concat as never);
    const fields = { ...FIELDS, count: annotation(100, Reducers.sum), tags, more: annotation("new") };
    const { status, state } = await compile(fields).resume("r", { gate: "yes" }, options);
    expect([status, state]).toMatchObject(["completed", { count: 1, tags: ["a", "b"], more: "new" }]);
  });

  test("a run continues with a reducer that does what none did", async () => {
    const options = await waitingRun({}, { snapshotMinLength });
    const fields = { ...FIELDS, answer: annotation("", Reducers.replace) };
    const { status, state } = await compile(fields).resume("r", { gate: "yes" }, options);
    expect([status, state]).toMatchObject(["completed", { answer: "yes" }]);
  });

  test("a run continues with a long default that it did not use", async () => {
    const options = await waitingRun({ text: "x" }, { snapshotMinLength });
    const fields = { ...FIELDS, text: annotation("b".repeat(1_001)) };
    const { status, state } = await compile(fields).resume("r", { gate: "yes" }, options);
    expect([status, state]).toMatchObject(["completed", { text: "x" }]);
  });

  test("a run continues after a migration, and is compared with the fields it was migrated to", async () => {
    const options = await waitingRun({}, { snapshotMinLength });
    const fields = { ...FIELDS, tags: annotation<unknown>("none") };
    const migrateState = (_from: number, state: object) => ({ ...state, tags: "converted" });
    const config = { stateVersion: 1, migrateState };
    await compile(fields, config).resume("r", {}, options);
    const error = await rejectionOf(compile(FIELDS, config).resume("r", { gate: "yes" }, options));
    expect(error).toMatchObject({
      code: "STATE_CHANGED",
      differences: ['the reducer of "tags" was none and is Reducers.concat'],
    });
    const { status, state } = await compile(fields, config).resume("r", { gate: "yes" }, options);
    expect([status, state]).toMatchObject(["completed", { tags: "converted", answer: "yes" }]);
  });
});

test("the journal has the fields once, with their defaults, or a hash of a long one", async () => {
  const { checkpointer } = await waitingRun({ answer: "no" }, { fields: { ...FIELDS, ...RARE } });
  const records = await recordsOf(checkpointer, "r");
  expect(records.map((record) => ("fields" in record ? record.fields : undefined))).toEqual([
    {
      count: { reducer: "sum", initial: 0 },
      answer: {},
      tags: { reducer: "concat", initial: ["a"] },
      text: { default: expect.stringMatching(/^[0-9a-f]{8}$/) },
      rare: {},
    },
    ...records.slice(1).map(() => undefined),
  ]);
});

test("a run of an earlier version of Atomic, whose journal has no fields, is accepted", async () => {
  const { checkpointer } = await waitingRun();
  const older = new MemorySaver();
  const [first, ...others] = await checkpointer.read("r");
  const { fields: _fields, ...record } = JSON.parse(first?.body ?? "");
  const journal = await older.open("r", "create");
  for (const entry of [{ ...first, body: JSON.stringify(record) }, ...others]) await journal.append(entry as never);
  await journal.close();
  const fields = { ...FIELDS, count: annotation(100, Reducers.sum) };
  const { status } = await compile(fields).resume("r", { gate: "yes" }, { checkpointer: older });
  expect(status).toBe("completed");
});

function fails(): never {
  throw new Error("not today");
}

test.each([
  {
    title: "a reducer",
    fields: { ...FIELDS, ...RARE, tags: annotation<unknown>(["a"], fails) },
    what: 'the reducer of "tags" throws on what the run has stored',
  },
  {
    title: "a default",
    fields: { ...FIELDS, rare: annotation<unknown>(fails) },
    what: 'the default of "rare" throws',
  },
])("$title that throws while a run is restored is no damage", async ({ fields, what }) => {
  const options = await waitingRun({}, { fields: { ...FIELDS, ...RARE } });
  const error = await rejectionOf(compile(fields).resume("r", { gate: "yes" }, options));
  expect(error).toMatchObject({ code: "STATE_CHANGED", cause: new Error("not today") });
  expect(error.message).toBe(
    `The run "r" was started with other declarations of its state:\n  - ${what}: not today\nRestore it, or start a new run.`,
  );
});

test("a merge that throws on branches that had joined is no damage", async () => {
  const checkpointer = new MemorySaver();
  const branch = (id: string) => ({ id, type: "tool" as const, execute: () => undefined });
  const withMerge = (merge: () => object) =>
    graph(defineState({}))
      .parallel([branch("a"), branch("b")], { merge })
      .wait({ id: "gate" })
      .end()
      .compile({ checkpointer });
  await withMerge(() => ({})).run({}, { runId: "r" });
  const error = await rejectionOf(withMerge(fails).resume("r", { gate: "yes" }));
  expect(error).toMatchObject({ code: "STATE_CHANGED" });
  expect(error.message).toContain(
    'what joins the branches of "parallel_1" throws on what the run has stored: not today',
  );
});
