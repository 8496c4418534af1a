import type { RunEvent, SpanStart, TelemetryPort, TelemetrySpan } from "../contracts/index.ts";

/** A span of which nothing is kept: what ports return that need events only. */
export const NO_SPAN: TelemetrySpan = {
  setAttributes: () => undefined,
  addEvent: () => undefined,
  setStatus: () => undefined,
  end: () => undefined,
};

/** One port for several: each receives every span and every event. */
export function combineTelemetry(ports: readonly TelemetryPort[]): TelemetryPort {
  return {
    startSpan: (start, parent) => new CombinedSpan(ports, start, parent),
    onRunEvent(event: RunEvent) {
      callAll(ports, (port) => port.onRunEvent?.(event));
    },
  };
}

class CombinedSpan implements TelemetrySpan {
  readonly #spans: readonly (TelemetrySpan | undefined)[];

  constructor(ports: readonly TelemetryPort[], start: SpanStart, parent: TelemetrySpan | undefined) {
    const above = parent instanceof CombinedSpan ? parent.#spans : [];
    const spans: (TelemetrySpan | undefined)[] = [];
    callAll(ports.entries(), ([index, port]) => {
      spans[index] = port.startSpan(start, above[index]);
    });
    this.#spans = spans;
  }

  setAttributes(attributes: Parameters<TelemetrySpan["setAttributes"]>[0]): void {
    callAll(this.#spans, (span) => span?.setAttributes(attributes));
  }

  addEvent(...event: Parameters<TelemetrySpan["addEvent"]>): void {
    callAll(this.#spans, (span) => span?.addEvent(...event));
  }

  setStatus(status: Parameters<TelemetrySpan["setStatus"]>[0]): void {
    callAll(this.#spans, (span) => span?.setStatus(status));
  }

  end(endTime: number): void {
    callAll(this.#spans, (span) => span?.end(endTime));
  }
}

/** Calls all, even if one throws; then throws the first error. */
function callAll<Part>(parts: Iterable<Part>, call: (part: Part) => unknown): void {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      call(part);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
