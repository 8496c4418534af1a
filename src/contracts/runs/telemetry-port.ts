import type { RunEvent } from "./run-event.ts";

/** Attributes of a span, by name. Never the text of prompts, answers, commands, files or errors. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Identifies a span across processes, as in W3C Trace Context. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** 1 for a span that is recorded. */
  readonly traceFlags: number;
}

/** A related span that is not this one's parent. */
export interface SpanLink {
  readonly context: SpanContext;
  readonly attributes: SpanAttributes;
}

/** The initial values of a span. */
export interface SpanStart {
  readonly name: string;
  /** OpenTelemetry's `SpanKind.INTERNAL`: as far as Atomic can see, all work happens in this process. */
  readonly kind: 0;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly attributes: SpanAttributes;
  readonly links: readonly SpanLink[];
  /** Atomic's identity of the span. The trace is derived from the run's id, so all processes of a run share it. */
  readonly context: SpanContext;
}

/** A span that has started. The `Span` of `@opentelemetry/api` is one. */
export interface TelemetrySpan {
  setAttributes(attributes: SpanAttributes): unknown;
  addEvent(name: string, attributes: SpanAttributes, time: number): unknown;
  /** 2 is OpenTelemetry's `SpanStatusCode.ERROR`; the status of a span without one is unset. */
  setStatus(status: { readonly code: 2; readonly message: string }): unknown;
  /** @param endTime milliseconds since 1970; may be in the past */
  end(endTime: number): unknown;
}

/**
 * Receives the spans of a run. Called synchronously, so an implementation should only take notes. If it throws, the run
 * continues, and subscribers receive one `warning`.
 */
export interface TelemetryPort {
  /** @param parent what this method returned for the span above; `undefined` for the span of the run */
  startSpan(start: SpanStart, parent: TelemetrySpan | undefined): TelemetrySpan;
  /**
   * Receives the run's events before its subscribers do, for counters and measurements. Events contain prompts and outputs:
   * export numbers and names only. A run that breaks off without a `run-end` has one here, with the status `failed`.
   * @default events are not needed
   */
  onRunEvent?(event: RunEvent): void;
}
