import { createHash } from "node:crypto";
import type { SpanAttributes, SpanContext, SpanLink, TelemetryPort, TelemetrySpan } from "../../contracts/index.ts";

/**
 * What a span stands for: the run, an attempt of a node, an action within it, or a group of nodes (a fork, a branch, the
 * graph of a node that an earlier process started), which lasts from its first node to its last.
 */
export type SpanSubject = "run" | "visit" | "action" | "group";

/** A span that has not ended. */
export interface OpenSpan {
  readonly key: string;
  readonly subject: SpanSubject;
  readonly parent: OpenSpan | undefined;
  readonly children: Set<OpenSpan>;
  /** Absent when the port failed to start it. */
  readonly span: TelemetrySpan | undefined;
  readonly startTime: number;
  /** When the last thing within it happened. */
  lastTime: number;
}

/** The description of a new span. */
export interface SpanOpening {
  readonly subject: SpanSubject;
  readonly parent: OpenSpan | undefined;
  readonly name: string;
  readonly at: number;
  readonly attributes: SpanAttributes;
  readonly links?: readonly SpanLink[];
}

/** How a span ends. */
export interface SpanEnding {
  readonly at: number;
  readonly attributes?: SpanAttributes;
  /** The code of the error it ends with. */
  readonly errorCode?: string | undefined;
}

/** The id of a trace, or of a span in it, derived from texts that identify it. */
export function hashHex(parts: readonly (string | number)[], digits: number): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, digits);
}

/**
 * The open spans of one process's part in a run, by key. A span's times are always within its parent's, whatever the clock
 * does. It ends once: at its own end or at its parent's.
 */
export class SpanTree {
  readonly #port: TelemetryPort;
  readonly #onFailure: (error: unknown) => void;
  readonly #identity: { readonly traceId: string; readonly seed: string };
  readonly #open = new Map<string, OpenSpan>();
  #count = 0;

  constructor(
    port: TelemetryPort,
    identity: { readonly traceId: string; readonly seed: string },
    onFailure: (error: unknown) => void,
  ) {
    this.#port = port;
    this.#identity = identity;
    this.#onFailure = onFailure;
  }

  get(key: string): OpenSpan | undefined {
    return this.#open.get(key);
  }

  /** Starts a span. Ends an open one with the same key. */
  open(key: string, { subject, parent, name, at, attributes, links = [] }: SpanOpening): OpenSpan {
    const earlier = this.#open.get(key);
    if (earlier !== undefined) this.end(earlier, { at });
    const startTime = Math.max(at, parent?.startTime ?? at);
    const context = this.#nextContext();
    const above = nearestSpan(parent);
    const span = this.#try(() => this.#port.startSpan({ name, kind: 0, startTime, attributes, links, context }, above));
    const opened: OpenSpan = { key, subject, parent, children: new Set(), span, startTime, lastTime: startTime };
    parent?.children.add(opened);
    this.#open.set(key, opened);
    return opened;
  }

  addEvent(
    open: OpenSpan,
    event: { readonly name: string; readonly at: number; readonly attributes?: SpanAttributes },
  ): void {
    open.lastTime = Math.max(open.lastTime, event.at);
    this.#try(() => open.span?.addEvent(event.name, event.attributes ?? {}, Math.max(open.startTime, event.at)));
  }

  /** Ends a span, after all open spans within it. */
  end(open: OpenSpan, { at, attributes, errorCode }: SpanEnding): void {
    if (this.#open.get(open.key) !== open) return;
    for (const child of open.children) this.end(child, { at });
    this.#open.delete(open.key);
    const { parent, span } = open;
    const endTime = open.subject === "group" ? open.lastTime : Math.max(at, open.lastTime);
    if (parent !== undefined) {
      parent.children.delete(open);
      parent.lastTime = Math.max(parent.lastTime, endTime);
    }
    if (attributes !== undefined) this.#try(() => span?.setAttributes(attributes));
    if (errorCode !== undefined) this.#try(() => span?.setStatus({ code: 2, message: errorCode }));
    this.#try(() => span?.end(endTime));
  }

  #nextContext(): SpanContext {
    const { traceId, seed } = this.#identity;
    return { traceId, spanId: hashHex([seed, this.#count++], 16), traceFlags: 1 };
  }

  #try<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      this.#onFailure(error);
      return undefined;
    }
  }
}

function nearestSpan(open: OpenSpan | undefined): TelemetrySpan | undefined {
  let current = open;
  while (current !== undefined && current.span === undefined) current = current.parent;
  return current?.span;
}
