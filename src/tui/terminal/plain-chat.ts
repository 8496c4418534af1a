import { describeTooLong } from "../../view/index.ts";
import { mostColumnsOf } from "../../view/permissions.ts";
import type { ChatController } from "../chat/chat-controller.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { type AskPlace, AskRow, aboutReplacement, FIRST_ASK, quietMsOf } from "../dialogs/ask-row.ts";
import { wrapText } from "../dialogs/wrap-text.ts";
import { SECOND_INTERRUPT_MS } from "./guard-exit.ts";
import { askToPages, type DescribeRequest, readAnswer } from "./plain-asks.ts";
import { CONTINUED, PlainLines, plainLine } from "./plain-lines.ts";

/** Settings of {@link runPlainChat}. */
export interface PlainChatOptions {
  readonly chat: ChatController;
  /** Carries out what the user typed: a message, a slash command or a `!` command. Must not reject. */
  readonly submit: (text: string) => Promise<void>;
  /** The lines that the user types, or those of a pipe. */
  readonly input: AsyncIterable<string>;
  readonly write: (text: string) => void;
  /** Whether a person types. In a pipe, each line waits for the end of the turn before, or for a question. */
  readonly isInteractive: boolean;
  /** Ctrl+C. Returns a function that stops listening. */
  readonly onInterrupt: (listener: () => void) => () => void;
  readonly describeRequest: DescribeRequest;
  /** The terminal's size now. Undefined where there is none: then nothing is wrapped, and a request has one page. */
  readonly readSize?: () => readonly [columns: number, rows: number] | undefined;
  /** Takes what was typed without Enter: the next line starts empty. Undefined where lines arrive whole. */
  readonly takeTyped?: () => Promise<string>;
  /** The current time, in milliseconds. */
  readonly now: () => number;
  /** Aborts when a command has ended the chat. */
  readonly signal: AbortSignal;
}

/**
 * The chat as lines: nothing moves the cursor and nothing is drawn twice. For screen readers, logs and pipes. Resolves when
 * the input has ended and its turns too, or the user has left.
 */
export async function runPlainChat(options: PlainChatOptions): Promise<void> {
  const chat = new PlainChat(options);
  await chat.run();
}

/** The start of a row that continues an indented one. */
const INDENTED = "    ";

/** A question on the screen. */
interface ShownAsk {
  readonly ask: OpenAsk;
  /** Since when its last page so far is shown. */
  readonly at: number;
  /** How long it must be shown before a line answers it, in milliseconds. */
  readonly quietMs: number;
  /** The pages that are not shown yet. */
  readonly pages: readonly (readonly string[])[];
}

class PlainChat {
  readonly #options: PlainChatOptions;
  readonly #lines: PlainLines;
  readonly #left = Promise.withResolvers<void>();
  #waiters: (() => void)[] = [];
  /** The question that is shown. */
  #shown: ShownAsk | undefined;
  readonly #row: AskRow;
  /** Questions with an answer, which the conversation may still contain for a moment. */
  readonly #answered = new Set<string>();
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #hasPrompt = false;
  #queued: readonly string[] = [];
  /** The queued messages that were said to wait for the person. */
  #held: readonly string[] = [];

  constructor(options: PlainChatOptions) {
    this.#options = options;
    this.#row = new AskRow(options.now);
    this.#lines = new PlainLines({ hasUserLines: !options.isInteractive });
  }

  async run(): Promise<void> {
    const { chat, signal, onInterrupt } = this.#options;
    const leave = (): void => this.#left.resolve();
    const removers = [chat.subscribe(() => this.#update()), onInterrupt(() => this.#interrupt())];
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    try {
      this.#update();
      await Promise.race([this.#left.promise, this.#readAll()]);
    } finally {
      signal.removeEventListener("abort", leave);
      for (const remove of removers) remove();
      this.#update();
      const { model, agentType } = chat.snapshot();
      this.#print(this.#lines.rest(model, agentType));
      if (this.#hasPrompt) this.#options.write("\n");
    }
  }

  async #readAll(): Promise<void> {
    const { input, isInteractive } = this.#options;
    for await (const line of input) {
      this.#hasPrompt = false;
      if (!isInteractive) await this.#until(() => this.#isIdle() || this.#shown !== undefined);
      await this.#read(line);
      this.#update();
    }
    await this.#finish();
  }

  /** The input has ended: nobody answers any more, and the turn in progress completes. */
  async #finish(): Promise<void> {
    const { chat } = this.#options;
    await this.#until(() => {
      for (const ask of chat.snapshot().asks) {
        if (this.#answered.has(ask.id)) continue;
        this.#answered.add(ask.id);
        leaveUnanswered(ask);
      }
      return this.#isIdle();
    });
  }

  async #read(line: string): Promise<void> {
    const { submit, chat } = this.#options;
    const text = line.replace(/\r$/, "");
    // Escape and Enter.
    if (text.trim() === "\u001b") return void chat.interrupt();
    if (text.trim() === "") return this.#shown === undefined ? this.#sendHeld() : this.#turnPage();
    if (this.#shown !== undefined && !text.startsWith("/")) return this.#answer(this.#shown, text);
    const tooLong = describeTooLong(text);
    if (tooLong !== undefined) return chat.notice(tooLong, { tone: "error" });
    const done = submit(text);
    // A command may wait for a further line, so only a pipe's next line waits for its end.
    if (!this.#options.isInteractive) await Promise.race([done, this.#until(() => this.#shown !== undefined)]);
  }

  /** Whether a line was typed for something else, or with a key that is held. */
  #isEarly({ at, quietMs }: ShownAsk): boolean {
    const { now, isInteractive } = this.#options;
    return isInteractive && now() - at < quietMs;
  }

  #sendHeld(): void {
    const { chat } = this.#options;
    if (chat.snapshot().queue.some(({ isHeld = false }) => isHeld)) chat.sendHeld();
  }

  #turnPage(): void {
    const shown = this.#shown;
    const [page, ...pages] = shown?.pages ?? [];
    if (shown === undefined || page === undefined || this.#isEarly(shown)) return;
    this.#print(page);
    this.#shown = { ...shown, pages, at: this.#options.now(), quietMs: quietMsOf(FIRST_ASK) };
  }

  #answer(shown: ShownAsk, text: string): void {
    const { ask, pages } = shown;
    if (this.#isEarly(shown)) {
      return this.#print(["asks: That was typed before the question appeared. Type it again."]);
    }
    const answer = readAnswer(ask, text, { pagesLeft: pages.length });
    if (answer.type === "unclear") return this.#print([`asks: ${answer.hint}`]);
    this.#shown = undefined;
    this.#answered.add(ask.id);
    this.#row.noteAnswer(ask.id);
    if (answer.type === "decision" && ask.type === "permission") ask.answer(answer.decision);
    if (answer.type === "answer" && ask.type === "question") ask.answer(answer.answer);
  }

  #interrupt(): void {
    const { chat, now } = this.#options;
    const isSecond = now() - this.#interruptedAt <= SECOND_INTERRUPT_MS;
    this.#interruptedAt = now();
    if (isSecond) return this.#left.resolve();
    if (this.#isIdle()) this.#print(["atomic: Press Ctrl+C again to quit."]);
    else {
      this.#print(["atomic: Stopping the turn. Press Ctrl+C again to quit."]);
      void chat.interrupt();
    }
  }

  #update(): void {
    const { chat, describeRequest, now, readSize } = this.#options;
    const { model, agentType, asks, queue } = chat.snapshot();
    const lines = [...this.#lines.next(model, agentType)];
    for (const { id, text } of queue) if (!this.#queued.includes(id)) lines.push(`queued: ${plainLine(text, 160)}`);
    this.#queued = queue.map(({ id }) => id);
    const held = queue.filter(({ isHeld = false }) => isHeld);
    for (const { id, text } of held) if (!this.#held.includes(id)) lines.push(`not sent: ${plainLine(text, 160)}`);
    if (held.some(({ id }) => !this.#held.includes(id))) lines.push("atomic: Press Enter to send what is not sent.");
    this.#held = held.map(({ id }) => id);
    const ask = asks.find(({ id }) => !this.#answered.has(id));
    const place = this.#row.show(ask?.id);
    if (ask === undefined) this.#shown = undefined;
    else if (ask.id !== this.#shown?.ask.id) {
      const [page = [], ...pages] = askToPages(ask, { describeRequest, rows: readSize?.()?.[1] });
      lines.push(...placeLines(place), ...page);
      this.#shown = { ask, at: now(), quietMs: quietMsOf(place), pages };
      void this.#setTypedAside();
    }
    this.#print(lines);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  /** What was typed before a question is no part of its answer. */
  async #setTypedAside(): Promise<void> {
    const typed = (await this.#options.takeTyped?.().catch(() => "")) ?? "";
    if (typed.trim() !== "") this.#print([`asks: Typed before, so not a part of the answer: ${plainLine(typed, 160)}`]);
  }

  #print(lines: readonly string[]): void {
    const { write, isInteractive, readSize } = this.#options;
    if (lines.length > 0) {
      const rows = lines.flatMap((line) => wrapRow(line, readSize?.()?.[0]));
      write(`${this.#hasPrompt ? "\n" : ""}${rows.map((row) => `${row}\n`).join("")}`);
      this.#hasPrompt = false;
    }
    if (!isInteractive || this.#hasPrompt || !this.#isIdle()) return;
    write("you: ");
    this.#hasPrompt = true;
  }

  #isIdle(): boolean {
    const { status, queue, asks } = this.#options.chat.snapshot();
    return status === "idle" && queue.every(({ isHeld = false }) => isHeld) && asks.length === 0;
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
      });
    }
  }
}

/**
 * A terminal would wrap a long line to its first column, where it could imitate a line of Atomic. What is indented, such as the
 * rows of a list of Atomic, stays so; other rows have a sign in front.
 */
function wrapRow(line: string, columns: number | undefined): readonly string[] {
  // The last column stays empty: terminals differ in when they wrap there.
  if (columns === undefined || mostColumnsOf(line) < columns) return [line];
  const start = line.startsWith("  ") ? INDENTED : CONTINUED;
  return wrapText(line, columns - 1 - start.length).map((row, index) => (index === 0 ? row : start + row));
}

/** Which of several requests in a row it is. */
function placeLines(place: AskPlace): readonly string[] {
  const about = aboutReplacement(place);
  if (place.number === 1) return [];
  return [`asks: Request ${place.number}.${about === undefined ? "" : ` ${about}`}`];
}

function leaveUnanswered(ask: OpenAsk): void {
  const reason = "Nobody can answer: the input has ended.";
  if (ask.type === "permission") ask.answer({ type: "deny", reason });
  else ask.answer({ type: "decline", reason });
}
