import { describe, expect, test } from "bun:test";
import type { AtomicError } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { given } from "../errors/given.ts";
import { logs, node, TestState } from "../fixtures/test-nodes.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { toolNode } from "../nodes/tools/tool-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

const LARGE = "x".repeat(3_000);

type Part = Record<string, unknown>;

describe("what a node leaves that is larger than the run keeps", () => {
  const largeUpdate = { outputs: { gate: LARGE } };
  const gate = waitNode({ id: "gate", inputMapper: () => largeUpdate });
  const gated = (checkpointer: MemorySaver, maxUpdateBytes?: number) =>
    graph(TestState)
      .start(gate)
      .end()
      .compile({ checkpointer, ...given({ maxUpdateBytes }) });

  test.each([
    { title: "its answer comes to", answers: { gate: "yes" }, commands: [] },
    {
      title: "it is skipped with",
      answers: {},
      commands: [{ type: "skip-node", node: "gate", update: largeUpdate }] as const,
    },
  ])("as what $title is measured by the run's own limit", async ({ answers, commands }) => {
    const checkpointer = new MemorySaver();
    await gated(checkpointer, 2_000).run({}, { runId: "r" });
    const refused = await gated(checkpointer, 2_000)
      .resume("r", answers, { commands })
      .then(
        (result) => result.errorInfo?.code,
        (error: AtomicError) => error.code,
      );
    expect(refused).toBe("VALUE_TOO_LARGE");
    const { status, state } = await gated(checkpointer).resume("r", answers, { commands, maxUpdateBytes: 20_000 });
    expect([status, state.outputs]).toEqual(["completed", largeUpdate.outputs]);
  });

  test("may be larger than usual where the run says so", async () => {
    const huge = "x".repeat(65 * 1024 * 1024);
    const large = waitNode({ id: "gate", inputMapper: () => ({ outputs: { gate: huge } }) });
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start(large)
      .end()
      .compile({ checkpointer, maxUpdateBytes: Number.POSITIVE_INFINITY });
    await compiled.run({}, { runId: "r" });
    expect((await compiled.resume("r", { gate: "yes" })).status).toBe("completed");
  });

  test.each([
    {
      title: "as its output",
      step: toolNode({ id: "big", execute: () => LARGE }),
      said: 'in "outputs.big" is too large: 3028 bytes',
    },
    {
      title: "in a field, among others",
      step: node("big", () => ({ stateUpdate: { log: [LARGE], total: 1 } })),
      said: 'in "log" is too large: 3030 bytes',
    },
    {
      title: "in many small parts",
      step: toolNode({ id: "big", execute: () => Array.from({ length: 1_000 }, () => ({ key: 1 })) }),
      said: 'in "outputs.big" is too large: 15030 bytes',
    },
    {
      title: "in a Map",
      step: toolNode({ id: "big", execute: () => new Map([["a", new Set([LARGE])]]) }),
      said: 'in "outputs.big" is too large: 3039 bytes',
    },
    {
      title: "as bytes",
      step: toolNode({ id: "big", execute: () => new Uint8Array(3_000) }),
      said: 'in "outputs.big" is too large: 4026 bytes',
    },
    {
      title: "as a step",
      step: node("big", async ({ step }) => {
        await step("load", () => LARGE);
        return {};
      }),
      said: 'in "step.load" is too large: 3002 bytes',
    },
    {
      title: "as the input of a graph of its own",
      step: subgraphNode<TestState, TestState>({
        id: "big",
        subgraph: graph(TestState).start(node("inner")).end().compile(),
        inputMapper: () => ({ value: LARGE }),
      }),
      said: 'in "input.value" is too large: 3015 bytes',
    },
    {
      title: "as the run's output",
      step: node("big", ({ finish }) => {
        finish(LARGE);
        return {};
      }),
      said: 'in "output" is too large: 3002 bytes',
    },
  ])("$title fails the node, and nothing of it is kept", async ({ step, said }) => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState).start(step).end().compile({ checkpointer, maxUpdateBytes: 2_000 });
    const { runId, status, errorInfo } = await compiled.run();
    expect({ status, code: errorInfo?.code, nodeId: errorInfo?.nodeId, message: errorInfo?.message }).toEqual({
      status: "failed",
      code: "VALUE_TOO_LARGE",
      nodeId: "big",
      message: `What the node "big" left ${said}, and a run keeps at most 2000 bytes of a node's result. Write it to a file and keep the path, or raise maxUpdateBytes.`,
    });
    const journal = (await checkpointer.read(runId)).map(({ body }) => body).join("");
    expect(journal.length).toBeLessThan(4_000);
    expect((await compiled.resume(runId, {}, { maxUpdateBytes: 20_000 })).status).toBe("completed");
  });

  describe("as the result of a graph of its own", () => {
    const big = subgraphNode<TestState, TestState>({
      id: "big",
      subgraph: graph(TestState)
        .start(node("left", () => logs("x".repeat(1_500))))
        .then(node("right", () => logs("x".repeat(1_500))))
        .end()
        .compile(),
      outputMapper: ({ log }) => ({ value: log.join("") }),
    });
    const message = `What the node "big" left in "value" is too large: 3015 bytes, and a run keeps at most 2000 bytes of a node's result. Write it to a file and keep the path, or raise maxUpdateBytes.`;

    test.each([
      { title: "records", settings: {} },
      { title: "snapshots", settings: { snapshotMinLength: 0 } },
    ])("fails the run, even when resumed from $title, until the limit is raised", async ({ settings }) => {
      const compiled = graph(TestState)
        .start(big)
        .then(node("last", ({ state }) => logs(`last ${state.value.length}`)))
        .end()
        .compile({ checkpointer: new MemorySaver(), maxUpdateBytes: 2_000, ...settings });
      const failed = await compiled.run({}, { runId: "r" });
      expect(failed.errorInfo).toMatchObject({ code: "VALUE_TOO_LARGE", nodeId: "big", message });
      expect(failed.state.value).toBe("");
      expect((await compiled.resume("r")).errorInfo).toMatchObject({ code: "VALUE_TOO_LARGE", nodeId: "big", message });
      const { status, state } = await compiled.resume("r", {}, { maxUpdateBytes: 20_000 });
      expect([status, state.log]).toEqual(["completed", ["last 3000"]]);
      expect((await compiled.stateAt("r", (await compiled.history("r")).at(-1)?.sequence ?? 0)).value).toBe(LARGE);
    });

    test("is caught, and stays caught when a later process has a higher limit", async () => {
      const compiled = graph(TestState)
        .start(big)
        .catch((error) => logs(`caught ${error.message}`))
        .then(waitNode<TestState>({ id: "gate", inputMapper: () => ({}) }))
        .end()
        .compile({ checkpointer: new MemorySaver(), maxUpdateBytes: 2_000 });
      expect((await compiled.run({}, { runId: "r" })).status).toBe("suspended");
      const { status, state } = await compiled.resume("r", { gate: "yes" }, { maxUpdateBytes: 20_000 });
      expect([status, state.log, state.value]).toEqual(["completed", [`caught ${message}`], ""]);
    });

    test("stays accepted when a later process has a lower limit", async () => {
      const compiled = graph(TestState)
        .start(big)
        .then(waitNode<TestState>({ id: "gate", inputMapper: () => ({}) }))
        .end()
        .compile({ checkpointer: new MemorySaver() });
      expect((await compiled.run({}, { runId: "r" })).status).toBe("suspended");
      const { status, state } = await compiled.resume("r", { gate: "yes" }, { maxUpdateBytes: 2_000 });
      expect([status, state.value]).toEqual(["completed", LARGE]);
    });
  });

  test.each([
    { title: "around itself", field: "outputs.big", update: (part: Part) => ({ outputs: { big: part } }) },
    { title: "among outputs", field: "outputs.self", update: (part: Part) => ({ outputs: part }) },
  ])("is reported as a cycle if there is one $title", async ({ field, update }) => {
    const part: Part = { text: LARGE };
    part.self = part;
    const step = node("big", () => ({ stateUpdate: update(part) }));
    const { errorInfo } = await graph(TestState).start(step).end().compile({ maxUpdateBytes: 2_000 }).run();
    expect(errorInfo).toMatchObject({ code: "STATE_UNSERIALIZABLE" });
    expect(errorInfo?.message).toStartWith(
      `The value at "${field}" is nested more than 500 levels deep, or part of a cycle`,
    );
  });

  test("is measured in no time where it holds the same part many times over", async () => {
    let doubled: readonly unknown[] = [LARGE];
    for (let count = 0; count < 40; count++) doubled = [doubled, doubled];
    const step = toolNode({ id: "big", execute: () => doubled });
    const { errorInfo } = await graph(TestState).start(step).end().compile({ maxUpdateBytes: 2_000 }).run();
    expect(errorInfo?.code).toBe("VALUE_TOO_LARGE");
  });

  test("is at most 64 MiB unless the run says otherwise", async () => {
    const compiled = graph()
      .start(toolNode({ id: "big", execute: () => "x".repeat(65 * 1024 * 1024) }))
      .end()
      .compile();
    expect((await compiled.run()).errorInfo?.message).toStartWith(
      'What the node "big" left in "outputs.big" is too large: 65.0 MiB, and a run keeps at most 64.0 MiB of a node\'s result.',
    );
  });
});
