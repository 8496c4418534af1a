import { expect, test } from "bun:test";
import { graph } from "../../../graph/index.ts";
import { LogState, Moment, type RunBackend, Witness } from "./run-backend.ts";

/** How runs fail, resume and are cancelled, in every place that executes graphs. */
export function describeEnds(createBackend: () => RunBackend | Promise<RunBackend>): void {
  describeFailures(createBackend);
  describeRetries(createBackend);
  describeCancelling(createBackend);
}

function describeFailures(createBackend: () => RunBackend | Promise<RunBackend>): void {
  test("fails with the node's error, stops its siblings, and restarts that node when the run is resumed", async () => {
    const backend = await createBackend();
    const witness = new Witness();
    const siblingStopped = new Moment();
    let isRepaired = false;
    const compiled = graph(LogState)
      .start(witness.node("before"))
      .parallel([
        witness.node("broken", () => {
          if (!isRepaired) throw new Error("it broke");
        }),
        witness.node("sibling", async ({ signal }) => {
          if (isRepaired) return;
          signal.addEventListener("abort", () => siblingStopped.come());
          await new Moment().passed(signal);
        }),
      ])
      .end()
      .compile();
    const failed = await backend.run(compiled, "r");
    await siblingStopped.passed();
    expect([failed.status, failed.errorInfo, failed.state.log]).toEqual([
      "failed",
      { code: "NODE_FAILED", message: "it broke", nodeId: "broken" },
      ["before"],
    ]);
    isRepaired = true;
    const resumed = await backend.resume(compiled, "r");
    expect([resumed.status, resumed.state.log]).toEqual(["completed", ["before", "broken", "sibling"]]);
    expect(witness.begun.filter((visit) => visit === "before")).toHaveLength(1);
  });
}

function describeRetries(createBackend: () => RunBackend | Promise<RunBackend>): void {
  test("retries a node up to its limit, keeps its steps, and passes the last failure to a catch", async () => {
    const witness = new Witness();
    const steps: string[] = [];
    const compiled = graph(LogState)
      .start(
        witness.node(
          "flaky",
          async ({ attempt, step }) => {
            await step("prepare", () => steps.push(`prepared at ${attempt}`));
            throw new Error(`failure ${attempt}`);
          },
          { retry: { maxAttempts: 3, backoffMs: 1 } },
        ),
      )
      .catch((error) => ({ stateUpdate: { log: [`caught ${error.message}`] } }))
      .then(witness.node("after"))
      .end()
      .compile();
    const { state } = await (await createBackend()).run(compiled, "r");
    expect({ log: state.log, steps, begun: witness.begun }).toEqual({
      log: ["caught failure 3", "after"],
      steps: ["prepared at 1"],
      begun: ["flaky", "flaky", "flaky", "after"],
    });
  });

  test("ends a node that timed out", async () => {
    const witness = new Witness();
    const compiled = graph(LogState)
      .start(witness.node("slow", ({ signal }) => new Moment().passed(signal), { timeoutMs: 5 }))
      .end()
      .compile();
    const { status, errorInfo } = await (await createBackend()).run(compiled, "r");
    expect([status, errorInfo?.code, errorInfo?.nodeId]).toEqual(["failed", "NODE_TIMEOUT", "slow"]);
  });
}

function describeCancelling(createBackend: () => RunBackend | Promise<RunBackend>): void {
  test("aborts every running node on a cancel, and resumes where the run was", async () => {
    const backend = await createBackend();
    const witness = new Witness();
    const stop = new AbortController();
    const stopped: string[] = [];
    let isLater = false;
    const patient = (id: string) =>
      witness.node(id, async ({ signal, taskId }) => {
        if (isLater) return;
        signal.addEventListener("abort", () => stopped.push(taskId));
        if (witness.begun.length === 3) stop.abort(new Error("enough"));
        await new Moment().passed(signal);
      });
    const compiled = graph(LogState)
      .start(witness.node("before"))
      .parallel([patient("a"), patient("b")], { id: "fork" })
      .end()
      .compile();
    const cancelled = await backend.run(compiled, "r", { signal: stop.signal });
    expect([cancelled.status, cancelled.state.log, stopped.toSorted()]).toEqual([
      "cancelled",
      ["before"],
      ["fork[a]/a", "fork[b]/b"],
    ]);
    isLater = true;
    const resumed = await backend.resume(compiled, "r");
    expect([resumed.status, resumed.state.log]).toEqual(["completed", ["before", "a", "b"]]);
  });

  test("starts no node of a run that is cancelled before it starts", async () => {
    const backend = await createBackend();
    const witness = new Witness();
    const compiled = graph(LogState).start(witness.node("a")).end().compile();
    const { status } = await backend.run(compiled, "r", { signal: AbortSignal.abort(new Error("no")) });
    expect([status, witness.begun]).toEqual(["cancelled", []]);
    expect((await backend.resume(compiled, "r")).state.log).toEqual(["a"]);
  });
}
