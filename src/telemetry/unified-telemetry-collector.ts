import { randomUUID } from "node:crypto";
import { platform as platformName } from "node:os";
import { noRedaction, type Redactor } from "../contracts/index.ts";
import { exportableId, exportableProperties } from "./event-properties.ts";
import { SinkQueue } from "./sink-queue.ts";
import { AppInsightsSink } from "./sinks/app-insights-sink.ts";
import { JsonlSink } from "./sinks/jsonl-sink.ts";
import type { TelemetryCollector, TrackedEvent } from "./telemetry-collector.ts";
import type { TelemetryEvent } from "./telemetry-event.ts";
import type { TelemetrySink } from "./telemetry-sink.ts";

/** Settings of a {@link UnifiedTelemetryCollector}. What `loadTelemetryConfig` returns fits. */
export interface UnifiedTelemetryCollectorOptions {
  /** Whether anything is collected at all. */
  readonly enabled: boolean;
  /** The folder of the local files, one a day. @default no local files */
  readonly localLogPath?: string;
  /** An instrumentation key or a connection string of Azure Application Insights. @default nothing is sent there */
  readonly appInsightsKey?: string;
  /** The random id of this installation. @default a random id for this collector */
  readonly anonymousId?: string;
  /** Further places for the events. @default none */
  readonly sinks?: readonly TelemetrySink[];
  /** Properties of every event, such as `atomicVersion` and `nodeVersion`. @default only the id and the platform */
  readonly common?: Readonly<Record<string, string>>;
  /** Takes secrets out of names. @default nothing is redacted */
  readonly redactor?: Pick<Redactor, "text">;
  /** After so many events they are passed on. @default 100 */
  readonly batchSize?: number;
  /** After so long they are passed on, in milliseconds. @default 30_000 */
  readonly flushIntervalMs?: number;
  /** How long a sink may take for a batch, in milliseconds. @default 10_000 */
  readonly writeTimeoutMs?: number;
  /** How long `shutdown` waits for the sinks, in milliseconds. @default 1_000 */
  readonly shutdownTimeoutMs?: number;
  /** Called when a sink has lost a batch. @default nothing */
  readonly onFailure?: (sink: string, error: unknown) => void;
}

/**
 * Collects events of sessions, graphs, workflows and the chat in batches, and passes these on to its sinks. Keeps only the
 * properties that `docs/telemetry.md` lists. A sink that is dead or slow affects neither the program nor the other sinks.
 *
 * ```ts
 * const collector = new UnifiedTelemetryCollector(loadTelemetryConfig({ env: process.env }));
 * const client = withTelemetry(createClaudeClient({ workingDirectory }), collector);
 * ```
 */
export class UnifiedTelemetryCollector implements TelemetryCollector {
  readonly #options: UnifiedTelemetryCollectorOptions;
  readonly #queues: readonly SinkQueue[];
  readonly #common: Readonly<Record<string, string>>;
  readonly #closing = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  #events: TelemetryEvent[] = [];
  #isClosed = false;

  constructor(options: UnifiedTelemetryCollectorOptions) {
    this.#options = options;
    const { enabled, anonymousId = randomUUID(), common = {}, flushIntervalMs = 30_000, onFailure } = options;
    const { writeTimeoutMs = 10_000 } = options;
    this.#common = { ...common, anonymousId, platform: platformName() };
    this.#queues = (enabled ? sinksOf(options) : []).map(
      (sink) =>
        new SinkQueue({
          sink,
          writeTimeoutMs,
          signal: this.#closing.signal,
          onFailure: ({ name }, error) => onFailure?.(name, error),
        }),
    );
    if (!enabled) return;
    this.#timer = setInterval(() => this.#pass(), flushIntervalMs);
    this.#timer.unref();
  }

  isEnabled(): boolean {
    return this.#options.enabled && !this.#isClosed;
  }

  track({ eventType, sessionId, executionId, properties }: TrackedEvent): void {
    if (!this.isEnabled()) return;
    const session = this.#withoutSecret(exportableId(sessionId));
    const execution = this.#withoutSecret(exportableId(executionId));
    this.#events.push({
      eventId: randomUUID(),
      timestamp: new Date(),
      eventType,
      ...(session === undefined ? {} : { sessionId: session }),
      ...(execution === undefined ? {} : { executionId: execution }),
      properties: this.#exportable(properties),
    });
    if (this.#events.length >= (this.#options.batchSize ?? 100)) this.#pass();
  }

  async flush(): Promise<void> {
    this.#pass();
    await Promise.all(this.#queues.map((queue) => queue.drained()));
  }

  async shutdown(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    const { shutdownTimeoutMs = 1_000 } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, shutdownTimeoutMs);
    });
    await Promise.race([this.flush(), limit]);
    clearTimeout(timer);
    this.#closing.abort(new Error("the program ends"));
  }

  #pass(): void {
    const events = this.#events;
    if (events.length === 0) return;
    this.#events = [];
    for (const queue of this.#queues) queue.add(events);
  }

  #exportable(properties: Readonly<Record<string, unknown>>): TelemetryEvent["properties"] {
    const entries = Object.entries(exportableProperties({ ...properties, ...this.#common }));
    return Object.fromEntries(
      entries.filter(([, value]) => typeof value !== "string" || this.#withoutSecret(value) !== undefined),
    );
  }

  /** A name with a secret in it is dropped as a whole. */
  #withoutSecret(text: string | undefined): string | undefined {
    const { redactor = noRedaction } = this.#options;
    return text !== undefined && redactor.text(text) === text ? text : undefined;
  }
}

function sinksOf({ localLogPath, appInsightsKey, sinks = [] }: UnifiedTelemetryCollectorOptions) {
  return [
    ...(localLogPath === undefined ? [] : [new JsonlSink({ folder: localLogPath })]),
    ...(appInsightsKey === undefined ? [] : [new AppInsightsSink({ key: appInsightsKey })]),
    ...sinks,
  ];
}
