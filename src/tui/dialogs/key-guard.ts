import { type PressedKey, textOf } from "../keys/keymap.ts";

/** Keys this soon after a dialog's first drawing were not meant for it. In milliseconds. */
const QUIET_MS = 300;

/** Who is typing answers only after a pause of this length: text and Enter before that continue the text. In milliseconds. */
const PAUSE_MS = 800;

/** A letter is an answer only if no other key follows it within this time, in milliseconds. */
const ALONE_MS = 200;

/** A key this soon after a paste came with it: a pasted text can contain the mark of its end. In milliseconds. */
const AFTER_PASTE_MS = 100;

/** What {@link KeyGuard} needs. */
export interface KeyGuardOptions {
  readonly now: () => number;
  /** Receives text that was meant for the input. */
  readonly onTyped: (text: string) => void;
  /** Receives a letter that was no answer, since a text continues with it. @default onTyped */
  readonly onContinued?: (text: string) => void;
  /** Runs something later. Returns a function that cancels it. @default setTimeout */
  readonly schedule?: (run: () => void, delayMs: number) => () => void;
  /** How long keys after begin() were meant for what was there before, in milliseconds. @default 300 */
  readonly quietMs?: number;
}

/** A letter that is an answer if no other key follows. */
interface PendingAnswer {
  readonly at: number;
  readonly name: string;
  readonly text: string;
  readonly answer: () => void;
  readonly cancel: () => void;
}

/**
 * Distinguishes answers from typing. Keys count from `quietMs` after the dialog was drawn; after a key before that, or text in the 800 ms
 * before the dialog, only once the keyboard has been quiet for 800 ms. A letter is an answer only when it stands alone: no text 800 ms before it, no key 200 ms after it.
 */
export class KeyGuard {
  readonly #options: KeyGuardOptions;
  #quietSince: number | undefined;
  #neededMs: number;
  #isOpen = false;
  #textAt = Number.NEGATIVE_INFINITY;
  #pastedAt = Number.NEGATIVE_INFINITY;
  #isAlone = true;
  #pending: PendingAnswer | undefined;

  constructor(options: KeyGuardOptions) {
    this.#options = options;
    this.#neededMs = options.quietMs ?? QUIET_MS;
  }

  /**
   * The dialog was drawn. What was pressed before that nobody meant for it.
   *
   * @param textAt when the person typed last, into whatever was there before
   */
  begin(textAt = Number.NEGATIVE_INFINITY): void {
    if (this.#quietSince !== undefined) return;
    this.#quietSince = this.#options.now();
    if (this.#quietSince - textAt < PAUSE_MS) this.#neededMs = Math.max(PAUSE_MS, this.#neededMs);
  }

  /** A text was pasted. */
  notePaste(): void {
    this.#pastedAt = this.#options.now();
    this.#textAt = this.#pastedAt;
  }

  /** What was pressed last is no text that the next key continues: an answer, or text for a field of the dialog. */
  forgetText(): void {
    this.#textAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether a key that is pressed now is for the dialog. Called for each key, first. */
  accepts(key: PressedKey): boolean {
    const now = this.#options.now();
    const text = textOf(key);
    this.#cancelUnless(key, now);
    if (now - this.#pastedAt < AFTER_PASTE_MS) {
      this.#options.onTyped(text);
      return false;
    }
    if (!this.#isOpen) {
      const isQuiet = this.#quietSince !== undefined && now - this.#quietSince >= this.#neededMs;
      if (!isQuiet) {
        if (this.#quietSince !== undefined) this.#quietSince = now;
        this.#neededMs = Math.max(PAUSE_MS, this.#neededMs);
        this.#textAt = text === "" ? this.#textAt : now;
        this.#options.onTyped(text);
        return false;
      }
      this.#isOpen = true;
    }
    if (text !== "") this.#isAlone = now - this.#textAt >= PAUSE_MS;
    // The space bar pages and chooses.
    if (text !== "" && text !== " ") this.#textAt = now;
    return true;
  }

  /** Whether no text was typed just before. */
  isQuiet(): boolean {
    return this.#options.now() - this.#textAt >= PAUSE_MS;
  }

  /** Keeps a key that continues a text. Returns whether it was one. */
  takeTyping(key: PressedKey): boolean {
    const text = textOf(key);
    if (text === "" || this.#isAlone || this.#pending !== undefined) return false;
    this.#options.onTyped(text);
    return true;
  }

  /** Keeps the text of a key that is no answer: a text may start with it. */
  keep(key: PressedKey): void {
    const text = textOf(key);
    if (text !== "") this.#options.onTyped(text);
  }

  /** Answers with a letter, unless a text continues with it. */
  answerAlone(key: PressedKey, answer: () => void): void {
    if (this.#pending !== undefined) {
      this.#pending = { ...this.#pending, answer };
      return;
    }
    const text = textOf(key);
    const { schedule = later } = this.#options;
    const run = (): void => {
      const pending = this.#pending;
      this.#pending = undefined;
      // It was no text, even where the answer does not count yet.
      this.forgetText();
      pending?.answer();
    };
    this.#pending = { at: this.#options.now(), name: key.name, text, answer, cancel: schedule(run, ALONE_MS) };
  }

  /** The dialog is gone, or takes no keys until the next begin(). */
  end(): void {
    this.#drop();
    this.#quietSince = undefined;
    this.#neededMs = this.#options.quietMs ?? QUIET_MS;
    this.#isOpen = false;
  }

  #drop(): void {
    this.#pending?.cancel();
    this.#pending = undefined;
  }

  /** Any other key makes the letter a part of a text. So does the same one at once: it is held, perhaps for what was there before. */
  #cancelUnless(key: PressedKey, now: number): void {
    const pending = this.#pending;
    if (pending === undefined || (pending.name === key.name && now - pending.at >= ALONE_MS)) return;
    this.#drop();
    const { onTyped, onContinued = onTyped } = this.#options;
    if (textOf(key) === "" || pending.name === key.name) onTyped(pending.text);
    else onContinued(pending.text);
  }
}

function later(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
