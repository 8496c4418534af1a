import type { RunMailbox, RunMessage } from "../model/checkpointer.ts";

/** Carries messages within this process. */
export class MemoryMailbox implements RunMailbox {
  readonly #messages = new Map<string, RunMessage[]>();
  readonly #replies = new Map<string, string>();

  async post(runId: string, text: string): Promise<string> {
    const id = crypto.randomUUID();
    this.#messages.set(runId, [...(this.#messages.get(runId) ?? []), { id, text }]);
    return id;
  }

  async receive(runId: string): Promise<readonly RunMessage[]> {
    const messages = this.#messages.get(runId) ?? [];
    this.#messages.delete(runId);
    return messages;
  }

  async reply(_runId: string, messageId: string, text: string): Promise<void> {
    this.#replies.set(messageId, text);
  }

  async takeReply(_runId: string, messageId: string): Promise<string | undefined> {
    const reply = this.#replies.get(messageId);
    this.#replies.delete(messageId);
    return reply;
  }

  async withdraw(runId: string, messageId: string): Promise<boolean> {
    const messages = this.#messages.get(runId) ?? [];
    const others = messages.filter(({ id }) => id !== messageId);
    this.#messages.set(runId, others);
    return others.length < messages.length;
  }

  /** Deletes the remaining messages of a run. */
  clear(runId: string): void {
    this.#messages.delete(runId);
  }
}
