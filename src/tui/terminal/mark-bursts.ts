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
const STARTS_OF_MARKS = ["\u001b", "\u001b[", "\u001b[2", "\u001b[20", "\u001b[200", "\u001b[201"];

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
  #tail = "";
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
    if (this.#isBurst(chunk)) this.#emitBurst(chunk);
    else {
      this.#settle();
      this.#follow(chunk);
      this.#emit(chunk);
    }
    this.#timer = setTimeout(() => {
      // More may have arrived while the process was busy: it is read before this.
      this.#lastTurn = setImmediate(() => {
        this.#settle();
        if (this.#paste === "none") this.#tail = "";
      });
    }, this.#togetherMs);
  }

  /** Nothing is read any more. */
  stop(): void {
    this.#stopTimer();
    this.#paste = "none";
    this.#hasReturn = false;
    this.#tail = "";
  }

  #isBurst(chunk: Uint8Array): boolean {
    if (this.#paste === "marked" || !isText(chunk)) return false;
    if (this.#paste === "burst") return true;
    const isInMark = STARTS_OF_MARKS.some((start) => this.#tail.endsWith(start));
    // A key that is held repeats one character.
    const isHeld = chunk.every((byte) => byte === chunk[0]);
    return chunk.length >= this.#minimumBytes && !isHeld && !isInMark && this.#isActive();
  }

  #emitBurst(chunk: Uint8Array): void {
    if (this.#paste === "none") this.#emit(PASTE_START);
    if (this.#hasReturn) this.#emit(RETURN);
    this.#paste = "burst";
    this.#tail = "";
    this.#hasReturn = chunk.at(-1) === RETURN[0];
    this.#emit(this.#hasReturn ? chunk.subarray(0, -1) : chunk);
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

  /** Follows the marks of the terminal's own pastes, also across two reads. */
  #follow(chunk: Uint8Array): void {
    const read = this.#tail + Buffer.from(chunk).toString("latin1");
    const start = read.lastIndexOf(PASTE_START.toString());
    const end = read.lastIndexOf(PASTE_END.toString());
    if (start !== end) this.#paste = start > end ? "marked" : "none";
    this.#tail = read.slice(1 - PASTE_START.length);
  }
}

/** Whether there are only characters, tabs and line breaks. */
function isText(chunk: Uint8Array): boolean {
  return chunk.every((byte) => (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
