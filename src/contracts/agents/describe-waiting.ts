import type { AgentEventBody } from "./agent-event.ts";

/** An agent's word that it waits. */
export type Waiting = Extract<AgentEventBody, { readonly type: "waiting" }>;

/** Why an agent waits, in the provider's words, and when it goes on, as far as that is known. */
export function describeWaiting({ reason, message, attempt, retryAt }: Waiting, now: number): string {
  const facts = [
    ...(attempt === undefined ? [] : [`attempt ${attempt} failed`]),
    ...(retryAt === undefined || retryAt <= now ? [] : [`again in ${Math.ceil((retryAt - now) / 1000)} s`]),
  ];
  return `(${[reason, ...facts].join(", ")}): ${message}`;
}

/** Leaves out an agent's waits that say nothing new: some agents tell of the same one every second. */
export class WaitingFilter {
  #last: Waiting | undefined;

  /** The words about a wait, unless the last one was the same but for the time left; nothing for other events. */
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

/** An agent that counts down reckons the end anew each time, a little differently. */
const END_PRECISION_MS = 5_000;

/** Whether two words about a wait, the second of them said now, differ in nothing but the time left. */
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

/** Whether an agent no longer waits: what it says or does ends a wait, and so does another turn. */
export function endsWait(event: AgentEventBody): boolean {
  return PROGRESS.has(event.type);
}
