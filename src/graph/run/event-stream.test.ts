import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { JournalWriteError } from "../errors/errors.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { controlled, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { EventStream } from "./event-stream.ts";

const tick = node("tick", () => ({ stateUpdate: { total: 1 } }));

/** A graph that emits five events per step, so many times. */
function busy(maxIterations: number) {
  return graph(TestState).loop(tick, { maxIterations }).end().compile();
}

describe("an event stream", () => {
  test("yields the pushed items, those from before reading included, until it is closed", async () => {
    const stream = new EventStream<number>();
    stream.push(1);
    const read = Array.fromAsync(stream);
    await Promise.resolve();
    stream.push(2);
    stream.push(3);
    stream.close();
    stream.push(4);
    expect(await read).toEqual([1, 2, 3]);
  });

  test("makes the writer wait for a slow reader, until the reader has caught up", async () => {
    const stream = new EventStream<number>();
    for (let index = 0; index < 1_023; index++) stream.push(index);
    expect(stream.whenDrained()).toBeUndefined();
    stream.push(1_023);
    const drained = stream.whenDrained();
    expect(drained).toBe(stream.whenDrained());
    const read = Array.fromAsync(stream);
    await drained;
    stream.close();
    expect(await read).toHaveLength(1_024);
    expect(stream.whenDrained()).toBeUndefined();
  });

  test("does not hold up the writer once the reader has left", async () => {
    const stream = new EventStream<number>();
    for (let index = 0; index < 2_000; index++) stream.push(index);
    const drained = stream.whenDrained();
    for await (const item of stream) if (item === 3) break;
    await drained;
    for (let index = 0; index < 2_000; index++) stream.push(index);
    expect(stream.whenDrained()).toBeUndefined();
  });
});

describe("stream()", () => {
  test("yields the events in order and returns the result", async () => {
    const events = graph(TestState).start(node("a")).end().compile().stream({}, { runId: "r" });
    const types: string[] = [];
    let next = await events.next();
    while (!next.done) {
      types.push(next.value.type);
      next = await events.next();
    }
    expect(types).toEqual(["run-start", "node-start", "node-end", "run-end"]);
    expect(next.value.state.log).toEqual(["a"]);
  });

  test("also calls onEvent", async () => {
    const heard: RunEvent[] = [];
    const options = { onEvent: (event: RunEvent) => heard.push(event) };
    const seen = await Array.fromAsync(graph(TestState).start(node("a")).end().compile().stream({}, options));
    expect(heard).toEqual(seen);
    expect(seen).toHaveLength(4);
  });

  test("does nothing until it is read", async () => {
    const ran: string[] = [];
    const a = node("a", () => {
      ran.push("a");
      return;
    });
    const events = graph(TestState).start(a).end().compile().stream();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran).toEqual([]);
    await Array.fromAsync(events);
    expect(ran).toEqual(["a"]);
  });

  test("holds up the run for a slow reader", async () => {
    let ticks = 0;
    const counting = node("tick", () => {
      ticks++;
      return;
    });
    const events = graph(TestState).loop(counting, { maxIterations: 5_000 }).end().compile().stream();
    await events.next();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    const ticksWhileHeld = ticks;
    expect(ticksWhileHeld).toBeGreaterThan(100);
    expect(ticksWhileHeld).toBeLessThan(1_100);
    let last: RunEvent | undefined;
    for await (const event of events) last = event;
    expect(ticks).toBe(5_000);
    expect(last).toMatchObject({ type: "run-end", status: "completed" });
  });

  test("leaving it cancels the run and waits for its end", async () => {
    const checkpointer = new MemorySaver();
    const slow = controlled("slow");
    const compiled = graph(TestState)
      .start([node("a"), slow.node])
      .end()
      .compile({ checkpointer });
    for await (const event of compiled.stream({}, { runId: "r" })) {
      if (event.type === "node-start" && event.nodeId === "slow") break;
    }
    expect(await slow.aborted).toMatchObject({ code: "STREAM_LEFT", message: "The reader of the run's events left." });
    const journal = await checkpointer.open("r", "resume"); // nobody holds the run any more
    await journal.close();
    const entries = await checkpointer.read("r");
    expect(JSON.parse(entries.at(-1)?.body ?? "")).toMatchObject({ type: "end", status: "cancelled" });
  });

  test("leaving it while the run is held cancels the run too", async () => {
    const events = busy(100_000).stream();
    for await (const event of events) if (event.type === "node-end") break;
    expect(await events.next()).toMatchObject({ done: true });
  });

  test("a cancel reaches a run that its reader holds up", async () => {
    const stop = new AbortController();
    const slow = controlled("slow");
    const noisy = node("noisy", ({ emit }) => {
      for (let index = 0; index < 2_000; index++) emit({ type: "log", message: "x" });
      return;
    });
    const compiled = graph(TestState).parallel([slow.node, noisy]).end().compile();
    const events = compiled.stream({}, { signal: stop.signal });
    await events.next();
    await slow.started;
    stop.abort(new Error("enough"));
    expect(await slow.aborted).toEqual(new Error("enough"));
    const rest = await Array.fromAsync(events);
    expect(rest.at(-1)).toMatchObject({ type: "run-end", status: "cancelled" });
  });

  test("rejects with the error of run(), however late it is read", async () => {
    const checkpointer = new FaultySaver(new MemorySaver(), { failAfter: 1 });
    const events = graph(TestState).start(node("a")).end().compile().stream({}, { runId: "r", checkpointer });
    await events.next();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(await rejectionOf(Array.fromAsync(events))).toBeInstanceOf(JournalWriteError);
  });
});
