import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../contracts/index.ts";
import { annotation, defineState, type StateOf } from "./annotation.ts";
import { graph } from "./builder.ts";
import { FinishedTooEarlyError } from "./finished-too-early-error.ts";
import { controlled, failing, logs, node, TestState } from "./fixtures/test-nodes.ts";
import { subgraphNode } from "./nodes/subgraph-node.ts";
import { outputOf } from "./nodes/tool-node.ts";
import { waitNode } from "./nodes/wait-node.ts";
import { readRunSummary } from "./run-summary.ts";
import { MemorySaver } from "./savers/memory-saver.ts";

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
      warnings: ["output threw, and the run goes on: no"],
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

  test("keeps what its branch has done and gives up the others, also as the journal tells it", async () => {
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
