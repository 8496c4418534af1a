import { createHash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { endsVisit, type RunEvent } from "../contracts/index.ts";

/** The size of a visit's file, in bytes, at which it starts over. */
const MAX_FILE_BYTES = 1024 * 1024;
/** So many files are kept; beyond that, the oldest are removed, except those of visits in progress. */
const MAX_FILES = 1_000;
/** So many files are open at a time. */
const MAX_OPEN = 32;
const MAX_NAME_LENGTH = 100;
const ENDING = ".log";

/** Settings of {@link VisitLogs}. */
interface VisitLogsOptions {
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
  /** Open files by their names, the latest opened last. */
  readonly #open = new Map<string, number>();
  /** The first lines of the files of visits in progress. */
  readonly #heads = new Map<string, string>();
  /** Names of the files: those of earlier processes, in the order of their last lines, then those of this one. */
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
    // Most events say nothing.
    if (message === undefined && event.type !== "node-start" && !endsVisit(event)) return;
    const name = fileNameOf(taskId);
    if (event.type === "node-start") {
      this.#heads.set(name, `# ${event.name} (${event.nodeType}), visit ${taskId} of run ${event.runId}\n`);
    }
    const lines = message === undefined ? "" : formatLines(at, message);
    if (!endsVisit(event)) return this.#write(name, lines);
    const isKept = lines !== "" || this.#names?.has(name) === true;
    if (isKept) this.#write(name, event.type === "node-end" ? `${lines}${formatLines(at, "Done.")}` : lines);
    this.#heads.delete(name);
    this.#closeFile(name);
  }

  #write(name: string, lines: string): void {
    if (lines === "") return;
    const file = this.#open.get(name) ?? this.#openFile(name);
    const text = Buffer.from(lines);
    if (fstatSync(file).size + text.length > this.#maxFileBytes) {
      ftruncateSync(file);
      writeSync(file, `${this.#heads.get(name) ?? ""}(earlier lines: atomic runs show --log)\n`);
    }
    writeSync(file, text);
  }

  #openFile(name: string): number {
    this.#names ??= this.#findFiles();
    const isNew = !this.#names.has(name);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#closeFile(oldest);
    const file = openSync(join(this.#folder, name), "a", 0o600);
    this.#open.set(name, file);
    this.#names.add(name);
    if (isNew) writeSync(file, this.#heads.get(name) ?? "");
    this.#removeOldFiles(this.#names);
    return file;
  }

  #findFiles(): Set<string> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const files = readdirSync(this.#folder)
      .filter((name) => name.endsWith(ENDING))
      .map((name) => ({ name, at: statSync(join(this.#folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
    files.sort((left, right) => left.at - right.at || (left.name < right.name ? -1 : 1));
    return new Set(files.map(({ name }) => name));
  }

  #removeOldFiles(names: Set<string>): void {
    for (const name of names) {
      if (names.size <= this.#maxFiles) return;
      if (this.#open.has(name) || this.#heads.has(name)) continue;
      names.delete(name);
      rmSync(join(this.#folder, name), { force: true });
    }
  }

  #closeFile(name: string): void {
    const file = this.#open.get(name);
    if (file !== undefined) closeSync(file);
    this.#open.delete(name);
  }

  /** Idempotent. */
  close(): void {
    for (const name of [...this.#open.keys()]) this.#closeFile(name);
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
