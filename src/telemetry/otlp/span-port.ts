import type { Context, Span, SpanOptions, Tracer } from "@opentelemetry/api";
import type { IdGenerator } from "@opentelemetry/sdk-trace";
import type { SpanAttributes, SpanContext, SpanStart, TelemetryPort, TelemetrySpan } from "../../contracts/index.ts";

/** The ids that Atomic derives from the run, so that all processes of a run are in one trace. */
export class GivenIds implements IdGenerator {
  #next: SpanContext | undefined;

  /** Runs a function in which the next span has this identity. */
  use<T>(context: SpanContext, start: () => T): T {
    this.#next = context;
    try {
      return start();
    } finally {
      this.#next = undefined;
    }
  }

  generateTraceId(): string {
    return this.#given().traceId;
  }

  generateSpanId(): string {
    return this.#given().spanId;
  }

  #given(): SpanContext {
    if (this.#next === undefined) throw new Error("A span was started outside of GivenIds.use()");
    return this.#next;
  }
}

/** What a {@link SpanPort} is made of. */
export interface SpanPortOptions {
  readonly tracer: Tracer;
  readonly ids: GivenIds;
  /** The context of a span above; without one, that of a root. */
  readonly contextOf: (parent: Span | undefined) => Context;
  /** Takes secrets out of a name. */
  readonly redact: (text: string) => string;
}

/** Passes a run's spans on to a tracer of OpenTelemetry. */
export class SpanPort implements TelemetryPort {
  readonly #options: SpanPortOptions;

  constructor(options: SpanPortOptions) {
    this.#options = options;
  }

  startSpan(
    { name, kind, startTime, attributes, links, context }: SpanStart,
    parent: TelemetrySpan | undefined,
  ): TelemetrySpan {
    const { tracer, ids, contextOf, redact } = this.#options;
    const options: SpanOptions = {
      kind,
      startTime: new Date(startTime),
      attributes: redactAttributes(attributes, redact),
      links: links.map((link) => ({ context: link.context, attributes: { ...link.attributes } })),
    };
    const above = parent instanceof ExportedSpan ? parent.span : undefined;
    const span = ids.use(context, () => tracer.startSpan(redact(name), options, contextOf(above)));
    return new ExportedSpan(span, redact);
  }
}

class ExportedSpan implements TelemetrySpan {
  constructor(
    readonly span: Span,
    readonly redact: (text: string) => string,
  ) {}

  setAttributes(attributes: SpanAttributes): void {
    this.span.setAttributes(redactAttributes(attributes, this.redact));
  }

  addEvent(name: string, attributes: SpanAttributes, time: number): void {
    this.span.addEvent(this.redact(name), redactAttributes(attributes, this.redact), new Date(time));
  }

  setStatus(status: { readonly code: 2; readonly message: string }): void {
    this.span.setStatus(status);
  }

  end(endTime: number): void {
    this.span.end(new Date(endTime));
  }
}

function redactAttributes(attributes: SpanAttributes, redact: (text: string) => string): SpanAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === "string" ? redact(value) : value]),
  );
}
