import type { AgentEvent, Session } from "../../contracts/index.ts";

/** Compacts a conversation, and collects the summary that the agent writes meanwhile. */
export class Compaction {
  #summary: string | undefined;

  /** Whether a compaction is in progress. */
  get isRunning(): boolean {
    return this.#summary !== undefined;
  }

  /** Compacts the conversation, and returns the summary, or a sentence that the agent has shown none. @throws what the agent throws */
  async run(session: Session): Promise<string> {
    this.#summary = "";
    try {
      await session.summarize();
      return this.#summary.trim() || "The agent keeps the summary to itself.";
    } finally {
      this.#summary = undefined;
    }
  }

  /** Receives an event of the agent during the compaction. Returns whether the conversation shows it. */
  take(event: AgentEvent): boolean {
    if (event.type === "text-delta") this.#summary = (this.#summary ?? "") + event.text;
    if (event.type === "text-restart") this.#summary = undefined;
    return event.type === "compacted" || event.type === "usage";
  }
}

/** Why there is nothing to compact. @param context what the agent receives with the next message */
export function nothingToCompact(agentType: string, context: readonly string[]): string {
  if (context.length === 0) return "There is nothing to compact yet.";
  return `There is nothing to compact yet: ${agentType} receives the conversation so far as text, with your next message.`;
}
