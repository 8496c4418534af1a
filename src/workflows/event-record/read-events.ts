import { watch } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import { IS_ESSENTIAL } from "./record-events.ts";

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;
/** How often to look for more where the system announces no change, in milliseconds. */
const POLL_MS = 1_000;

/**
 * The events in a record, oldest first; none while there is no file. Skips what is no event: half a line, which a killed
 * process left, or a type of another version.
 *
 * @throws the system's error
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
 * @throws the system's error
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

  constructor(path: string) {
    this.#path = path;
  }

  /** The events from where the last call stopped to the last whole line. */
  async *read(): AsyncGenerator<RunEvent, void> {
    this.#file ??= await openIfThere(this.#path);
    if (this.#file === undefined) return;
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await this.#file.read(chunk, 0, CHUNK_BYTES, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      yield* this.#take(chunk.subarray(0, bytesRead));
    }
  }

  *#take(bytes: Buffer): Generator<RunEvent, void> {
    let rest = Buffer.concat([this.#begun, bytes]);
    for (let end = rest.indexOf(NEWLINE, this.#begun.length); end >= 0; end = rest.indexOf(NEWLINE)) {
      yield* parseLine(rest.toString("utf8", 0, end));
      rest = rest.subarray(end + 1);
    }
    this.#begun = rest;
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

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function parseLine(line: string): readonly RunEvent[] {
  try {
    const value: unknown = JSON.parse(line);
    return isEvent(value) ? [value] : [];
  } catch {
    return [];
  }
}

/** The recorder writes only events: their type, run and time identify them. */
function isEvent(value: unknown): value is RunEvent {
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") return false;
  if (!Object.hasOwn(IS_ESSENTIAL, value.type)) return false;
  return "runId" in value && typeof value.runId === "string" && "at" in value && typeof value.at === "number";
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
