import type { ChatEntry } from "../chat/chat-entry.ts";
import { isOpenAtFirst } from "./entry-to-lines.ts";

/** Which entries a person opened or folded. */
export class FoldStore {
  readonly #chosen = new Map<string, boolean>();
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether an entry shows its details. */
  isOpen(entry: ChatEntry): boolean {
    return this.#chosen.get(entry.id) ?? isOpenAtFirst(entry);
  }

  /** Opens a folded entry, folds an open one. */
  toggle(entry: ChatEntry): void {
    this.#chosen.set(entry.id, !this.isOpen(entry));
    for (const listener of this.#listeners) listener();
  }
}
