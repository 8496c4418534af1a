import type { TelemetryEvent } from "../telemetry-event.ts";
import type { TelemetrySink } from "../telemetry-sink.ts";
import { parseConnectionString } from "./parse-connection-string.ts";

/** Settings of an {@link AppInsightsSink}. */
export interface AppInsightsSinkOptions {
  /** An instrumentation key, or a connection string. */
  readonly key: string;
}

/** So many events are in a request. */
const MAX_EVENTS_PER_REQUEST = 500;

/**
 * Sends events to Azure Application Insights, as custom events in the format of its ingestion endpoint.
 *
 * Why not through Azure's exporter: `@azure/monitor-opentelemetry-exporter` has no stable release (its tag `latest` is a
 * preview of 2020), brings about 30 packages along, and by default reports statistics about its host to Microsoft's own
 * endpoints, which no user of Atomic configured. The format of custom events has been the same since its version 2.
 */
export class AppInsightsSink implements TelemetrySink {
  readonly name = "Application Insights";
  readonly #key: string;

  constructor({ key }: AppInsightsSinkOptions) {
    this.#key = key;
  }

  async write(events: readonly TelemetryEvent[], { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { instrumentationKey, endpoint } = parseConnectionString(this.#key);
    for (let start = 0; start < events.length; start += MAX_EVENTS_PER_REQUEST) {
      const batch = events.slice(start, start + MAX_EVENTS_PER_REQUEST);
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(batch.map((event) => envelopeOf(event, instrumentationKey))),
        signal,
      });
      // Read to its end, so that the connection can be used again.
      await response.arrayBuffer();
      // 206: it rejected some of the events.
      if (response.status !== 200) throw new Error(`Application Insights answered with the status ${response.status}`);
    }
  }
}

function envelopeOf(event: TelemetryEvent, instrumentationKey: string): unknown {
  const { eventId, timestamp, eventType, sessionId, executionId, properties } = event;
  const { anonymousId, atomicVersion, ...rest } = properties;
  const texts: Record<string, string> = { eventId };
  const measurements: Record<string, number> = {};
  for (const [name, value] of Object.entries({ sessionId, executionId, atomicVersion, ...rest })) {
    if (typeof value === "number") measurements[name] = value;
    else if (value !== undefined) texts[name] = String(value);
  }
  return {
    name: "Microsoft.ApplicationInsights.Event",
    time: timestamp.toISOString(),
    iKey: instrumentationKey,
    tags: {
      "ai.cloud.role": "atomic",
      // Otherwise the service would store the sender's address.
      "ai.location.ip": "0.0.0.0",
      ...(typeof anonymousId === "string" ? { "ai.user.id": anonymousId } : {}),
      ...(sessionId === undefined ? {} : { "ai.session.id": sessionId }),
      ...(executionId === undefined ? {} : { "ai.operation.id": executionId }),
      ...(typeof atomicVersion === "string" ? { "ai.application.ver": atomicVersion } : {}),
    },
    data: { baseType: "EventData", baseData: { ver: 2, name: eventType, properties: texts, measurements } },
  };
}
