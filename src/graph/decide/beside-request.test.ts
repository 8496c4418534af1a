import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { UnknownNodeError } from "../errors/errors.ts";
import { fieldsOf, node, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition, NodeResult } from "../model/node-definition.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

const EMPTY = { log: [], total: 0, value: "", isDone: false, outputs: {} };

describe("what a node returns beside its question", () => {
  const asking = (result: Partial<NodeResult<TestState>>): NodeDefinition<TestState> => ({
    ...waitNode<TestState>({ id: "gate", inputMapper: (answer) => ({ log: [`gate: ${answer}`] }) }),
    execute: () => ({ request: { question: "gate?" }, ...result }),
  });
  const SETTINGS = [{}, { snapshotMinLength: 0 }] as const;

  test("is in the state while the question is open, and when it is answered", async () => {
    for (const options of SETTINGS) {
      const checkpointer = new MemorySaver();
      const compiled = graph(TestState)
        .start({
          ...asking({ stateUpdate: { value: "draft", log: ["drafted"] } }),
          applyAnswer: (answer, state) => ({ log: [`${answer} to ${state.value}`] }),
        })
        .end()
        .compile({ checkpointer, ...options });
      const { status, state } = await compiled.run({}, { runId: "r" });
      expect({ status, ...fieldsOf(state) }).toEqual({
        ...EMPTY,
        status: "suspended",
        value: "draft",
        log: ["drafted"],
      });
      const ended = await compiled.resume("r", { gate: "yes" });
      expect(fieldsOf(ended.state)).toEqual({ ...EMPTY, value: "draft", log: ["drafted", "yes to draft"] });
    }
  });

  test("is joined with the other branches", async () => {
    const compiled = graph(TestState)
      .parallel([asking({ stateUpdate: { value: "draft", log: ["drafted"] } }), node("other")])
      .end()
      .compile({ checkpointer: new MemorySaver() });
    await compiled.run({}, { runId: "r" });
    const { state } = await compiled.resume("r", { "parallel_1[gate]/gate": "yes" });
    expect(fieldsOf(state)).toEqual({ ...EMPTY, value: "draft", log: ["drafted", "gate: yes", "other"] });
  });

  test("says where the run goes once there is an answer", async () => {
    for (const options of SETTINGS) {
      for (const goto of ["c", ["b", "c"]] as const) {
        const compiled = graph(TestState)
          .start(asking({ goto }))
          .then(node("a"))
          .then(node("b"))
          .then(node("c"))
          .end()
          .compile({ checkpointer: new MemorySaver(), ...options });
        await compiled.run({}, { runId: "r" });
        const { state } = await compiled.resume("r", { gate: "yes" });
        expect(state.log).toEqual(["gate: yes", ...[goto].flat()]);
      }
    }
  });

  test("can include a label for the moment", async () => {
    const compiled = graph(TestState)
      .start(asking({ signals: [{ type: "checkpoint", label: "asked" }] }))
      .end()
      .compile({ checkpointer: new MemorySaver() });
    await compiled.run({}, { runId: "r", now: () => 5 });
    expect((await compiled.history("r")).at(-1)).toEqual({
      sequence: 2,
      at: 5,
      type: "request",
      nodeId: "gate",
      taskId: "gate",
      label: "asked",
      question: "gate?",
    });
  });

  test("is rejected before the question appears when the graph has no such field or node", async () => {
    const run = async (result: object) => {
      const { status, error, requests } = await graph(TestState)
        .start(asking(result))
        .end()
        .compile({ checkpointer: new MemorySaver() })
        .run({});
      return { status, requests, message: error?.message };
    };
    expect(await run({ stateUpdate: { vlaue: "x" } })).toEqual({
      status: "failed",
      requests: [],
      message: `The state has no field "vlaue". Did you mean "value"? Its fields: outputs, log, total, value, isDone. Declare it in defineState() or correct the update.`,
    });
    expect(await run({ goto: "nowhere" })).toEqual({
      status: "failed",
      requests: [],
      message: new UnknownNodeError("nowhere", ["gate"]).message,
    });
  });
});
