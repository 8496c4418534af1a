import { createHash } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { endsVisit, type RunEvent } from "../contracts/index.ts";

/** The size of a visit's file, in bytes, at which it starts over. */
const MAX_FILE_BYTES = 1024 * 1024;
/** So many files are kept; beyond that, the oldest of this process are removed. */
const MAX_FILES = 1_000;
/** So many files are open at a time. */
const MAX_OPEN = 32;
const MAX_NAME_LENGTH = 100;
const ENDING = ".log";

type NodeEvent = Extract<RunEvent, { readonly taskId: string }>;

/** Settings of {@link VisitLogs}. */
export interface VisitLogsOptions {
  /** @default 1_048_576 */
  readonly maxFileBytes?: number;
  /** @default 1_000 */
  readonly maxFiles?: number;
}

/**
 * Writes what a run's log says about each visit of a node into a file of its own, `{visit}.log`, for people and `grep`. A
 * visit that says nothing has no file. Each file keeps its latest lines.
 */
export class VisitLogs {
  readonly #folder: string;
  readonly #maxFileBytes: number;
  readonly #maxFiles: number;
  /** Open files by visit, the latest opened last. */
  readonly #open = new Map<string, number>();
  /** The first lines of visits in progress. */
  readonly #heads = new Map<string, string>();
  /** Names of the files, the oldest first. */
  #names: Set<string> | undefined;

  constructor(folder: string, { maxFileBytes = MAX_FILE_BYTES, maxFiles = MAX_FILES }: VisitLogsOptions = {}) {
    this.#folder = folder;
    this.#maxFileBytes = maxFileBytes;
    this.#maxFiles = maxFiles;
  }

  /**
   * Writes the message of an event to the file of its visit.
   *
   * @param message absent when the log says nothing about the event
   * @throws the system's error
   */
  add(event: RunEvent, message: string | undefined): void {
    if (!("taskId" in event)) return;
    const { taskId, at } = event;
    if (event.type === "node-start") {
      this.#heads.set(taskId, `# ${event.name} (${event.nodeType}), visit ${taskId} of run ${event.runId}\n`);
    }
    const lines = message === undefined ? "" : formatLines(at, message);
    if (!endsVisit(event)) {
      if (lines !== "") this.#write(event, lines);
      return;
    }
    const isKept = lines !== "" || this.#names?.has(fileNameOf(taskId)) === true;
    if (isKept) this.#write(event, event.type === "node-end" ? `${lines}${formatLines(at, "Done.")}` : lines);
    this.#heads.delete(taskId);
    this.#closeVisit(taskId);
  }

  #write({ taskId }: NodeEvent, lines: string): void {
    if (lines === "") return;
    const file = this.#open.get(taskId) ?? this.#openVisit(taskId);
    const text = Buffer.from(lines);
    if (fstatSync(file).size + text.length > this.#maxFileBytes) {
      ftruncateSync(file);
      writeSync(file, `${this.#heads.get(taskId) ?? ""}(earlier lines: atomic runs show --log)\n`);
    }
    writeSync(file, text);
  }

  #openVisit(taskId: string): number {
    if (this.#names === undefined) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#names = new Set(readdirSync(this.#folder).filter((name) => name.endsWith(ENDING)));
    }
    const name = fileNameOf(taskId);
    const isNew = !this.#names.has(name);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#closeVisit(oldest);
    const file = openSync(join(this.#folder, name), "a", 0o600);
    this.#open.set(taskId, file);
    this.#names.add(name);
    if (isNew) writeSync(file, this.#heads.get(taskId) ?? "");
    for (const old of this.#names) {
      if (this.#names.size <= this.#maxFiles) break;
      this.#names.delete(old);
      rmSync(join(this.#folder, old), { force: true });
    }
    return file;
  }

  #closeVisit(taskId: string): void {
    const file = this.#open.get(taskId);
    if (file !== undefined) closeSync(file);
    this.#open.delete(taskId);
  }

  /** Idempotent. */
  close(): void {
    for (const taskId of [...this.#open.keys()]) this.#closeVisit(taskId);
  }
}

/** Each line of a message with its time. */
function formatLines(at: number, message: string): string {
  const time = new Date(at).toISOString();
  return message
    .split("\n")
    .map((line) => `${`${time}  ${line}`.trimEnd()}\n`)
    .join("");
}

/** `review` and `review#2` become `review.log` and `review.2.log`; other visits have a hash, so that none share a file. */
function fileNameOf(taskId: string): string {
  // Not every file system distinguishes capital letters.
  const isSimple = /^[a-z0-9][a-z0-9_-]*(?:#\d+)?$/.test(taskId) && taskId.length <= MAX_NAME_LENGTH;
  if (isSimple) return `${taskId.replace("#", ".")}${ENDING}`;
  const readable = taskId.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
  const hash = createHash("sha256").update(taskId).digest("hex").slice(0, 8);
  return `${readable.slice(-MAX_NAME_LENGTH)}-${hash}${ENDING}`;
}
