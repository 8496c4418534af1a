import { type InputPart, splitInput } from "./split-input.ts";

/** Settings of {@link markBursts}. */
export interface MarkBurstsOptions {
  /** Whether bursts are marked now. What a person types before the first drawing is kept key by key. */
  readonly isActive: () => boolean;
  /** The fewest bytes of one read that were not typed. @default 16 */
  readonly minimumBytes?: number;
  /** What arrives within this time after a burst is a part of it, in milliseconds. @default 20 */
  readonly togetherMs?: number;
}

type DataListener = (chunk: Uint8Array) => void;

const PASTE_START = Buffer.from("\u001b[200~");
const PASTE_END = Buffer.from("\u001b[201~");
const RETURN = Buffer.from("\r");
/** What a mark starts with, where a read ends in it. */
const STARTS_OF_MARKS = ["\u001b", "\u001b[", "\u001b[2", "\u001b[20", "\u001b[200"];

/**
 * The input of a terminal, with long texts marked as pastes. Terminals that do not mark pastes send a text as keys, and
 * programs do so too (`tmux send-keys`): the UI would draw after each of 20,000 keys, and each line of the text would be
 * sent as a message of its own. A return at the very end stays a key.
 */
export function markBursts(stdin: NodeJS.ReadStream, options: MarkBurstsOptions): NodeJS.ReadStream {
  const inner = new Map<unknown, { readonly marker: BurstMarker; readonly listener: DataListener }>();
  const methods = {
    on(event: string, listener: DataListener): NodeJS.ReadStream {
      if (event !== "data") return stdin.on(event, listener);
      const marker = new BurstMarker(listener, options);
      const marking = (chunk: Uint8Array): void => marker.receive(chunk);
      inner.set(listener, { marker, listener: marking });
      return stdin.on("data", marking);
    },
    removeListener(event: string, listener: DataListener): NodeJS.ReadStream {
      const found = event === "data" ? inner.get(listener) : undefined;
      if (found === undefined) return stdin.removeListener(event, listener);
      found.marker.stop();
      inner.delete(listener);
      return stdin.removeListener("data", found.listener);
    },
  };
  return new Proxy(stdin, {
    get(target, name) {
      if (name === "on" || name === "removeListener") return methods[name];
      const value: unknown = Reflect.get(target, name, target);
      // The methods of a stream do not work on a proxy.
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Passes on what is read, with the marks of a paste around each burst. */
export class BurstMarker {
  readonly #emit: DataListener;
  readonly #isActive: () => boolean;
  readonly #minimumBytes: number;
  readonly #togetherMs: number;
  /** A paste that the terminal has marked, or one that is marked here. */
  #paste: "none" | "marked" | "burst" = "none";
  /** Whether a return ends what was read of a burst. It is a part of the text if more follows, and otherwise a key. */
  #hasReturn = false;
  /** The end of what was read before, in which a mark may have started. */
  #tail: Uint8Array = new Uint8Array();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastTurn: ReturnType<typeof setImmediate> | undefined;

  constructor(emit: DataListener, { isActive, minimumBytes = 16, togetherMs = 20 }: MarkBurstsOptions) {
    this.#emit = emit;
    this.#isActive = isActive;
    this.#minimumBytes = minimumBytes;
    this.#togetherMs = togetherMs;
  }

  receive(chunk: Uint8Array): void {
    this.#stopTimer();
    const from = this.#passMarked(chunk);
    // What comes in one read with the end of a paste, or with a long text, was not typed either.
    if (from < chunk.length) this.#passParts(chunk.subarray(from), { isAfterPaste: from > 0 });
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-(PASTE_END.length - 1));
    this.#timer = setTimeout(() => {
      // More may have arrived while the process was busy: it is read before this.
      this.#lastTurn = setImmediate(() => {
        this.#settle();
        if (this.#paste === "none") this.#tail = new Uint8Array();
      });
    }, this.#togetherMs);
  }

  /** Nothing is read any more. */
  stop(): void {
    this.#stopTimer();
    this.#paste = "none";
    this.#hasReturn = false;
    this.#tail = new Uint8Array();
  }

  /** Passes on what belongs to a marked paste, or to a mark that an earlier read has begun. Returns where it ends. */
  #passMarked(chunk: Uint8Array): number {
    if (this.#paste === "burst") return 0;
    const read = Buffer.concat([this.#tail, chunk]);
    const start = Math.max(0, startOfMark(this.#tail));
    const isStarting = this.#paste === "none" && read.subarray(start, start + PASTE_START.length).equals(PASTE_START);
    if (this.#paste === "none" && !(isStarting && start < this.#tail.length)) return 0;
    const end = read.indexOf(PASTE_END, isStarting ? start : 0);
    const to = end === -1 ? chunk.length : end + PASTE_END.length - this.#tail.length;
    this.#paste = end === -1 ? "marked" : "none";
    this.#emit(chunk.subarray(0, to));
    return to;
  }

  #passParts(chunk: Uint8Array, { isAfterPaste }: { readonly isAfterPaste: boolean }): void {
    const parts = splitInput(chunk);
    let isBurst = this.#paste === "burst" || isAfterPaste || parts.some((part) => this.#isLong(part));
    let isPaste = false;
    for (const [index, { isText, bytes }] of parts.entries()) {
      const isEnd = !isText && isPaste && PASTE_END.equals(bytes);
      if (!isText && PASTE_START.equals(bytes)) isPaste = true;
      if (isEnd) isBurst = true;
      if (isText && isBurst && !isPaste) this.#emitBurst(bytes, index === parts.length - 1);
      else {
        this.#settle();
        this.#emit(bytes);
      }
      if (isEnd) isPaste = false;
    }
    if (isPaste) this.#paste = "marked";
  }

  #isLong({ isText, bytes }: InputPart): boolean {
    // A key that is held repeats one character.
    const isHeld = bytes.every((byte) => byte === bytes[0]);
    return isText && bytes.length >= this.#minimumBytes && !isHeld && this.#isActive();
  }

  #emitBurst(bytes: Uint8Array, isLast: boolean): void {
    const hasReturn = isLast && bytes.at(-1) === RETURN[0];
    const text = hasReturn ? bytes.subarray(0, -1) : bytes;
    // An empty paste would stand for an image of the clipboard.
    if (this.#paste === "none" && text.length === 0) return this.#emit(RETURN);
    if (this.#paste === "none") this.#emit(PASTE_START);
    if (this.#hasReturn) this.#emit(RETURN);
    this.#paste = "burst";
    this.#hasReturn = hasReturn;
    if (text.length > 0) this.#emit(text);
  }

  /** Ends the burst, if there is one. */
  #settle(): void {
    if (this.#paste !== "burst") return;
    this.#paste = "none";
    this.#emit(PASTE_END);
    if (this.#hasReturn) this.#emit(RETURN);
    this.#hasReturn = false;
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#lastTurn);
  }
}

/** Where an unfinished mark begins at the end of a read; -1 for none. */
function startOfMark(tail: Uint8Array): number {
  const text = Buffer.from(tail).toString("latin1");
  const start = STARTS_OF_MARKS.find((mark) => text.endsWith(mark));
  return start === undefined ? -1 : text.length - start.length;
}
