import { afterEach, describe, expect, test } from "bun:test";
import { platform } from "node:os";
import { createRedactor, withResolvers } from "../contracts/index.ts";
import type { TelemetryEvent } from "./telemetry-event.ts";
import type { TelemetrySink } from "./telemetry-sink.ts";
import { UnifiedTelemetryCollector, type UnifiedTelemetryCollectorOptions } from "./unified-telemetry-collector.ts";

const ID = "0c2b8a52-6a4c-4bb1-9a3e-0b8d1a4f6f10";
const collectors: UnifiedTelemetryCollector[] = [];

afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.shutdown();
});

class MemorySink implements TelemetrySink {
  readonly name = "memory";
  readonly batches: (readonly TelemetryEvent[])[] = [];

  async write(events: readonly TelemetryEvent[]): Promise<void> {
    this.batches.push(events);
  }

  get sizes(): readonly number[] {
    return this.batches.map(({ length }) => length);
  }
}

function collect(options: Partial<UnifiedTelemetryCollectorOptions> = {}): UnifiedTelemetryCollector {
  const collector = new UnifiedTelemetryCollector({ enabled: true, anonymousId: ID, ...options });
  collectors.push(collector);
  return collector;
}

const EVENT = { eventType: "sdk.message.sent", properties: { messageLength: 3 } } as const;

describe("the collector", () => {
  test("adds an id, a time and the common properties, and keeps only what may be exported", async () => {
    const sink = new MemorySink();
    const collector = collect({ sinks: [sink], common: { atomicVersion: "1.2.3", nodeVersion: "v20.15.0" } });
    collector.track({
      eventType: "sdk.tool.executed",
      sessionId: "s-1",
      executionId: "not an id",
      properties: {
        toolName: "Bash",
        isError: false,
        durationMs: 12,
        command: "rm -rf /",
        nodeId: "src/secret.ts",
        model: "anthropic/opus",
        label: "two words",
        errorCode: { toString: () => "x" },
      },
    });
    await collector.flush();
    expect(sink.batches).toEqual([
      [
        {
          eventId: expect.stringMatching(/^[\da-f-]{36}$/),
          timestamp: expect.any(Date),
          eventType: "sdk.tool.executed",
          sessionId: "s-1",
          properties: {
            toolName: "Bash",
            isError: false,
            durationMs: 12,
            model: "anthropic/opus",
            atomicVersion: "1.2.3",
            nodeVersion: "v20.15.0",
            anonymousId: ID,
            platform: platform(),
          },
        },
      ],
    ]);
  });

  test("drops names in which there is a secret", async () => {
    const sink = new MemorySink();
    const redactor = createRedactor({ secrets: [{ name: "API_TOKEN", value: "tok-12345678" }] });
    const collector = collect({ sinks: [sink], redactor });
    collector.track({
      eventType: "graph.node.started",
      executionId: "tok-12345678",
      properties: { nodeId: "tok-12345678", attempt: 1 },
    });
    await collector.flush();
    const { properties, executionId } = sink.batches[0]?.[0] ?? {};
    expect({ properties, executionId }).toEqual({
      properties: { attempt: 1, anonymousId: ID, platform: platform() },
      executionId: undefined,
    });
  });

  test("passes on a batch of 100, without a flush, and another after the interval", async () => {
    const sink = new MemorySink();
    const batched = collect({ sinks: [sink] });
    for (let count = 0; count < 101; count++) batched.track(EVENT);
    expect(sink.sizes).toEqual([100]);
    const written = withResolvers<number>();
    const timed = collect({
      flushIntervalMs: 5,
      sinks: [{ name: "timed", write: async (events) => written.resolve(events.length) }],
    });
    timed.track(EVENT);
    expect(await written.promise).toBe(1);
  });

  test("does not wait for a slow sink, and passes on what came in the meantime when it is ready", async () => {
    const fast = new MemorySink();
    const release = withResolvers<void>();
    const sizes: number[] = [];
    const slow: TelemetrySink = {
      name: "slow",
      async write(events) {
        sizes.push(events.length);
        if (sizes.length === 1) await release.promise;
      },
    };
    const collector = collect({ sinks: [slow, fast], batchSize: 2 });
    for (let count = 0; count < 6; count++) collector.track(EVENT);
    expect(sizes).toEqual([2]);
    release.resolve();
    await collector.flush();
    expect({ sizes, fast: fast.sizes.reduce((sum, size) => sum + size, 0) }).toEqual({ sizes: [2, 4], fast: 6 });
  });

  test("reports a sink that fails, and continues", async () => {
    const sink = new MemorySink();
    const failures: unknown[] = [];
    const dead: TelemetrySink = { name: "dead", write: () => Promise.reject(new Error("no route")) };
    const onFailure = (name: string, error: unknown): void => void failures.push([name, String(error)]);
    const collector = collect({ sinks: [dead, sink], onFailure });
    collector.track(EVENT);
    await collector.flush();
    collector.track(EVENT);
    await collector.flush();
    expect({ failures, sizes: sink.sizes }).toEqual({
      failures: [
        ["dead", "Error: no route"],
        ["dead", "Error: no route"],
      ],
      sizes: [1, 1],
    });
  });

  test("aborts a sink that hangs after the end's time limit", async () => {
    const aborted = withResolvers<string>();
    const hanging: TelemetrySink = {
      name: "hanging",
      write: (_events, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.resolve(String(signal.reason));
            reject(signal.reason);
          });
        }),
    };
    const collector = collect({ sinks: [hanging], shutdownTimeoutMs: 10 });
    collector.track(EVENT);
    await collector.shutdown();
    expect(await aborted.promise).toBe("Error: the program ends");
  });

  test("aborts a batch after its own time limit, and passes on the next one", async () => {
    const done = withResolvers<string>();
    let count = 0;
    const slow: TelemetrySink = {
      name: "slow",
      write: (_events, { signal }) =>
        ++count === 1
          ? new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
          : Promise.resolve(),
    };
    const collector = collect({
      sinks: [slow],
      batchSize: 1,
      writeTimeoutMs: 10,
      onFailure: (_name, error) => done.resolve(String(error)),
    });
    collector.track(EVENT);
    expect(await done.promise).toContain("TimeoutError");
    collector.track(EVENT);
    await collector.flush();
    expect(count).toBe(2);
  });

  test.each([
    { title: "that is off", options: { enabled: false } },
    { title: "after its end", options: { enabled: true } },
  ])("$title takes nothing", async ({ options }) => {
    const sink = new MemorySink();
    const collector = collect({ ...options, sinks: [sink] });
    if (options.enabled) await collector.shutdown();
    collector.track(EVENT);
    await collector.flush();
    expect({ isEnabled: collector.isEnabled(), sizes: sink.sizes }).toEqual({ isEnabled: false, sizes: [] });
  });
});
