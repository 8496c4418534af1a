import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RunEvent } from "../../contracts/index.ts";
import { type GraphBuilder, graph } from "../builder.ts";
import { GraphChangedError } from "../errors/errors.ts";
import { survive } from "../fixtures/crash-harness.ts";
import { buildPlan, interpretPlan, type Plan, plans } from "../fixtures/random-graph.ts";
import { logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

type Build = (builder: GraphBuilder<TestState>) => GraphBuilder<TestState>;

const gate = { id: "gate", inputMapper: (answer: string) => ({ log: [answer] }) };

function compile(build: Build) {
  return build(graph(TestState)).end().compile();
}

/** Runs one version of a graph to its question, then another one to its end. */
async function runThenChange(before: Build, after: Build, snapshotMinLength?: number) {
  const checkpointer = new MemorySaver();
  const events: RunEvent[] = [];
  const options = { checkpointer, ...(snapshotMinLength === undefined ? {} : { snapshotMinLength }) };
  await compile(before).run({}, { ...options, runId: "r" });
  const result = await compile(after).resume(
    "r",
    { gate: "yes" },
    { ...options, onEvent: (event) => events.push(event) },
  );
  const changed = events.flatMap((event) => (event.type === "graph-changed" ? event.differences : []));
  return { checkpointer, changed, status: result.status, log: result.state.log };
}

const BEFORE: Build = (builder) => builder.start(node("plan")).wait(gate).then(node("ship"));

describe.each([undefined, 0])(
  "a run whose graph has changed (snapshots from %p characters on)",
  (snapshotMinLength) => {
    test("continues and reports the change when the change is ahead of it", async () => {
      const after: Build = (builder) =>
        builder.start(node("plan")).wait(gate).then(node("check")).then(node("deliver"));
      const { changed, status, log } = await runThenChange(BEFORE, after, snapshotMinLength);
      expect({ changed, status, log }).toEqual({
        changed: ['the node "ship" is gone', 'the node "check" is new', 'the node "deliver" is new'],
        status: "completed",
        log: ["plan", "yes", "check", "deliver"],
      });
    });

    test("takes a decision that is new where it stands", async () => {
      const after: Build = (builder) =>
        builder
          .start(node("plan"))
          .wait(gate)
          .if(({ log }) => log.includes("yes"))
          .then(node("extra"))
          .endif()
          .then(node("ship"));
      const { status, log } = await runThenChange(BEFORE, after, snapshotMinLength);
      expect({ status, log }).toEqual({ status: "completed", log: ["plan", "yes", "extra", "ship"] });
    });

    test("is rejected when a node it has run was removed", async () => {
      const after: Build = (builder) => builder.start(node("think")).wait(gate).then(node("ship"));
      const error = await rejectionOf(runThenChange(BEFORE, after, snapshotMinLength));
      expect(error).toBeInstanceOf(GraphChangedError);
      expect(error.message).toBe(
        'The run "r" was started with another version of its graph:\n  - the node "plan" is gone\n  - the node "think" is new\nRestore that version, or start a new run.',
      );
    });

    test("is rejected when the question it waits at was removed", async () => {
      const after: Build = (builder) => builder.start(node("plan")).then(node("ship"));
      expect(await rejectionOf(runThenChange(BEFORE, after, snapshotMinLength))).toBeInstanceOf(GraphChangedError);
    });

    test("is rejected when its branches changed", async () => {
      const before: Build = (builder) =>
        builder.start(node("plan")).parallel([node("a"), graph(TestState).wait(gate)], { names: ["x", "y"] });
      const after: Build = (builder) =>
        builder.start(node("plan")).parallel([node("a"), graph(TestState).wait(gate)], { names: ["y", "x"] });
      expect(await rejectionOf(runThenChange(before, after, snapshotMinLength))).toBeInstanceOf(GraphChangedError);
    });

    test("is rejected when a decision it has made was removed", async () => {
      const before: Build = (builder) =>
        builder
          .start(node("plan"))
          .if(() => true, { id: "choice" })
          .wait(gate)
          .endif();
      const after: Build = (builder) => builder.start(node("plan")).wait(gate);
      expect(await rejectionOf(runThenChange(before, after, snapshotMinLength))).toBeInstanceOf(GraphChangedError);
    });
  },
);

test("a change is reported once, and the journal records from where it applies", async () => {
  const checkpointer = new MemorySaver();
  await compile(BEFORE).run({}, { checkpointer, runId: "r" });
  const after = compile((builder) => builder.start(node("plan")).wait(gate).then(node("check")));
  const told: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === "graph-changed") told.push(...event.differences);
  };
  await after.resume("r", {}, { checkpointer, onEvent });
  expect(told).toEqual(['the node "ship" is gone', 'the node "check" is new']);
  const ended = await after.resume("r", { gate: "yes" }, { checkpointer, onEvent });
  expect({ told: told.length, log: ended.state.log }).toEqual({ told: 2, log: ["plan", "yes", "check"] });
  const resumed = (await recordsOf(checkpointer, "r")).filter((record) => record.type === "resumed");
  expect(resumed.map((record) => record.graph?.nodes)).toEqual([["plan", "gate", "check"], undefined]);
});

test("a node in progress restarts in the changed graph", async () => {
  const checkpointer = new MemorySaver();
  const failing = compile((builder) =>
    builder.start(node("plan")).then(node("work", () => Promise.reject(new Error("no")))),
  );
  await failing.run({}, { checkpointer, runId: "r" });
  const repaired = compile((builder) =>
    builder
      .start(node("plan"))
      .then(node("work", () => logs("work")))
      .then(node("more")),
  );
  expect((await repaired.resume("r", {}, { checkpointer })).state.log).toEqual(["plan", "work", "more"]);
});

test("a run continues in a graph with additional steps at its end", async () => {
  await fc.assert(
    fc.asyncProperty(
      plans,
      plans,
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom(0, 200, 100_000),
      async (plan, addition, failAfter, snapshotMinLength) => {
        let last = plan;
        const { fields, status, violations } = await survive(
          (world, life) => {
            last = life === 0 ? plan : append(plan, addition);
            return buildPlan(last, world);
          },
          { lives: [failAfter], options: { snapshotMinLength } },
        );
        expect<object>({ fields, status, violations }).toEqual({ ...interpretPlan(last), violations: [] });
      },
    ),
    { numRuns: 150 },
  );
});

function append(plan: Plan, addition: Plan): Plan {
  const parts = plan.kind === "sequence" ? plan.parts : [plan];
  return { kind: "sequence", parts: [...parts, addition] };
}
