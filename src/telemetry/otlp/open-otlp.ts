import { randomUUID } from "node:crypto";
import type { Meter } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { noRedaction, type Redactor, type TelemetryPort } from "../../contracts/index.ts";
import { combineTelemetry, NO_SPAN } from "../combine-telemetry.ts";
import { LookupMetrics, type NameLookup } from "./lookup-metrics.ts";
import type { OtlpSettings, OtlpSignal } from "./otlp-settings.ts";
import { RunMetrics } from "./run-metrics.ts";
import { GivenIds, SpanPort } from "./span-port.ts";

/** Settings of {@link openOtlp}. */
export interface OpenOtlpOptions {
  /** The version of the program. */
  readonly version: string;
  /** The random id of this installation. @default none is exported */
  readonly anonymousId?: string | undefined;
  /** Takes secrets out of names. @default nothing is redacted */
  readonly redactor?: Pick<Redactor, "text">;
  /** Called when a batch is lost. */
  readonly onFailure: (error: unknown) => void;
}

/** Exports the traces and metrics of runs. */
export interface OtlpTelemetry {
  readonly port: TelemetryPort;
  /** Takes the next look-up of a name. */
  observeLookup(lookup: NameLookup): void;
  /** Exports what waits. May take as long as the receiver does: do not wait for it without a limit. Never rejects. */
  shutdown(): Promise<void>;
}

/** Spans that wait for their export; a large run has some thousands in a few seconds. */
const MAX_WAITING_SPANS = 20_000;

/** Opens OpenTelemetry's exporters. The packages are loaded here, so that calls without a destination need none of them. */
export async function openOtlp(settings: OtlpSettings, options: OpenOtlpOptions): Promise<OtlpTelemetry> {
  const { redactor = noRedaction } = options;
  const redact = (text: string): string => redactor.text(text);
  const resource = await createResource(settings, options);
  const opened = [
    settings.traces && (await openTraces(settings.traces, { ...options, resource, redact })),
    settings.metrics && (await openMetrics(settings.metrics, { ...options, resource, redact, settings })),
  ].filter((part) => part !== undefined);
  return {
    port: combineTelemetry(opened.map(({ port }) => port)),
    observeLookup: (lookup) => {
      for (const part of opened) part.observeLookup(lookup);
    },
    async shutdown() {
      const ends = await Promise.allSettled(opened.map((part) => part.shutdown()));
      for (const end of ends) if (end.status === "rejected") options.onFailure(end.reason);
    },
  };
}

async function createResource(settings: OtlpSettings, options: OpenOtlpOptions): Promise<Resource> {
  const { defaultResource, resourceFromAttributes } = await import("@opentelemetry/resources");
  const { serviceName, resourceAttributes } = settings;
  const { version, anonymousId } = options;
  return defaultResource().merge(
    resourceFromAttributes({
      "service.version": version,
      "service.instance.id": randomUUID(),
      ...(anonymousId === undefined ? {} : { "atomic.installation.id": anonymousId }),
      // The user's own, which may replace those above.
      ...resourceAttributes,
      "service.name": serviceName,
    }),
  );
}

interface SignalOptions extends OpenOtlpOptions {
  readonly resource: Resource;
  readonly redact: (text: string) => string;
}

async function openTraces(signal: OtlpSignal, options: SignalOptions): Promise<OtlpTelemetry> {
  const { ROOT_CONTEXT, trace } = await import("@opentelemetry/api");
  const { BatchSpanProcessor, TracerProvider } = await import("@opentelemetry/sdk-trace");
  const { OTLPTraceExporter } =
    signal.protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  const { resource, redact, version, onFailure } = options;
  const exporter = new OTLPTraceExporter({ url: signal.url, headers: { ...signal.headers } });
  const ids = new GivenIds();
  const provider = new TracerProvider({
    resource,
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportingFailures<SpanExporter>(exporter, onFailure),
        maxQueueSize: MAX_WAITING_SPANS,
      }),
    ],
  });
  const port = new SpanPort({
    tracer: provider.getTracer("atomic", version),
    ids,
    contextOf: (parent) => (parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent)),
    redact,
  });
  return { port, observeLookup: () => undefined, shutdown: () => provider.shutdown() };
}

async function openMetrics(
  signal: OtlpSignal,
  options: SignalOptions & { readonly settings: OtlpSettings },
): Promise<OtlpTelemetry> {
  const { MeterProvider, PeriodicExportingMetricReader } = await import("@opentelemetry/sdk-metrics");
  const { OTLPMetricExporter } =
    signal.protocol === "http/json"
      ? await import("@opentelemetry/exporter-metrics-otlp-http")
      : await import("@opentelemetry/exporter-metrics-otlp-proto");
  const { resource, redact, version, onFailure, settings } = options;
  const exporter = new OTLPMetricExporter({ url: signal.url, headers: { ...signal.headers } });
  const provider = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: reportingFailures<PushMetricExporter>(exporter, onFailure),
        exportIntervalMillis: settings.metricIntervalMs,
        exportTimeoutMillis: Math.min(settings.metricIntervalMs, 10_000),
      }),
    ],
  });
  const meter: Meter = provider.getMeter("atomic", version);
  const metrics = new RunMetrics(meter, redact);
  const lookups = new LookupMetrics(meter);
  return {
    port: { startSpan: () => NO_SPAN, onRunEvent: (event) => metrics.observe(event) },
    observeLookup: (lookup) => lookups.observe(lookup),
    shutdown: () => provider.shutdown(),
  };
}

/** How an export ended: 0 is success. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** The same exporter; OpenTelemetry itself keeps quiet about what it loses. */
function reportingFailures<Exporter extends SpanExporter | PushMetricExporter>(
  exporter: Exporter,
  onFailure: (error: unknown) => void,
): Exporter {
  const send = exporter.export.bind(exporter) as (data: unknown, done: (result: ExportResult) => void) => void; // both kinds of exporter have this form
  exporter.export = (data: unknown, done: (result: ExportResult) => void): void => {
    send(data, (result) => {
      if (result.code !== 0) onFailure(result.error ?? new Error("The export failed"));
      done(result);
    });
  };
  return exporter;
}
