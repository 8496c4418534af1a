import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { controlled, failing, logs, node, TestState } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { outputOf } from "../nodes/tools/tool-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, type StateOf } from "../state/annotation.ts";
import { FinishedTooEarlyError } from "./result-record.ts";

const leaves = (id: string, value: unknown) => node(id, () => ({ stateUpdate: outputOf<TestState>(id, value) }));

describe("the output of a run", () => {
  test("is what the last node left: its output, else its update", async () => {
    const outputsOf = async (...nodes: readonly ReturnType<typeof node>[]) =>
      (await graph(TestState).start(nodes).end().compile().run({})).output;
    expect(await outputsOf(node("a"), leaves("b", [1, 2]))).toEqual([1, 2]);
    expect(await outputsOf(leaves("a", 1), node("b"))).toEqual({ log: ["b"] });
    expect(
      await outputsOf(
        leaves("a", 1),
        node("b", () => undefined),
      ),
    ).toBeUndefined();
    const each = node("x", ({ item }) => ({ stateUpdate: outputOf<TestState>("x", item) }));
    const mapped = graph(TestState).map(() => [1, 2], each, { id: "all" });
    expect((await mapped.end().compile().run({})).output).toEqual([1, 2]);
  });

  test("is what the last visit left, not what an earlier one of the same node did", async () => {
    const twice = node("twice", ({ state }) =>
      state.log.length === 0
        ? { stateUpdate: { ...outputOf<TestState>("twice", "old"), ...logs("1").stateUpdate } }
        : logs("2"),
    );
    const compiled = graph(TestState)
      .start(node("begin", () => undefined))
      .loop(twice, { maxIterations: 2 })
      .end()
      .compile();
    expect((await compiled.run({})).output).toEqual({ log: ["2"] });
    const given = graph(TestState).start(node("a")).end().compile();
    expect((await given.run({ outputs: { a: "from the input" } })).output).toEqual({ log: ["a"] });
  });

  test("is the update that a subgraph at the end comes to", async () => {
    const inner = graph(TestState).start(node("inside")).end().compile();
    const sub = subgraphNode<TestState, TestState>({
      id: "sub",
      subgraph: inner,
      inputMapper: () => ({}),
      outputMapper: ({ log }) => ({ log }),
    });
    const compiled = graph(TestState).start(sub).end().compile();
    expect((await compiled.run({ outputs: { sub: "from the input" } })).output).toEqual({ log: ["inside"] });
  });

  test("is what the graph says, in its result, its events and its journal, live and resumed", async () => {
    for (const options of [{}, { snapshotMinLength: 0 }]) {
      const checkpointer = new MemorySaver();
      const ends: unknown[] = [];
      const onEvent = (event: RunEvent): void => {
        if (event.type === "run-end") ends.push(event.output);
      };
      const compiled = graph(TestState)
        .start(node("a"))
        .then(waitNode<TestState>({ id: "gate", inputMapper: () => ({}) }))
        .end()
        .compile({ checkpointer, ...options, output: (state: TestState) => ({ said: state.log }) });
      expect((await compiled.run({}, { runId: "r", onEvent })).output).toBeUndefined();
      const { output } = await compiled.resume("r", { gate: "yes" }, { onEvent });
      const { output: kept } = await readRunSummary(checkpointer, "r");
      expect({ output, ends, kept }).toEqual({
        output: { said: ["a"] },
        ends: [undefined, { said: ["a"] }],
        kept: { said: ["a"] },
      });
    }
  });

  test("that cannot be made is a warning, and the run is completed all the same", async () => {
    const output = (): never => {
      throw new Error("no");
    };
    const { status, warnings, ...result } = await graph(TestState).start(node("a")).end().compile({ output }).run({});
    expect({ status, warnings, output: result.output }).toEqual({
      status: "completed",
      warnings: ["output threw; the run continues: no"],
      output: undefined,
    });
  });
});

describe("finish()", () => {
  test("ends the run with this node, with or without an output of its own", async () => {
    for (const [given, expected] of [
      [[], { log: ["a"] }],
      [["enough"], "enough"],
      [[undefined], undefined],
    ] as const) {
      const ends = node("a", ({ finish }) => {
        finish(...given);
        return logs("a");
      });
      const compiled = graph(TestState).start(ends).then(failing("b")).end().compile();
      const { status, state, output } = await compiled.run({});
      expect({ status, log: state.log, output }).toEqual({ status: "completed", log: ["a"], output: expected });
    }
  });

  test("keeps the changes of its branch and drops the others, in the journal too", async () => {
    for (const options of [{}, { snapshotMinLength: 0 }]) {
      const slow = controlled("slow");
      const found = node("found", async ({ finish }) => {
        await slow.started;
        finish({ found: true });
        return logs("found");
      });
      const inner = graph(TestState)
        .start(node("look"))
        .parallel([found, waitNode<TestState>({ id: "never" })]);
      const compiled = graph(TestState)
        .start(node("first"))
        .parallel([inner, slow.node], { names: ["inner", "slow"] })
        .then(failing("last"))
        .end()
        .compile({ checkpointer: new MemorySaver(), ...options });
      const { status, state, output, requests } = await compiled.run({}, { runId: "r" });
      expect({ status, log: state.log, output, requests }).toEqual({
        status: "completed",
        log: ["first", "look", "found"],
        output: { found: true },
        requests: [],
      });
      expect(await slow.aborted).toBeInstanceOf(Error);
      const last = (await compiled.history("r")).at(-1)?.sequence ?? 0;
      expect((await compiled.stateAt("r", last)).log).toEqual(["first", "look", "found"]);
    }
  });

  test("within a branch, without an output of its own, leaves what the node leaves", async () => {
    for (const [result, expected] of [
      [() => logs("x"), { log: ["x"] }],
      [() => ({ stateUpdate: outputOf<TestState>("x", 5) }), 5],
      [() => undefined, undefined],
    ] as const) {
      for (const options of [{}, { snapshotMinLength: 0 }]) {
        const ends = node("x", ({ finish }) => {
          finish();
          return result();
        });
        const waiting = waitNode<TestState>({ id: "never" });
        const compiled = graph(TestState)
          .start(leaves("fork", "earlier"))
          .parallel([ends, waiting], { id: "side" })
          .end()
          .compile({ checkpointer: new MemorySaver(), ...options });
        expect((await compiled.run({})).output).toEqual(expected);
      }
    }
  });

  test("within a subgraph that ends the run leaves what the subgraph leaves", async () => {
    const ends = node("x", ({ finish }) => {
      finish("of the subgraph");
      return logs("x");
    });
    const inner = graph(TestState).start(ends).end().compile();
    const sub = subgraphNode<TestState, TestState>({
      id: "sub",
      subgraph: inner,
      outputMapper: ({ log }) => ({ log }),
    });
    expect((await graph(TestState).start(sub).end().compile().run({})).output).toEqual({ log: ["x"] });
  });

  test("reports only branches that have ended or failed", async () => {
    const slow = controlled("slow");
    const ends = node("ends", async ({ finish }) => {
      await slow.started;
      finish();
      return logs("ends");
    });
    const settled = graph(TestState)
      .start(node("first"))
      .parallel([failing("broken"), ends, slow.node], { id: "side", strategy: "settled" })
      .end()
      .compile();
    expect((await settled.run({})).state.outputs).toEqual({
      side: [
        { branch: "broken", status: "failed", error: { code: "NODE_FAILED", message: "broken failed" } },
        { branch: "ends", status: "completed" },
      ],
    });
    const each = node("each", ({ item, finish }) => {
      if (item === 2) finish();
      return { stateUpdate: outputOf<TestState>("each", item) };
    });
    const mapped = graph(TestState)
      .start(node("first"))
      .map(() => [1, 2, 3], [each, waitNode<TestState>({ id: "never" })], { id: "all" })
      .end()
      .compile({ checkpointer: new MemorySaver() });
    expect((await mapped.run({})).state.outputs).toEqual({ all: [{ each: 2 }] });
  });

  test("within a subgraph ends the subgraph", async () => {
    const Inner = defineState({ note: annotation("") });
    const inner = graph(Inner)
      .start({
        id: "note",
        type: "tool",
        execute: ({ finish }) => {
          finish();
          return { stateUpdate: { note: "noted" } };
        },
      })
      .then({ id: "never", type: "tool", execute: () => ({ stateUpdate: { note: "never" } }) })
      .end()
      .compile();
    const { state } = await graph(TestState)
      .start(
        subgraphNode<TestState, StateOf<typeof Inner>>({
          id: "sub",
          subgraph: inner,
          inputMapper: () => ({}),
          outputMapper: ({ note }) => ({ log: [note] }),
        }),
      )
      .then(node("behind"))
      .end()
      .compile()
      .run({});
    expect(state.log).toEqual(["noted", "behind"]);
  });

  test("does not go with a question", async () => {
    const asks = node("asks", ({ finish }) => {
      finish();
      return { request: { question: "Sure?" } };
    });
    const compiled = graph(TestState).start(asks).end().compile({ checkpointer: new MemorySaver() });
    expect((await compiled.run({})).error).toEqual(new FinishedTooEarlyError("asks"));
  });

  test("counts only when the node succeeds", async () => {
    const flaky = node(
      "flaky",
      ({ finish, attempt }) => {
        if (attempt > 1) return logs("done");
        finish();
        throw new Error("not yet");
      },
      { retry: { maxAttempts: 2, backoffMs: 0 } },
    );
    const { state } = await graph(TestState).start(flaky).then(node("behind")).end().compile().run({});
    expect(state.log).toEqual(["done", "behind"]);
  });
});
