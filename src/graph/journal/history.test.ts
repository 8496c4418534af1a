import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { UnknownCheckpointError } from "../errors/errors.ts";
import { UnknownStateFieldError } from "../errors/update-errors.ts";
import { fieldsOf, logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers, type StateOf } from "../state/annotation.ts";

const plan = node("plan", () => ({ ...logs("plan"), signals: [{ type: "checkpoint", label: "planned" }] }));
const compiled = graph(TestState)
  .start(plan)
  .parallel([node("left"), node("right")])
  .wait({ id: "gate", inputMapper: (answer) => ({ value: answer }) })
  .then(node("last", ({ state }) => logs(`last ${state.value}`)))
  .end()
  .compile();

async function finishedRun(): Promise<{ readonly checkpointer: MemorySaver; readonly now: () => number }> {
  const checkpointer = new MemorySaver();
  const now = (): number => 1_000;
  await compiled.run({}, { checkpointer, runId: "old", now });
  await compiled.resume("old", { gate: "yes" }, { checkpointer, now });
  return { checkpointer, now };
}

describe("the history of a run", () => {
  test("lists each finished node, each question and each answer, with labels", async () => {
    const { checkpointer } = await finishedRun();
    expect(await compiled.history("old", { checkpointer })).toEqual([
      { sequence: 1, at: 1_000, type: "start", nodeId: "", taskId: "" },
      { sequence: 2, at: 1_000, type: "node", nodeId: "plan", taskId: "plan", label: "planned" },
      { sequence: 3, at: 1_000, type: "node", nodeId: "left", taskId: "parallel_1[left]/left" },
      { sequence: 4, at: 1_000, type: "node", nodeId: "right", taskId: "parallel_1[right]/right" },
      { sequence: 5, at: 1_000, type: "request", nodeId: "gate", taskId: "gate", question: expect.any(String) },
      { sequence: 8, at: 1_000, type: "answer", nodeId: "gate", taskId: "gate", answer: "yes" },
      { sequence: 9, at: 1_000, type: "node", nodeId: "last", taskId: "last" },
    ]);
  });

  test("ends where the run stands, within branches too", async () => {
    const checkpointer = new MemorySaver();
    const asking = graph(TestState)
      .start(plan)
      .parallel([node("left"), node("right")])
      .wait({ id: "gate" })
      .end()
      .compile({ checkpointer });
    const { runId, state } = await asking.run();
    expect(await asking.latestState(runId)).toEqual(state);
    const answered = await asking.resume(runId, { gate: "yes" });
    expect(await asking.latestState(runId)).toEqual(answered.state);
    expect(state.outputs).not.toEqual(answered.state.outputs);
  });

  test("has the state of every moment", async () => {
    const { checkpointer } = await finishedRun();
    const logAt = async (sequence: number) => (await compiled.stateAt("old", sequence, { checkpointer })).log;
    expect(await Promise.all([1, 2, 3, 4, 9].map(logAt))).toEqual([
      [],
      ["plan"],
      ["plan", "left"],
      ["plan", "left", "right"],
      ["plan", "left", "right", "last yes"],
    ]);
  });

  test("says which moments there are when asked for another one", async () => {
    const { checkpointer } = await finishedRun();
    const error = await rejectionOf(compiled.stateAt("old", 6, { checkpointer }));
    expect(error).toBeInstanceOf(UnknownCheckpointError);
    expect(error.message).toBe(
      'The run "old" has no checkpoint 6. Its latest: 1, 2, 3, 4, 5, 8, 9. List them with history().',
    );
  });
});

describe("a fork", () => {
  test("lives on from a moment with a changed state, and leaves the original untouched", async () => {
    const { checkpointer } = await finishedRun();
    const before = await checkpointer.read("old");
    const forked = await compiled.fork("old", { at: 2, update: { log: ["changed"] } }, { checkpointer, runId: "new" });
    expect({ status: forked.status, log: forked.state.log, executionId: forked.state.executionId }).toEqual({
      status: "suspended",
      log: ["plan", "changed", "left", "right"],
      executionId: "new",
    });
    const ended = await compiled.resume("new", { gate: "no" }, { checkpointer });
    expect(fieldsOf(ended.state)).toMatchObject({ log: ["plan", "changed", "left", "right", "last no"], value: "no" });
    expect(await checkpointer.read("old")).toEqual(before);
    expect((await recordsOf(checkpointer, "new"))[0]).toMatchObject({
      type: "run",
      forkedFrom: { runId: "old", sequence: 2 },
    });
  });

  test("from inside a parallel step runs only the branches that had not ended", async () => {
    const { checkpointer } = await finishedRun();
    const events: string[] = [];
    const onEvent = (event: { readonly type: string; readonly nodeId?: string }): void => {
      if (event.type === "node-start") events.push(event.nodeId ?? "");
    };
    await compiled.fork("old", { at: 3 }, { checkpointer, runId: "new", onEvent });
    expect(events).toEqual(["right", "gate"]);
  });

  test("restarts tasks in progress with their first attempt", async () => {
    const checkpointer = new MemorySaver();
    const attempts: number[] = [];
    const work = node("work", ({ attempt }) => {
      attempts.push(attempt);
      return logs("work");
    });
    const simple = graph(TestState).start(node("first")).then(work).end().compile();
    await simple.run({}, { checkpointer, runId: "old" });
    await simple.fork("old", { at: 2 }, { checkpointer, runId: "new" });
    expect(attempts).toEqual([1, 1]);
  });

  test("can itself be forked, and continues after its process died", async () => {
    const { checkpointer } = await finishedRun();
    await compiled.fork("old", { at: 4 }, { checkpointer, runId: "child" });
    const sequences = (await compiled.history("child", { checkpointer })).map(({ sequence }) => sequence);
    expect(sequences).toEqual([1, 3]);
    const grandchild = await compiled.fork("child", { at: 1 }, { checkpointer, runId: "grandchild" });
    expect(grandchild.state.log).toEqual(["plan", "left", "right"]);
    expect((await compiled.resume("grandchild", { gate: "yes" }, { checkpointer })).state.log.at(-1)).toBe("last yes");
  });

  test("is rejected for a field that the state does not have", async () => {
    const { checkpointer } = await finishedRun();
    // The cast makes the mistake that the types prevent.
    const update = { colour: "red" } as object;
    const error = await rejectionOf(compiled.fork("old", { at: 2, update }, { checkpointer, runId: "new" }));
    expect(error.message).toContain('The state has no field "colour".');
    expect(await checkpointer.list()).toEqual(["old"]);
  });
});

describe("a fork whose update belongs to a state that branches have begun with", () => {
  const each = node("each", ({ item, state }) => logs(`${item} ${state.value}`));
  const parts = [waitNode<TestState>({ id: "gate", inputMapper: () => ({}) }), each];
  const List = defineState({ ...TestState.fields, list: annotation<string[]>([]) });

  test("continues over the map's original list", async () => {
    for (const options of [{}, { snapshotMinLength: 0 }]) {
      const compiled = graph(List)
        .start({ id: "make", type: "tool", execute: () => ({ stateUpdate: { list: ["a", "b"], value: "old" } }) })
        .map((state) => state.list, parts as readonly NodeDefinition<StateOf<typeof List>>[])
        .end()
        .compile({ checkpointer: new MemorySaver(), ...options });
      const { runId } = await compiled.run();
      const made = (await compiled.history(runId)).find(({ nodeId }) => nodeId === "make")?.sequence ?? 0;
      const update = { list: ["only"], value: "new" };
      const { requests, ...forked } = await compiled.fork(runId, { at: made, update });
      expect([forked.status, requests.length]).toEqual(["suspended", 2]);
      const answers = Object.fromEntries(requests.map(({ id }) => [id, "yes"]));
      const { state } = await compiled.resume(forked.runId, answers);
      expect([state.list, state.value, state.log]).toEqual([["only"], "new", ["a new", "b new"]]);
    }
  });

  test("is seen by the branches that begin at this moment", async () => {
    const say = (id: string) => node(id, ({ state }) => logs(`${id} ${state.value}`));
    const compiled = graph(TestState)
      .start(node("plan", () => ({ stateUpdate: { value: "old" } })))
      .parallel([say("left"), graph(TestState).parallel([say("up"), say("down")])])
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const { runId } = await compiled.run();
    const { state } = await compiled.fork(runId, { at: 2, update: { value: "new" } });
    expect(state.log).toEqual(["left new", "up new", "down new"]);
  });
});

describe("a moment inside of a branch or a subgraph", () => {
  const Inner = defineState({ note: annotation(""), found: annotation<string[]>([], Reducers.concat) });
  type Inner = StateOf<typeof Inner>;
  const inner = graph(Inner)
    .start({ id: "look", type: "tool", execute: () => ({ stateUpdate: { note: "looked", found: ["look"] } }) })
    .then({ id: "think", type: "tool", execute: ({ state }) => ({ stateUpdate: { found: [`think ${state.note}`] } }) })
    .end()
    .compile();
  const outer = graph(TestState)
    .start(node("first"))
    .parallel([graph(TestState).start(node("left")).then(node("left2")), node("right")], { names: ["l", "r"] })
    .then(
      subgraphNode<TestState, Inner>({
        id: "sub",
        subgraph: inner,
        inputMapper: () => ({}),
        outputMapper: (state) => ({ log: state.found }),
      }),
    )
    .end()
    .compile();

  async function finished() {
    const checkpointer = new MemorySaver();
    await outer.run({}, { checkpointer, runId: "old", maxConcurrency: 1 });
    const moments = await outer.history("old", { checkpointer });
    const momentOf = (nodeId: string): number => moments.find((moment) => moment.nodeId === nodeId)?.sequence ?? 0;
    return { checkpointer, momentOf };
  }
  const WHOLE = ["first", "left", "left2", "right", "look", "think looked"];

  test("has the state of the branch or subgraph", async () => {
    const { checkpointer, momentOf } = await finished();
    const at = async (nodeId: string) => await outer.stateAt("old", momentOf(nodeId), { checkpointer });
    expect((await at("left")).log).toEqual(["first", "left"]);
    expect((await at("right")).log).toEqual(["first", "right"]);
    expect((await at("left2")).log).toEqual(["first", "left", "left2", "right"]);
    const { note, found } = await outer.stateAt<Inner>("old", momentOf("look"), { checkpointer });
    expect({ note, found }).toEqual({ note: "looked", found: ["look"] });
    expect((await at("think")).log).toEqual(WHOLE);
  });

  test("takes a fork's update for that branch, also when the branch is over", async () => {
    for (const nodeId of ["left", "right"]) {
      const { checkpointer, momentOf } = await finished();
      const from = { at: momentOf(nodeId), update: { log: ["changed"], value: nodeId } };
      const { state } = await outer.fork("old", from, { checkpointer });
      const expected = [...WHOLE];
      expected.splice(expected.indexOf(nodeId) + 1, 0, "changed");
      expect({ log: state.log, value: state.value }).toEqual({ log: expected, value: nodeId });
    }
  });

  test("takes a fork's update for that subgraph, whose fields are checked", async () => {
    const { checkpointer, momentOf } = await finished();
    const look = momentOf("look");
    const { state } = await outer.fork<Inner>("old", { at: look, update: { note: "changed" } }, { checkpointer });
    expect(state.log).toEqual([...WHOLE.slice(0, -1), "think changed"]);
    const refusal = await rejectionOf(outer.fork("old", { at: look, update: { log: ["x"] } }, { checkpointer }));
    expect(refusal).toEqual(new UnknownStateFieldError("log", ["outputs", "note", "found"]));
  });
});
