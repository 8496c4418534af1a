import { messageOf } from "../../contracts/index.ts";
import type { AgentConnection } from "./agent-connection.ts";
import { askAside } from "./ask-aside.ts";
import { addNotice } from "./chat-model.ts";
import type { ChatStore } from "./chat-store.ts";

/** What {@link SideQuestions} needs. */
export interface SideQuestionsOptions {
  readonly store: ChatStore;
  readonly connection: AgentConnection;
  readonly now: () => number;
}

/** The side questions of `/btw`: each is shown as in progress, and can be stopped. */
export class SideQuestions {
  readonly #options: SideQuestionsOptions;
  readonly #open = new Set<AbortController>();

  constructor(options: SideQuestionsOptions) {
    this.#options = options;
  }

  /** Asks, and shows question and answer as notices. Never rejects: failures become notices, too. */
  async ask(text: string): Promise<void> {
    const { store, connection } = this.#options;
    const question = new AbortController();
    this.#say(`Aside: ${text}`);
    this.#change(() => this.#open.add(question));
    try {
      const answer = await askAside(text, {
        client: await connection.client(),
        config: connection.config(),
        sessionId: connection.session?.id,
        entries: store.snapshot().model.entries,
        signal: question.signal,
      });
      this.#say(`**Aside:** ${answer}`, { isMarkdown: true });
    } catch (error) {
      if (question.signal.aborted) this.#say("The side question was stopped.");
      else this.#say(messageOf(error), { tone: "error" });
    } finally {
      this.#change(() => this.#open.delete(question));
    }
  }

  /** Stops all that are open. */
  stop(): void {
    for (const question of this.#open) question.abort(new DOMException("The user stopped the question.", "AbortError"));
  }

  #change(change: () => void): void {
    change();
    this.#options.store.change({ sideQuestionCount: this.#open.size });
  }

  #say(text: string, options: { readonly isMarkdown?: boolean; readonly tone?: "info" | "error" } = {}): void {
    const { store, now } = this.#options;
    store.reduce((model) => addNotice(model, { at: now(), text, ...options }));
  }
}
