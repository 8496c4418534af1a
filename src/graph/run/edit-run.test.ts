import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { JournalWriteError, RunLockedError, UnknownRunError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import type { UnfitUpdateError } from "../errors/unfit-update-error.ts";
import { UnknownStateFieldError } from "../errors/update-errors.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { controlled, failing, logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { InvalidOptionsError } from "../options/check-call.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers, type StateOf } from "../state/annotation.ts";
import { RunControl } from "../steering/run-control.ts";
import { RunNotEditableError } from "./edit-run.ts";
import type { RunEdit } from "./run-options.ts";

const gate = (id: string) => waitNode<TestState>({ id, inputMapper: () => ({}) });
const silent = (id: string) => node(id, () => ({}));
const say = (id: string) => node(id, ({ state }) => logs(`${id} ${state.value} ${state.total}`));

/** A run that waits at its gate, with snapshots or without. */
async function waiting(snapshotMinLength?: number) {
  const checkpointer = new MemorySaver();
  const compiled = graph(TestState)
    .start(node("first", () => ({ stateUpdate: { log: ["first"], total: 1, value: "old" } })))
    .then(gate("gate"))
    .then([say("next"), say("last")])
    .end()
    .compile({ checkpointer, ...(snapshotMinLength === undefined ? {} : { snapshotMinLength }) });
  await compiled.run({}, { runId: "r", now: () => 5 });
  return { checkpointer, compiled };
}

describe("an edit", () => {
  test.each(["set", "update"])(
    "by %s wins over a branch, also with the value that was there before it",
    async (how) => {
      const branch = graph(TestState)
        .start(node("branch", () => ({ stateUpdate: { value: "by the branch" } })))
        .then(gate("gate"));
      const compiled = graph(TestState)
        .start(node("first"))
        .parallel([branch, node("beside")])
        .end()
        .compile({ checkpointer: new MemorySaver() });
      await compiled.run({ value: "old" }, { runId: "r" });
      await compiled.edit("r", { [how]: { value: "old" } });
      expect((await compiled.resume("r", { gate: "yes" })).state.value).toBe("old");
    },
  );

  test("with an update that a reducer rejects is an error that names the field, and changes nothing", async () => {
    const { checkpointer, compiled } = await waiting();
    const before = await checkpointer.read("r");
    const error = await rejectionOf(compiled.edit("r", { update: { log: 5 as never } }));
    expect([(error as UnfitUpdateError).code, (error as UnfitUpdateError).field]).toEqual([
      "STATE_UNFIT_UPDATE",
      "log",
    ]);
    expect(await checkpointer.read("r")).toEqual(before);
  });

  test("goes through the reducers as an update, replaces values as set, and the run continues with it", async () => {
    for (const snapshotMinLength of [undefined, 0]) {
      const { compiled, checkpointer } = await waiting(snapshotMinLength);
      const edit = { update: { log: ["by hand"], total: 10 }, set: { total: 100, value: "new" } };
      const state = await compiled.edit("r", edit, { now: () => 7 });
      expect([state.log, state.total, state.value, state.executionId]).toEqual([["first", "by hand"], 110, "new", "r"]);
      expect((await recordsOf(checkpointer, "r")).at(-1)).toEqual({ type: "edit", at: 7, ...edit });
      const { status, requests } = await readRunSummary(checkpointer, "r");
      expect([status, requests.length]).toEqual(["suspended", 1]);
      const ended = await compiled.resume("r", { gate: "yes" });
      expect([ended.status, ended.state.log]).toEqual([
        "completed",
        ["first", "by hand", "next new 110", "last new 110"],
      ]);
    }
  });

  test("survives dead processes, and a second edit applies on top", async () => {
    const { compiled, checkpointer } = await waiting();
    await compiled.edit("r", { set: { value: "once" } });
    await compiled.edit("r", { set: { value: "twice" } });
    for (const failAfter of [1, 2]) {
      const dying = new FaultySaver(checkpointer, { failAfter });
      const answers = failAfter === 1 ? {} : { gate: "yes" };
      expect(await rejectionOf(compiled.resume("r", answers, { checkpointer: dying }))).toBeInstanceOf(
        JournalWriteError,
      );
    }
    await compiled.edit("r", { update: { total: 1 } });
    expect((await compiled.resume("r")).state.log).toEqual(["first", "next twice 2", "last twice 2"]);
  });

  test("is a checkpoint in the run's history, from which it can be forked", async () => {
    const { compiled } = await waiting();
    await compiled.edit("r", { set: { value: "new" } }, { now: () => 7 });
    const moments = await compiled.history("r");
    const edited = { sequence: 5, at: 7, type: "edit", nodeId: "", taskId: "", changes: { value: "new" } } as const;
    expect(moments.at(-1)).toEqual(edited);
    const values = await Promise.all(moments.map(({ sequence }) => compiled.stateAt("r", sequence)));
    expect(values.map(({ value }) => value)).toEqual(["", "old", "old", "new"]);
    const forked = await compiled.fork("r", { at: edited.sequence });
    expect([forked.status, forked.state.value]).toEqual(["suspended", "new"]);
  });

  test("survives compaction, and so does the end of the run", async () => {
    const { compiled, checkpointer } = await waiting();
    await compiled.edit("r", { set: { value: "new" } });
    await compiled.compact("r");
    expect((await readRunSummary(checkpointer, "r")).status).toBe("suspended");
    expect((await compiled.resume("r", { gate: "yes" })).state.log).toEqual(["first", "next new 1", "last new 1"]);
  });

  test("repairs the state of a failed run", async () => {
    const checkpointer = new MemorySaver();
    const picky = node("picky", ({ state }) => {
      if (state.value === "") throw new Error("no value");
      return logs(state.value);
    });
    const compiled = graph(TestState).start(picky).end().compile({ checkpointer });
    expect((await compiled.run({}, { runId: "r" })).status).toBe("failed");
    await compiled.edit("r", { set: { value: "repaired" } });
    expect((await readRunSummary(checkpointer, "r")).status).toBe("failed");
    expect((await compiled.resume("r")).state.log).toEqual(["repaired"]);
  });

  test("applies to branches in progress, and wins over their changes of a field", async () => {
    for (const snapshotMinLength of [undefined, 0]) {
      const changed = node("changed", () => ({ stateUpdate: { value: "of the branch", log: ["changed"], total: 1 } }));
      const compiled = graph(TestState)
        .start(node("first"))
        .parallel([graph(TestState).start(changed).then(gate("gate")).then(say("left")), gate("other"), endedBranch()])
        .then(say("last"))
        .end()
        .compile({
          checkpointer: new MemorySaver(),
          ...(snapshotMinLength === undefined ? {} : { snapshotMinLength }),
        });
      const { requests } = await compiled.run({}, { runId: "r" });
      await compiled.edit("r", { set: { value: "edited", total: 10 }, update: { log: ["by hand"] } });
      const answers = Object.fromEntries(requests.map(({ id }) => [id, "yes"]));
      const { state } = await compiled.resume("r", answers);
      expect([state.value, state.total, state.log]).toEqual([
        "edited",
        11,
        ["first", "by hand", "changed", "left edited 11", "last edited 11"],
      ]);
    }
  });

  test("keeps what open branches, also inner ones, have added to a field with a reducer", async () => {
    for (const snapshotMinLength of [undefined, 0]) {
      const add = (id: string) => node(id, () => logs(id));
      const look = node("look", ({ state }) => ({ stateUpdate: { value: state.log.join(" ") } }));
      const inner = graph(TestState).start(add("inner")).then(gate("gate")).then(look);
      const outer = graph(TestState)
        .start(add("outer"))
        .parallel([inner, node("idle", () => ({}))]);
      const compiled = graph(TestState)
        .start(add("first"))
        .parallel([outer, add("beside")])
        .end()
        .compile({
          checkpointer: new MemorySaver(),
          ...(snapshotMinLength === undefined ? {} : { snapshotMinLength }),
        });
      await compiled.run({}, { runId: "r" });
      await compiled.edit("r", { set: { log: ["by hand"] } });
      const error = await rejectionOf(compiled.edit("r", { set: { log: 5 as never } }));
      expect((error as UnfitUpdateError).field).toBe("log");
      const { state } = await compiled.resume("r", { gate: "yes" });
      expect([state.value, state.log]).toEqual(["by hand outer inner", ["by hand", "outer", "inner", "beside"]]);
    }
  });

  test.each<{ readonly title: string; readonly edit: RunEdit<TestState>; readonly log: string }>([
    { title: "set", edit: { set: { log: ["set"] } }, log: "set inner" },
    { title: "update", edit: { update: { log: ["update"] } }, log: "first update inner" },
    { title: "set and update", edit: { set: { log: ["set"] }, update: { log: ["update"] } }, log: "set update inner" },
  ])("with $title shows an open branch the values in the order of its join", async ({ edit, log }) => {
    for (const snapshotMinLength of [undefined, 0]) {
      const look = node("look", ({ state }) => ({ stateUpdate: { value: state.log.join(" ") } }));
      const branch = graph(TestState)
        .start(node("inner", () => logs("inner")))
        .then(gate("gate"))
        .then(look);
      const compiled = graph(TestState)
        .start(node("first", () => logs("first")))
        .parallel([
          graph(TestState)
            .start(silent("outer"))
            .parallel([branch, silent("idle")]),
          silent("beside"),
        ])
        .end()
        .compile({ checkpointer: new MemorySaver(), ...given({ snapshotMinLength }) });
      await compiled.run({}, { runId: "r" });
      await compiled.edit("r", edit);
      const { state } = await compiled.resume("r", { gate: "yes" });
      expect([state.value, state.log.join(" ")]).toEqual([log, log]);
    }
  });

  test("leaves a subgraph its own state, and a map its list", async () => {
    const List = defineState({ ...TestState.fields, list: annotation<string[]>([]) });
    type List = StateOf<typeof List>;
    const Inner = defineState({ value: annotation("inner"), log: annotation<string[]>([], Reducers.concat) });
    type Inner = StateOf<typeof Inner>;
    const inner = graph(Inner)
      .start(waitNode<Inner>({ id: "gate", inputMapper: () => ({}) }))
      .then({ id: "note", type: "tool", execute: ({ state }) => ({ stateUpdate: { log: [state.value] } }) })
      .end()
      .compile();
    const sub = subgraphNode<List, Inner>({
      id: "sub",
      subgraph: inner,
      inputMapper: () => ({}),
      outputMapper: ({ log }, state, { item }) => ({ log: [`${item} ${log} ${state.value}`] }),
    });
    const compiled = graph(List)
      .map((state) => state.list, sub)
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const { requests } = await compiled.run({ list: ["a", "b"] }, { runId: "r" });
    await compiled.edit("r", { set: { list: [], value: "edited" } });
    const answers = Object.fromEntries(requests.map(({ id }) => [id, "yes"]));
    const { state } = await compiled.resume("r", answers);
    expect([state.list, state.log]).toEqual([[], ["a inner edited", "b inner edited"]]);
  });

  test("migrates the state first", async () => {
    const checkpointer = new MemorySaver();
    const build = (schema: ReturnType<typeof defineState>, stateVersion: number) =>
      graph(schema)
        .start(waitNode({ id: "gate", inputMapper: () => ({}) }))
        .end()
        .compile({ checkpointer, stateVersion, migrateState: (_from, { name }) => ({ title: `Dr ${name}` }) });
    await build(defineState({ name: annotation("") }), 1).run({ name: "Ada" } as object, { runId: "r" });
    const today = build(defineState({ title: annotation(""), age: annotation(0) }), 2);
    await today.edit("r", { set: { age: 36 } as object });
    expect((await today.resume("r", { gate: "yes" })).state).toMatchObject({ title: "Dr Ada", age: 36 });
  });
});

/** A branch that has ended before the edit. */
function endedBranch() {
  return node("ended", () => ({ stateUpdate: { value: "of the branch" } }));
}

describe("an edit is rejected", () => {
  const refusal = async (edit: object) => {
    const { compiled, checkpointer } = await waiting();
    const before = await recordsOf(checkpointer, "r");
    const error = await rejectionOf(compiled.edit("r", edit));
    expect(await recordsOf(checkpointer, "r")).toEqual(before);
    expect(await checkpointer.isHeld("r")).toBe(false);
    return error;
  };

  test("for fields that do not exist, with the nearest one", async () => {
    for (const option of ["update", "set"]) {
      const error = await refusal({ [option]: { valeu: 1 } });
      expect(error).toEqual(new UnknownStateFieldError("valeu", ["outputs", "log", "total", "value", "isDone"]));
      expect(error.message).toStartWith('The state has no field "valeu". Did you mean "value"? Its fields: ');
    }
  });

  test("for fields that only Atomic writes, for no change, and for unknown options", async () => {
    const problem = async (edit: object): Promise<readonly string[]> => {
      const error = await refusal(edit);
      return error instanceof InvalidOptionsError ? error.problems : [error.message];
    };
    expect(await problem({ set: { executionId: "x" } })).toEqual([
      "edit() has set.executionId, which only Atomic writes",
    ]);
    const notAnObject = (option: string) => [
      `edit() has ${option}.outputs, which must be an object with a field for each node`,
    ];
    expect(await problem({ set: { outputs: 1 } })).toEqual(notAnObject("set"));
    expect(await problem({ update: { outputs: ["first"] } })).toEqual(notAnObject("update"));
    const nothing = ["edit() has nothing to change; give it update or set, with at least one field"];
    expect(await problem({})).toEqual(nothing);
    expect(await problem({ set: {}, update: {} })).toEqual(nothing);
    expect(await problem({ sets: {} })).toEqual(['edit() has an unknown option "sets"; did you mean "set"?']);
  });

  test("for values that a journal cannot keep", async () => {
    expect((await refusal({ set: { value: () => 1 } })).message).toContain("set.value");
  });

  test("while the run is in progress, until it is paused", async () => {
    const slow = controlled("slow");
    const compiled = graph(TestState)
      .start(slow.node)
      .then(say("last"))
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const control = new RunControl();
    const running = compiled.run({}, { runId: "r", control });
    await slow.started;
    const error = await rejectionOf(compiled.edit("r", { set: { value: "new" } }));
    expect([error.constructor, error.cause]).toEqual([RunNotEditableError, expect.any(RunLockedError)]);
    expect(error.message).toBe(
      'The run "r" is in progress. Pause it first, with control.pause() or: atomic runs pause r',
    );
    await control.pause();
    slow.finish();
    expect((await running).status).toBe("suspended");
    await compiled.edit("r", { set: { value: "new" } });
    expect((await compiled.resume("r")).state.log).toEqual(["slow", "last new 0"]);
  });

  test("when the run is completed, or does not exist", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState).start(node("only")).end().compile({ checkpointer });
    await compiled.run({}, { runId: "r" });
    const error = await rejectionOf(compiled.edit("r", { set: { value: "new" } }));
    expect(error).toEqual(new RunNotEditableError("r", "completed"));
    expect(error.message).toBe(
      'The run "r" is completed and stays as it is. Start a new run from a moment of it with fork().',
    );
    expect(await rejectionOf(compiled.edit("x", { set: { value: "new" } }))).toEqual(new UnknownRunError("x"));
    const unsaved = graph(TestState).start(failing("only")).end().compile();
    const withoutSaver = new UnknownRunError("r", { hasSaver: false });
    expect(await rejectionOf(unsaved.edit("r", { set: { value: "new" } }))).toEqual(withoutSaver);
    expect(await rejectionOf(unsaved.resume("r"))).toEqual(withoutSaver);
    // The cast is a lie on purpose: files that are run directly are not type-checked.
    expect((await rejectionOf(unsaved.resume(undefined as unknown as string))).message).toContain(
      "resume() was given undefined instead of the id of a run, such as result.runId",
    );
  });
});
