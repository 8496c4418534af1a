/** What a span says about itself, by name. Never text of prompts, answers, commands, files or errors. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** What identifies a span across processes, as W3C Trace Context has it. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** 1 for a span that is recorded. */
  readonly traceFlags: number;
}

/** Another span that has to do with this one without being above it. */
export interface SpanLink {
  readonly context: SpanContext;
  readonly attributes: SpanAttributes;
}

/** What a span begins with. */
export interface SpanStart {
  readonly name: string;
  /** OpenTelemetry's `SpanKind.INTERNAL`: all of it happens in this process, as far as Atomic can see. */
  readonly kind: 0;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly attributes: SpanAttributes;
  readonly links: readonly SpanLink[];
  /** What Atomic calls the span. The trace is the same for all processes that execute a run; it follows from its id. */
  readonly context: SpanContext;
}

/** A span that has begun. The `Span` of `@opentelemetry/api` is one. */
export interface TelemetrySpan {
  setAttributes(attributes: SpanAttributes): unknown;
  addEvent(name: string, attributes: SpanAttributes, time: number): unknown;
  /** 2 is OpenTelemetry's `SpanStatusCode.ERROR`; the status of a span without one is unset. */
  setStatus(status: { readonly code: 2; readonly message: string }): unknown;
  /** @param endTime milliseconds since 1970; may lie in the past */
  end(endTime: number): unknown;
}

/**
 * Where the spans of a run go. Called synchronously, so that an implementation should only take notes. When it throws,
 * the run goes on, and its watchers hear one `warning`.
 */
export interface TelemetryPort {
  /** @param parent what this method returned for the span above; `undefined` for the span of the run */
  startSpan(start: SpanStart, parent: TelemetrySpan | undefined): TelemetrySpan;
}
