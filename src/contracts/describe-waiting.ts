import type { AgentEvent } from "./agent-event.ts";

/** Why an agent waits, in the provider's words, and when it goes on, as far as that is known. */
export function describeWaiting(
  { reason, message, attempt, retryAt }: Extract<AgentEvent, { readonly type: "waiting" }>,
  now: number,
): string {
  const facts = [
    ...(attempt === undefined ? [] : [`attempt ${attempt} failed`]),
    ...(retryAt === undefined || retryAt <= now ? [] : [`again in ${Math.ceil((retryAt - now) / 1000)} s`]),
  ];
  return `(${[reason, ...facts].join(", ")}): ${message}`;
}

/** Leaves out an agent's waits that say nothing new: some agents tell of the same one every second. */
export class WaitingFilter {
  #last: string | undefined;

  /** The words about a wait, unless the last one had the same; nothing for other events. */
  take(event: AgentEvent, now: number): string | undefined {
    if (event.type !== "waiting") {
      // What the agent says or does ends the wait, and so does another turn.
      if (PROGRESS.has(event.type)) this.#last = undefined;
      return undefined;
    }
    const words = describeWaiting(event, now);
    if (words === this.#last) return undefined;
    this.#last = words;
    return words;
  }
}

const PROGRESS: ReadonlySet<AgentEvent["type"]> = new Set(["turn-start", "text-delta", "thinking-delta", "tool-start"]);
