import type { AgentEventBody } from "./agent-event.ts";

/** An agent reports that it waits. */
export type Waiting = Extract<AgentEventBody, { readonly type: "waiting" }>;

/** Why an agent waits, in the provider's words, and, if known, when it continues. */
export function describeWaiting({ reason, message, attempt, retryAt }: Waiting, now: number): string {
  const facts = [
    ...(attempt === undefined ? [] : [`attempt ${attempt} failed`]),
    ...(retryAt === undefined || retryAt <= now ? [] : [`again in ${Math.ceil((retryAt - now) / 1000)} s`]),
  ];
  return `(${[reason, ...facts].join(", ")}): ${message}`;
}

/** Filters out repeated waits: some agents report the same one every second. */
export class WaitingFilter {
  #last: Waiting | undefined;

  /** Describes a wait. Returns undefined for other events, and when only the time left differs from the last wait. */
  take(event: AgentEventBody, now: number): string | undefined {
    if (event.type !== "waiting") {
      if (endsWait(event)) this.#last = undefined;
      return undefined;
    }
    const last = this.#last;
    this.#last = event;
    return last !== undefined && isSameWait(last, event, now) ? undefined : describeWaiting(event, now);
  }
}

/** An agent that counts down recomputes the end each time, with small differences. */
const END_PRECISION_MS = 5_000;

/** Whether two reports of a wait, the second from `now`, differ only in the time left. */
export function isSameWait(last: Waiting, next: Waiting, now: number): boolean {
  if (last.reason !== next.reason || last.message !== next.message || last.attempt !== next.attempt) return false;
  if (last.retryAt === undefined || next.retryAt === undefined) return last.retryAt === next.retryAt;
  return now < last.retryAt && Math.abs(last.retryAt - next.retryAt) <= END_PRECISION_MS;
}

const PROGRESS: ReadonlySet<AgentEventBody["type"]> = new Set([
  "turn-start",
  "text-delta",
  "thinking-delta",
  "tool-start",
]);

/** Whether an event ends a wait: any output or tool call of the agent does, and so does another turn. */
export function endsWait(event: AgentEventBody): boolean {
  return PROGRESS.has(event.type);
}
