import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { VisitLimitError } from "../errors/visit-limit-error.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import type { GraphConfig } from "../model/graph-config.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

/** A node that changes nothing. */
const still = (id: string) => node(id, () => undefined);
/** A node that counts its visits. */
const counting = (id: string) => node(id, () => ({ stateUpdate: { total: 1 } }));

/** A node that goes back to another one, at most this many times. */
const back = (id: string, target: string, times = Number.POSITIVE_INFINITY) =>
  node(id, ({ state }) => (state.total < times ? { goto: target } : undefined), { targets: [target] });

const endless = () => graph(TestState).start(counting("work")).then(back("again", "work")).end();

describe("repeated gotos to one node", () => {
  test("fail after 1,000 arrivals, with an error that names the node, the limit and the option", async () => {
    const { status, error, errorInfo, state } = await endless().compile().run();
    expect([status, errorInfo?.code, errorInfo?.nodeId, state.total]).toEqual([
      "failed",
      "GRAPH_VISIT_LIMIT",
      "work",
      1_001,
    ]);
    expect(error).toBeInstanceOf(VisitLimitError);
    expect(error?.message).toBe(
      'The run went to "work" 1000 times, which is its maxVisits. Look for a goto without progress, or set a larger maxVisits in compile() or run(), then resume the run.',
    );
  });

  test.each<{ title: string; config?: GraphConfig; options?: GraphConfig; total: number }>([
    { title: "of compile()", config: { maxVisits: 5 }, total: 6 },
    { title: "of run(), which wins", config: { maxVisits: 5 }, options: { maxVisits: 7 }, total: 8 },
  ])("fail after the maxVisits $title", async ({ config, options, total }) => {
    const { state, errorInfo } = await endless().compile(config).run({}, options);
    expect([errorInfo?.code, state.total]).toEqual(["GRAPH_VISIT_LIMIT", total]);
  });

  test("continue up to the limit", async () => {
    const builder = graph(TestState)
      .start(counting("work"))
      .then(back("again", "work", 2_000))
      .end();
    const { status, state } = await builder.compile({ maxVisits: 1_999 }).run();
    expect([status, state.total]).toEqual(["completed", 2_000]);
    expect((await builder.compile({ maxVisits: 1_998 }).run()).errorInfo?.code).toBe("GRAPH_VISIT_LIMIT");
  });

  test.each([
    { title: "goto()", build: () => graph(TestState).start(counting("work")).goto("work").end() },
    {
      title: "a decision with several targets",
      build: () =>
        graph(TestState)
          .start([still("work"), still("beside"), still("last")])
          .then(decisionNode<TestState>({ id: "go", routes: [{ condition: () => true, target: ["work", "beside"] }] }))
          .then(still("end"))
          .end(),
    },
    {
      title: "a loop that the goto leaves and enters again",
      build: () =>
        graph(TestState)
          .start(still("before"))
          .loop([still("inside"), node("out", () => ({ goto: "before" }), { targets: ["before"] })], {
            maxIterations: 3,
          })
          .end(),
    },
    {
      title: "the node before a loop that always ends",
      build: () =>
        graph(TestState).start(still("before")).loop(still("inside"), { maxIterations: 3 }).goto("before").end(),
    },
    {
      title: "a node within a loop that has ended",
      build: () => graph(TestState).loop(still("inside"), { maxIterations: 3 }).goto("inside").end(),
    },
  ])("are limited in every notation: $title", async ({ build }) => {
    const { status, errorInfo } = await build().compile({ maxVisits: 20, maxSteps: 10_000 }).run();
    expect([status, errorInfo?.code]).toEqual(["failed", "GRAPH_VISIT_LIMIT"]);
  });
});

describe("maxVisits does not apply to what has its own limit:", () => {
  test("a loop, also one whose body goes back in each iteration", async () => {
    const body = [counting("work"), node("again", ({ state }) => (state.total % 2 ? { goto: "work" } : undefined))];
    const compiled = graph(TestState).loop(body, { maxIterations: 50 }).end().compile({ maxVisits: 1 });
    const { status, state } = await compiled.run();
    expect([status, state.total]).toEqual(["completed", 100]);
  });

  test("loops within loops", async () => {
    const inner = graph(TestState)
      .loop([counting("work"), node("skip", () => ({ goto: "last" })), node("never"), still("last")], {
        maxIterations: 10,
      })
      .then(node("leave", () => ({ goto: "end" })))
      .then([node("not"), still("end")]);
    const { status, state } = await graph(TestState)
      .loop(inner, { maxIterations: 10 })
      .end()
      .compile({ maxVisits: 1 })
      .run();
    expect([status, state.total, state.log]).toEqual(["completed", 100, []]);
  });

  test("a map, each of whose branches counts for itself", async () => {
    const body = [still("work"), node("skip", () => ({ goto: "last" })), node("never"), counting("last")];
    const compiled = graph(TestState)
      .map(() => Array.from({ length: 30 }), body)
      .end()
      .compile({ maxVisits: 1 });
    const { status, state } = await compiled.run();
    expect([status, state.total]).toEqual(["completed", 30]);
  });
});

test.each([
  { title: "records", settings: {} },
  { title: "snapshots", settings: { snapshotMinLength: 0 } },
])("a run that is resumed from $title continues to count", async ({ settings }) => {
  const checkpointer = new MemorySaver();
  const compiled = endless().compile({ checkpointer, maxVisits: 10, ...settings });
  const { state: before } = await compiled.run({}, { runId: "r" });
  const same = await compiled.resume("r");
  const more = await compiled.resume("r", {}, { maxVisits: 20 });
  expect([before.total, same.state.total, more.state.total]).toEqual([11, 12, 21]);
  expect([same.errorInfo?.code, more.errorInfo?.code]).toEqual(["GRAPH_VISIT_LIMIT", "GRAPH_VISIT_LIMIT"]);
});

test("a dry run has the same limit", async () => {
  const report = await graph(TestState).start(still("work")).goto("work").end().compile().plan();
  expect([report.status, report.errorInfo?.code]).toEqual(["failed", "GRAPH_VISIT_LIMIT"]);
});
