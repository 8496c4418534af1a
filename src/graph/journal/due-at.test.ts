import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { sleepNode } from "../nodes/flow/sleep-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import type { RunOptions } from "../run/run-options.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { RunControl } from "../steering/run-control.ts";
import { readRunSummary } from "./run-summary.ts";

const HOUR_MS = 3_600_000;

const nap = sleepNode<TestState>({ id: "nap", durationMs: HOUR_MS });
const gate = waitNode<TestState>({ id: "gate", autoApprove: { afterMs: 2 * HOUR_MS } });
const flaky = node(
  "flaky",
  () => {
    throw new Error("not yet");
  },
  { retry: { maxAttempts: 2, backoffMs: HOUR_MS, maxBackoffMs: HOUR_MS, jitter: 0 } },
);

/** A saver whose process died: nothing reaches it after an event. */
class DyingSaver extends MemorySaver {
  /** What the journal had when the process died. */
  left: MemorySaver | undefined;

  async die(runId: string): Promise<void> {
    const entries = await this.read(runId);
    this.left = new MemorySaver();
    const journal = await this.left.open(runId, "create");
    for (const entry of entries) await journal.append(entry);
    await journal.close();
  }
}

/** When a run that ended in that way is due. */
async function dueAfter(
  nodes: readonly NodeDefinition<TestState>[],
  end: "itself" | "pause" | "cancel" | "death",
  until: RunEvent["type"] = "node-sleep",
): Promise<readonly [status: string, dueAt: number | undefined]> {
  const checkpointer = new DyingSaver();
  const control = new RunControl();
  const abort = new AbortController();
  const [first = nap, ...others] = nodes;
  const builder = others.length === 0 ? graph(TestState).start(first) : graph(TestState).parallel([first, ...others]);
  let reached = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const options: RunOptions = {
    ...{ runId: "r", control, checkpointer, signal: abort.signal, now: () => 0 },
    onEvent: ({ type }) => (type === until ? reached() : undefined),
  };
  const running = builder.end().compile().run({}, options);
  if (end !== "itself") await waiting;
  if (end === "death") await checkpointer.die("r");
  if (end === "pause") await control.pause();
  if (end === "cancel" || end === "death") abort.abort(new Error("stop"));
  await running;
  const { status, dueAt } = await readRunSummary(checkpointer.left ?? checkpointer, "r");
  return [status, dueAt];
}

describe("a run is due", () => {
  test("when its answer applies by itself, while it is suspended", async () => {
    expect(await dueAfter([gate], "itself")).toEqual(["suspended", 2 * HOUR_MS]);
  });

  test("when the first of its sleeps, questions and retries ends, once its process has died", async () => {
    expect(await dueAfter([nap, gate], "death")).toEqual(["running", HOUR_MS]);
    expect(await dueAfter([flaky], "death", "node-error")).toEqual(["running", HOUR_MS]);
  });

  test.each([
    { title: "somebody paused it", nodes: [nap], end: "pause" },
    { title: "somebody paused it at a question", nodes: [nap, gate], end: "pause" },
    { title: "it was cancelled", nodes: [nap], end: "cancel" },
  ] as const)("never when $title", async ({ nodes, end }) => {
    expect((await dueAfter(nodes, end))[1]).toBeUndefined();
  });

  test("never when it only waits for people, or has ended", async () => {
    expect(await dueAfter([waitNode<TestState>({ id: "gate" })], "itself")).toEqual(["suspended", undefined]);
    expect(await dueAfter([node("a")], "itself")).toEqual(["completed", undefined]);
  });

  test("again after it was paused and resumed; compaction changes nothing", async () => {
    const checkpointer = new MemorySaver();
    const control = new RunControl();
    const compiled = graph(TestState).start(nap).then(gate).end().compile({ checkpointer });
    const running = compiled.run({}, { runId: "r", control, now: () => 0, onEvent: pauseAt(control) });
    expect((await running).status).toBe("suspended");
    await compiled.compact("r");
    expect((await readRunSummary(checkpointer, "r")).dueAt).toBeUndefined();
    expect((await compiled.resume("r", {}, { now: () => HOUR_MS })).status).toBe("suspended");
    expect((await readRunSummary(checkpointer, "r")).dueAt).toBe(3 * HOUR_MS);
    await compiled.compact("r");
    expect((await readRunSummary(checkpointer, "r")).dueAt).toBe(3 * HOUR_MS);
  });
});

function pauseAt(control: RunControl): (event: RunEvent) => void {
  return ({ type }) => {
    if (type === "node-sleep") void control.pause();
  };
}
