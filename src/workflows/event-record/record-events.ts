import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { AtomicError, messageOf, type RunEvent } from "../../contracts/index.ts";

/** The name of the record in a session's folder. */
export const EVENTS_FILE = "events.jsonl";

/** The size of a record, in bytes, after which only the essential events are written. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The longest line, in bytes. */
const MAX_LINE_BYTES = 1024 * 1024;
/** The longest text in an event whose line would be too long, in characters. */
const MAX_LONG_TEXT = 16 * 1024;
const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Not through a link, and without waiting for the reader of a pipe. */
const APPENDED = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
/** How long pieces of a text wait to be joined, in milliseconds. */
const JOIN_MS = 100;

/** All types of event, and whether they are written also when the record is full. */
const IS_ESSENTIAL: Readonly<Record<RunEvent["type"], boolean>> = {
  agent: false,
  "agent-prompt": false,
  "agent-session": true,
  answer: true,
  checkpoint: false,
  "command-end": false,
  "command-start": false,
  "context-window": false,
  "debug-report": false,
  "graph-changed": true,
  log: false,
  "node-dropped": true,
  "node-end": true,
  "node-error": true,
  "node-sleep": true,
  "node-start": true,
  request: true,
  "run-end": true,
  "run-start": true,
  tasks: false,
  usage: false,
  warning: false,
};

/** The record of a run's events cannot be written. The run continues without it. */
export class EventsUnwritableError extends AtomicError {
  constructor(
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "EVENTS_UNWRITABLE",
      `The events of the run are no longer recorded in ${path}: ${messageOf(options.cause)}. "atomic runs watch" and reports do not show what happens from here on.`,
      options,
    );
  }
}

/** Writes the events of a run to its record. */
export interface EventRecorder {
  /** @throws EventsUnwritableError, once; then nothing is written any more */
  add(event: RunEvent): void;
  /** Writes what is still held back. Nothing is written afterwards. Idempotent; never throws. */
  close(): void;
}

/** Settings of {@link recordEvents}. */
export interface RecordEventsOptions {
  /** After this size, in bytes, only the essential events are written. @default 67_108_864 */
  readonly maxBytes?: number;
}

/**
 * Appends the events of a run to a file, a line of JSON for each. Pieces of one text that an agent writes in quick
 * succession become one line. The caller has redacted the events.
 *
 * ```ts
 * const record = recordEvents("/sessions/r1/events.jsonl");
 * await graph.run(input, { onEvent: (event) => record.add(event) }).finally(() => record.close());
 * ```
 */
export function recordEvents(path: string, { maxBytes = MAX_BYTES }: RecordEventsOptions = {}): EventRecorder {
  return new FileRecorder(path, maxBytes);
}

type AgentRunEvent = Extract<RunEvent, { type: "agent" }>;

/** Pieces of a text that are not written yet. */
interface HeldText {
  readonly first: AgentRunEvent;
  readonly pieces: string[];
}

class FileRecorder implements EventRecorder {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number | undefined;
  #size = 0;
  /** By visit and session. */
  readonly #held = new Map<string, HeldText>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Nothing is written any more. */
  #isOver = false;
  /** What failed while a timer wrote: the next event reports it. */
  #failure: EventsUnwritableError | undefined;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  add(event: RunEvent): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    if (this.#isOver) return;
    try {
      this.#take(event);
    } catch (error) {
      throw this.#stop(error);
    }
  }

  close(): void {
    if (this.#isOver) return;
    try {
      this.#flushAll();
    } catch {
      // The run is over, and its journal is complete: only the last piece of a text is missing here.
    }
    this.#end();
  }

  #take(event: RunEvent): void {
    const text = event.type === "agent" ? textOf(event) : undefined;
    if (event.type === "agent" && text !== undefined) return this.#hold(event, text);
    if (this.#held.size > 0) this.#flushBefore(event);
    this.#write(event);
  }

  #hold(event: AgentRunEvent, text: string): void {
    const key = `${event.taskId}\n${event.event.sessionId}`;
    const held = this.#held.get(key);
    if (held?.first.event.type === event.event.type) {
      held.pieces.push(text);
      return;
    }
    if (held !== undefined) this.#flush(key, held);
    this.#held.set(key, { first: event, pieces: [text] });
    this.#timer ??= setTimeout(() => this.#flushInTime(), JOIN_MS);
  }

  #flushInTime(): void {
    this.#timer = undefined;
    try {
      this.#flushAll();
    } catch (error) {
      this.#failure = this.#stop(error);
    }
  }

  #flushBefore(event: RunEvent): void {
    if (!("taskId" in event)) return event.type === "run-end" ? this.#flushAll() : undefined;
    for (const [key, held] of this.#held) if (held.first.taskId === event.taskId) this.#flush(key, held);
  }

  #flushAll(): void {
    for (const [key, held] of this.#held) this.#flush(key, held);
  }

  #flush(key: string, { first, pieces }: HeldText): void {
    this.#held.delete(key);
    const { event } = first;
    // Only texts are held.
    if (event.type === "text-delta" || event.type === "thinking-delta") {
      this.#write({ ...first, event: { ...event, text: pieces.join("") } });
    }
  }

  #write(event: RunEvent): void {
    this.#file ??= this.#open();
    if (this.#size >= this.#maxBytes && !IS_ESSENTIAL[event.type]) return;
    this.#append(lineOf(event));
    const isFull = this.#size >= this.#maxBytes;
    if (isFull && !this.#isFull) this.#append(lineOf(this.#fullWarning(event)));
    this.#isFull = isFull;
  }

  /** Whether the warning about it is written. */
  #isFull = false;

  #fullWarning({ runId, at }: RunEvent): RunEvent {
    const message = `The record of the run's events is full (${this.#maxBytes} bytes): what agents say and do is not recorded from here on.`;
    return { type: "warning", runId, at, message };
  }

  #append(line: string): void {
    const bytes = Buffer.from(line);
    // A nearly full disk takes only a part at a time.
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#file ?? this.#open(), bytes, written);
    }
    this.#size += bytes.length;
  }

  #open(): number {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const file = openFile(this.#path);
    this.#file = file;
    this.#size = fstatSync(file).size;
    this.#isFull = this.#size >= this.#maxBytes;
    // A killed process may have left half a line.
    if (this.#size > 0 && lastByteOf(file, this.#size) !== "\n") this.#append("\n");
    return file;
  }

  #stop(cause: unknown): EventsUnwritableError {
    this.#end();
    return new EventsUnwritableError(this.#path, { cause });
  }

  #end(): void {
    this.#isOver = true;
    this.#held.clear();
    clearTimeout(this.#timer);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** The record may have been replaced: through a link, the events would be appended to another file. */
function openFile(path: string): number {
  const file = openPlainly(path);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error("it is not a file");
}

function openPlainly(path: string): number {
  try {
    return openSync(path, APPENDED, 0o600);
  } catch (error) {
    const isLink = error instanceof Error && "code" in error && error.code === "ELOOP";
    throw isLink ? new Error("it is a link", { cause: error }) : error;
  }
}

function textOf({ event }: AgentRunEvent): string | undefined {
  return event.type === "text-delta" || event.type === "thinking-delta" ? event.text : undefined;
}

function lineOf(event: RunEvent): string {
  const line = JSON.stringify(event, toPlain);
  if (line.length <= MAX_LINE_BYTES) return `${line}\n`;
  const shorter = JSON.stringify(event, (key, value) => shorten(toPlain(key, value)));
  if (shorter.length <= MAX_LINE_BYTES) return `${shorter}\n`;
  return `${JSON.stringify(withoutValues(event), (key, value) => shorten(toPlain(key, value)))}\n`;
}

/** An event without its values of any size. What an agent did becomes an event of the vendor's, which says nothing more. */
function withoutValues(event: RunEvent): object {
  const rest = { ...event, update: undefined, state: undefined, output: undefined };
  if (event.type !== "agent") return rest;
  const { sessionId, type: name, at } = event.event;
  return { ...rest, event: { type: "vendor", sessionId, name, data: "too long to be recorded", at } };
}

/** Replaces values that JSON would lose. */
function toPlain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}

function shorten(value: unknown): unknown {
  if (typeof value !== "string" || value.length <= MAX_LONG_TEXT) return value;
  return `${value.slice(0, MAX_LONG_TEXT)}… (${value.length - MAX_LONG_TEXT} characters more)`;
}

function lastByteOf(file: number, size: number): string {
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, size - 1);
  return byte.toString("latin1");
}
