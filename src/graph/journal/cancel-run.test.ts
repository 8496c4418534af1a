import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { RunFinishedError, RunLockedError, UnknownRunError } from "../errors/errors.ts";
import { controlled, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { cancelRun } from "./cancel-run.ts";
import { readRunSummary } from "./run-summary.ts";

describe("cancelRun", () => {
  test.each([undefined, 1])(
    "marks a run that waits as cancelled; it can still be resumed (snapshotMinLength: %p)",
    async (snapshotMinLength) => {
      const checkpointer = new MemorySaver();
      const options = snapshotMinLength === undefined ? { checkpointer } : { checkpointer, snapshotMinLength };
      const compiled = graph(TestState).start(node("a")).wait().end().compile(options);
      await compiled.run({}, { runId: "r" });
      await cancelRun(checkpointer, "r");
      expect((await readRunSummary(checkpointer, "r")).status).toBe("cancelled");
      expect((await compiled.resume("r", { wait_1: "yes" })).status).toBe("completed");
    },
  );

  test("has its errors, and lets go of the run", async () => {
    const checkpointer = new MemorySaver();
    const slow = controlled("slow");
    const compiled = graph(TestState).start(slow.node).end().compile({ checkpointer });
    expect(await rejectionOf(cancelRun(checkpointer, "r"))).toEqual(new UnknownRunError("r"));
    const ended = compiled.run({}, { runId: "r" });
    await slow.started;
    expect(await rejectionOf(cancelRun(checkpointer, "r"))).toBeInstanceOf(RunLockedError);
    slow.finish();
    await ended;
    expect(await rejectionOf(cancelRun(checkpointer, "r"))).toEqual(new RunFinishedError("r"));
    await (await checkpointer.open("r", "resume")).close();
  });
});
