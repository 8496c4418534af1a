import { describe, expect, test } from "bun:test";
import { graph, waitNode } from "../../../graph/index.ts";
import { describeEnds } from "./coordinator-ends-conformance.ts";
import { LogState, Moment, type RunBackend, Witness } from "./run-backend.ts";

/**
 * What every place that executes graphs must do (DESIGN §3.4): one process with a journal, or a durable engine.
 * Call it at the top of a test file:
 *
 * ```ts
 * coordinatorConformance("one process", createLocalBackend);
 * ```
 */
export function coordinatorConformance(name: string, createBackend: () => RunBackend | Promise<RunBackend>): void {
  describe(`${name} as a place to execute graphs`, () => {
    describeBranches(createBackend);
    describeCounts(createBackend);
    describeFirstOnes(createBackend);
    describeQuestions(createBackend);
    describeEnds(createBackend);
    describeDeaths(createBackend);
  });
}

function describeBranches(createBackend: () => RunBackend | Promise<RunBackend>): void {
  test("runs nodes one after another, and decides in between", async () => {
    const witness = new Witness();
    const compiled = graph(LogState)
      .start(witness.node("a"))
      .if(({ log }) => log.includes("a"))
      .then(witness.node("b"))
      .else()
      .then(witness.node("not b"))
      .endif()
      .loop(witness.node("c"), { until: ({ log }) => log.length >= 4, maxIterations: 9 })
      .end()
      .compile();
    const { status, state } = await (await createBackend()).run(compiled, "r");
    expect({ status, log: state.log, begun: witness.begun }).toEqual({
      status: "completed",
      log: ["a", "b", "c", "c"],
      begun: ["a", "b", "c", "c#2"],
    });
  });

  test("joins branches in their order, whatever the order in which they end", async () => {
    const witness = new Witness();
    const [bEnds, cEnds] = [new Moment(), new Moment()];
    const compiled = graph(LogState)
      .parallel([
        witness.node("a", ({ signal }) => bEnds.passed(signal)),
        witness.node("b", async ({ signal }) => {
          await cEnds.passed(signal);
          bEnds.come();
        }),
        witness.node("c", () => cEnds.come()),
      ])
      .then(witness.node("d"))
      .end()
      .compile();
    expect((await (await createBackend()).run(compiled, "r")).state.log).toEqual(["a", "b", "c", "d"]);
  });

  test("does not make a branch wait for its sibling before the join", async () => {
    const witness = new Witness();
    const farAlong = new Moment();
    const compiled = graph(LogState)
      .parallel([
        witness.node("slow", ({ signal }) => farAlong.passed(signal)),
        [witness.node("one"), witness.node("two"), witness.node("three", () => farAlong.come())],
      ])
      .end()
      .compile();
    expect((await (await createBackend()).run(compiled, "r")).state.log).toEqual(["slow", "one", "two", "three"]);
  });
}

function describeCounts(createBackend: () => RunBackend | Promise<RunBackend>): void {
  test("processes the items of a list, a limited number at a time, and collects the results in order", async () => {
    const witness = new Witness();
    const work = witness.node("work", async ({ item }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return String(item);
    });
    const compiled = graph(LogState)
      .map(() => [1, 2, 3, 4, 5, 6, 7], work, { concurrency: 2 })
      .end()
      .compile();
    const { state } = await (await createBackend()).run(compiled, "r");
    expect([state.log, witness.mostAtOnce]).toEqual([["1", "2", "3", "4", "5", "6", "7"], 2]);
  });

  test("runs no more nodes at once than `maxConcurrency`, nested branches included", async () => {
    const witness = new Witness();
    const leaf = (id: string) => witness.node(id, () => new Promise<void>((resolve) => setImmediate(resolve)));
    const inner = (name: string) => graph(LogState).parallel([leaf(`${name}1`), leaf(`${name}2`), leaf(`${name}3`)]);
    const compiled = graph(LogState)
      .parallel([inner("a"), inner("b"), inner("c")], { names: ["a", "b", "c"] })
      .end()
      .compile();
    const { state } = await (await createBackend()).run(compiled, "r", { maxConcurrency: 3 });
    expect([state.log, witness.mostAtOnce]).toEqual([["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"], 3]);
  });
}

function describeFirstOnes(createBackend: () => RunBackend | Promise<RunBackend>): void {
  test.each(["race", "any"] as const)(
    "takes the first branch that ends in a `%s`, and stops the others",
    async (strategy) => {
      const witness = new Witness();
      const stopped = new Moment();
      const compiled = graph(LogState)
        .parallel(
          [
            witness.node("late", async ({ signal }) => {
              signal.addEventListener("abort", () => stopped.come());
              await new Moment().passed(signal);
            }),
            witness.node("early"),
          ],
          { strategy },
        )
        .end()
        .compile();
      const { state } = await (await createBackend()).run(compiled, "r");
      await stopped.passed();
      expect(state.log).toEqual(["early"]);
    },
  );

  test("continues without failed branches in `any`, and lists them in `settled`", async () => {
    const witness = new Witness();
    const failing = (id: string) =>
      witness.node(id, () => {
        throw new Error(`${id} broke`);
      });
    const compiled = graph(LogState)
      .parallel([failing("a"), witness.node("b")], { strategy: "any", id: "any" })
      .parallel([failing("c"), witness.node("d")], { strategy: "settled", id: "settled" })
      .end()
      .compile();
    const { state } = await (await createBackend()).run(compiled, "r");
    expect([state.log, state.outputs.settled]).toEqual([
      ["b", "d"],
      [
        { branch: "c", status: "failed", error: { code: "NODE_FAILED", message: "c broke" } },
        { branch: "d", status: "completed" },
      ],
    ]);
  });
}

function describeQuestions(createBackend: () => RunBackend | Promise<RunBackend>): void {
  const gate = (id: string) =>
    waitNode<LogState>({ id, prompt: `Is ${id} right?`, inputMapper: (answer) => ({ log: [`${id} ${answer}`] }) });

  test("waits for people without running, takes answers in any order, and runs nothing twice", async () => {
    const backend = await createBackend();
    const witness = new Witness();
    const compiled = graph(LogState)
      .parallel([[witness.node("a"), gate("first")], [gate("second")], [witness.node("b")]], { id: "fork" })
      .then(witness.node("after"))
      .end()
      .compile();
    const asked = await backend.run(compiled, "r");
    const questions = asked.requests.map(({ id, question }) => `${id}: ${question}`);
    expect([asked.status, questions.toSorted()]).toEqual([
      "suspended",
      ["fork[a]/first: Is first right?", "fork[second]/second: Is second right?"],
    ]);
    const once = await backend.resume(compiled, "r", { "fork[second]/second": "no" });
    expect([once.status, once.requests.map(({ id }) => id)]).toEqual(["suspended", ["fork[a]/first"]]);
    const { status, state } = await backend.resume(compiled, "r", { "fork[a]/first": "yes" });
    expect([status, state.log]).toEqual(["completed", ["a", "first yes", "second no", "b", "after"]]);
    expect(witness.begun.toSorted()).toEqual(["after", "fork[a]/a", "fork[b]/b"]);
  });

  test("rejects an invalid answer, and keeps the question open", async () => {
    const backend = await createBackend();
    const compiled = graph(LogState).start(gate("gate")).end().compile();
    await backend.run(compiled, "r");
    await expect(backend.resume(compiled, "r", { gate: "perhaps" })).rejects.toThrow(
      '"perhaps" is not one of the options',
    );
    expect((await backend.resume(compiled, "r", { gate: "yes" })).state.log).toEqual(["gate yes"]);
  });

  test("answers a question by default after its time", async () => {
    const compiled = graph(LogState)
      .start({
        id: "gate",
        type: "wait",
        execute: () => ({ request: { question: "Continue?", autoApprove: { afterMs: 1, value: "by itself" } } }),
        applyAnswer: (answer) => ({ log: [String(answer)] }),
      })
      .end()
      .compile();
    expect((await (await createBackend()).run(compiled, "r")).state.log).toEqual(["by itself"]);
  });
}

function describeDeaths(createBackend: () => RunBackend | Promise<RunBackend>): void {
  /** Branches, a list, a loop, steps and retries. */
  function build(witness: Witness) {
    const flaky = witness.node(
      "flaky",
      ({ attempt }) => {
        if (attempt === 1) throw new Error("not yet");
        return "flaky";
      },
      { retry: { maxAttempts: 2, backoffMs: 0 } },
    );
    const stepping = witness.node("stepping", async ({ step, taskId }) => {
      for (const key of ["one", "two"]) await step(key, () => witness.begun.push(`${taskId} ${key}`));
    });
    return graph(LogState)
      .start(witness.node("first"))
      .parallel([[flaky, witness.node("behind")], stepping])
      .map(
        () => ["x", "y"],
        witness.node("each", ({ item }) => String(item)),
      )
      .loop(witness.node("again"), { maxIterations: 2 })
      .end()
      .compile();
  }

  const LOG = ["first", "flaky", "behind", "stepping", "x", "y", "again", "again"];

  test("resumes after its process died at any moment, and does not repeat what was kept", async () => {
    for (let recordCount = 1; ; recordCount++) {
      const backend = await createBackend();
      const witness = new Witness();
      const { hasEnded, kept } = await backend.runUntilDeath(build(witness), "r", recordCount);
      if (hasEnded) {
        expect(recordCount).toBeGreaterThan(10);
        return;
      }
      const countOf = (visit: string): number => witness.begun.filter((begun) => begun === visit).length;
      const before = kept.map((visit) => [visit, countOf(visit)]);
      const { status, state } = await backend.resume(build(witness), "r");
      expect([recordCount, status, state.log]).toEqual([recordCount, "completed", LOG]);
      expect(kept.map((visit) => [visit, countOf(visit)])).toEqual(before);
      // Only visits in progress restart: a node that fails once has one more attempt.
      for (const visit of new Set(witness.begun)) {
        const most = visit.endsWith("flaky") ? 3 : 2;
        expect([visit, Math.min(countOf(visit), most)]).toEqual([visit, countOf(visit)]);
      }
    }
  });
}
