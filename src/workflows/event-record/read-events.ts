import { constants, watch } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { AtomicError, messageOf, type RunEvent } from "../../contracts/index.ts";
import { isRunEvent } from "./is-run-event.ts";

const CHUNK_BYTES = 64 * 1024;
/** A longer line is no event, in bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** The size of a file that no run has filled, in bytes. */
const MAX_READ_BYTES = 1024 * 1024 * 1024;
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEWLINE = 10;
/** How often to look for more where the system announces no change, in milliseconds. */
const POLL_MS = 1_000;

/** What is in the place of the record of a run's events is not a file that Atomic wrote. */
export class EventsUnreadableError extends AtomicError {
  constructor(
    readonly path: string,
    problem: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "EVENTS_UNREADABLE",
      `The events of the run cannot be read from ${path}: ${problem}. Move it away: the run itself does not need it.`,
      options,
    );
  }
}

/**
 * The events in a record, oldest first; none while there is no file. Skips what is no event: half a line, which a killed
 * process left, or a type of another version.
 *
 * @throws EventsUnreadableError, the system's error
 */
export async function* readEvents(path: string): AsyncGenerator<RunEvent, void> {
  const reader = new RecordReader(path);
  try {
    yield* reader.read();
    yield* reader.rest();
  } finally {
    await reader.close();
  }
}

/** Settings of {@link followEvents}. */
export interface FollowEventsOptions {
  /** Ends the iteration. What is in the file by then is still yielded. */
  readonly signal: AbortSignal;
  /** Called once, when everything was yielded that was already there. */
  readonly onCaughtUp?: () => void;
}

/**
 * The events in a record, oldest first, then those that a process appends, until `signal` is aborted. The file need not be
 * there yet.
 *
 * ```ts
 * for await (const event of followEvents(path, { signal })) if (event.type === "run-end") break;
 * ```
 *
 * @throws EventsUnreadableError, the system's error
 */
export async function* followEvents(
  path: string,
  { signal, onCaughtUp }: FollowEventsOptions,
): AsyncGenerator<RunEvent, void> {
  const reader = new RecordReader(path);
  const changes = new Changes(path, signal);
  try {
    for (let round = 0; ; round++) {
      // Read after the last look at the signal: what was written before it is not lost.
      const isLast = signal.aborted;
      yield* reader.read();
      if (round === 0) onCaughtUp?.();
      if (isLast) return;
      await changes.next();
    }
  } finally {
    changes.close();
    await reader.close();
  }
}

/** Reads the whole lines of a growing file. */
class RecordReader {
  readonly #path: string;
  #file: FileHandle | undefined;
  #offset = 0;
  /** The begun line. */
  #begun = Buffer.alloc(0);
  #isTooLong = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** The events from where the last call stopped to the last whole line. */
  async *read(): AsyncGenerator<RunEvent, void> {
    this.#file ??= await openIfThere(this.#path);
    if (this.#file === undefined) return;
    await this.#restartIfCut(this.#file);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await this.#file.read(chunk, 0, CHUNK_BYTES, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      yield* this.#take(chunk.subarray(0, bytesRead));
    }
  }

  /** Somebody may have truncated the file: what is appended then would not be seen. */
  async #restartIfCut(file: FileHandle): Promise<void> {
    const { size } = await file.stat();
    if (size >= this.#offset) return;
    this.#offset = 0;
    this.#begun = Buffer.alloc(0);
    this.#isTooLong = false;
  }

  *#take(bytes: Buffer): Generator<RunEvent, void> {
    let rest = Buffer.concat([this.#begun, bytes]);
    for (let end = rest.indexOf(NEWLINE, this.#begun.length); end >= 0; end = rest.indexOf(NEWLINE)) {
      if (!this.#isTooLong) yield* parseLine(rest.toString("utf8", 0, end));
      this.#isTooLong = false;
      rest = rest.subarray(end + 1);
    }
    // The rest of a line that is too long is skipped as it comes.
    this.#isTooLong ||= rest.length > MAX_LINE_BYTES;
    this.#begun = this.#isTooLong ? Buffer.alloc(0) : rest;
  }

  /** The event in a last line without its end, if it is whole. */
  rest(): readonly RunEvent[] {
    return parseLine(this.#begun.toString("utf8"));
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}

/** Opens only a file: reading a pipe or a device may never end. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, PLAINLY);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return undefined;
    throw new EventsUnreadableError(path, code === "ELOOP" ? "it is a link" : messageOf(error), { cause: error });
  }
  const stat = await file.stat();
  if (stat.isFile() && stat.size <= MAX_READ_BYTES) return file;
  await file.close();
  throw new EventsUnreadableError(path, stat.isFile() ? `it is too large (${stat.size} bytes)` : "it is not a file");
}

function parseLine(line: string): readonly RunEvent[] {
  try {
    const value: unknown = JSON.parse(line);
    return isRunEvent(value) ? [value] : [];
  } catch {
    return [];
  }
}

/** Waits for changes of a file. Where the system announces none, it looks again from time to time. */
class Changes {
  readonly #signal: AbortSignal;
  readonly #stop: () => void;
  #hasChanged = false;
  #wake: (() => void) | undefined;

  constructor(path: string, signal: AbortSignal) {
    this.#signal = signal;
    const note = (): void => this.#note();
    const stopWatching = watchFile(path, note);
    const timer = setInterval(note, POLL_MS);
    signal.addEventListener("abort", note, { once: true });
    this.#stop = () => {
      stopWatching();
      clearInterval(timer);
      signal.removeEventListener("abort", note);
    };
  }

  #note(): void {
    this.#hasChanged = true;
    this.#wake?.();
  }

  /** Resolves when the file may have changed since the last call, or the signal is aborted. */
  async next(): Promise<void> {
    if (!this.#hasChanged && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#hasChanged = false;
  }

  close(): void {
    this.#stop();
  }
}

/** Not every file system can be watched: the poll remains. */
function watchFile(path: string, onChange: () => void): () => void {
  try {
    // The folder: the file may not be there yet.
    const watcher = watch(dirname(path), (_type, name) => {
      if (name === null || name === basename(path)) onChange();
    });
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
