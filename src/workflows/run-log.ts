import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  describeAgentEvent,
  endsVisit,
  noRedaction,
  type Redactor,
  type RunEvent,
  WaitingFilter,
} from "../contracts/index.ts";
import { toJson } from "./session-store/to-json.ts";
import { VisitLogs } from "./visit-logs.ts";

/** The size of a log file, in bytes, at which it replaces the previous one. */
export const MAX_LOG_BYTES = 4 * 1024 * 1024;
/** The maximum length of a message, in characters. */
const MAX_MESSAGE_LENGTH = 256 * 1024;

/** The folder of a session in which what its run and the nodes said is kept. */
export const LOG_FOLDER = "logs";

const CURRENT = "run.jsonl";
const PREVIOUS = "run.previous.jsonl";

/** An entry of a run's log. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly type: RunEvent["type"] | "edit" | "pause" | "process-death";
  /** Absent when the entry belongs to the whole run. */
  readonly nodeId?: string;
  /** The visit of the node. */
  readonly taskId?: string;
  /** With its line breaks. */
  readonly message: string;
}

/**
 * Writes the log of a run, a line of JSON for each entry, into a folder. It keeps the latest entries: a file of
 * {@link MAX_LOG_BYTES}, and the one before it. The entries of a node's visit are also in a file of that visit, as text;
 * see {@link VisitLogs}.
 */
export class RunLog {
  readonly #folder: string;
  readonly #maxBytes: number;
  #file: number | undefined;
  #size = 0;
  /** By visit, for visits in progress whose agents have waited. */
  readonly #waits = new Map<string, WaitingFilter>();
  readonly #visits: VisitLogs;
  /** Nothing is written any more. */
  #isOver = false;

  constructor(folder: string, { maxBytes = MAX_LOG_BYTES }: { readonly maxBytes?: number } = {}) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#visits = new VisitLogs(folder);
  }

  /** Writes what people want to read of an event, if anything. @throws the system's error, once; then nothing is written any more */
  add(event: RunEvent): void {
    if (endsVisit(event)) this.#waits.delete(event.taskId);
    const message = event.type === "agent" ? this.#describeAgent(event) : describeEvent(event);
    if (this.#isOver) return;
    try {
      const entry = message === undefined ? undefined : this.#addEntry(event, message);
      this.#visits.add(event, entry?.message);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Writes what somebody did to the run while no process executed it. @throws the system's error */
  note(entry: LogEntry): void {
    this.#write(Buffer.from(`${JSON.stringify({ ...entry, message: shorten(entry.message) })}\n`));
  }

  #addEntry(event: RunEvent, message: string): LogEntry {
    const { at, type } = event;
    if (type === "run-start" && event.isResume && this.#isCutOff()) {
      this.note({ at, type: "process-death", message: "The process that executed the run ended without a word." });
    }
    const about = "taskId" in event ? { nodeId: event.nodeId, taskId: event.taskId } : {};
    const entry: LogEntry = { at, type, ...about, message: shorten(message) };
    this.#write(Buffer.from(`${JSON.stringify(entry)}\n`));
    return entry;
  }

  /** Whether the log so far has a part of the run without its end. */
  #isCutOff(): boolean {
    const path = join(this.#folder, CURRENT);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const last = text.split("\n").findLast((line) => line !== "" && !/"type":"(edit|pause)"/.test(line));
    return last !== undefined && !last.includes('"type":"run-end"');
  }

  #describeAgent({ taskId, event, at }: Extract<RunEvent, { type: "agent" }>): string | undefined {
    if (event.type !== "waiting") {
      this.#waits.get(taskId)?.take(event, at);
      if (event.type === "permission-denied") return `Denied: ${event.denied.title} (${event.denied.reason})`;
      return describeAgentEvent(event, at);
    }
    const waits = this.#waits.get(taskId) ?? new WaitingFilter();
    this.#waits.set(taskId, waits);
    return waits.take(event, at) === undefined ? undefined : describeAgentEvent(event, at);
  }

  #write(line: Buffer): void {
    if (this.#file !== undefined && this.#size + line.length > this.#maxBytes) this.#turnOver();
    this.#file ??= this.#open();
    writeSync(this.#file, line);
    this.#size += line.length;
  }

  #turnOver(): void {
    this.#closeFile();
    renameSync(join(this.#folder, CURRENT), join(this.#folder, PREVIOUS));
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = openSync(join(this.#folder, CURRENT), "a+", 0o600);
    this.#size = fstatSync(file).size;
    // A killed process may have left half a line.
    if (this.#size > 0 && lastByteOf(file, this.#size) !== "\n") this.#size += writeSync(file, "\n");
    return file;
  }

  /** What comes later is not written. Idempotent. */
  close(): void {
    this.#isOver = true;
    this.#visits.close();
    this.#closeFile();
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Adds an edit of the run's state, whose values are redacted, to the log in a folder. @throws the system's error */
export function logEdit(
  folder: string,
  { at, changes }: { readonly at: number; readonly changes: Readonly<Record<string, unknown>> },
): void {
  const values = Object.entries(changes).map(([name, value]) => `${name} = ${JSON.stringify(toJson(value))}`);
  logNote(folder, { at, type: "edit", message: `The state was edited: ${values.join(", ")}` });
}

/** Adds what somebody did to a run to the log in a folder. @throws the system's error */
export function logNote(folder: string, entry: LogEntry): void {
  const log = new RunLog(folder);
  try {
    log.note(entry);
  } finally {
    log.close();
  }
}

function lastByteOf(file: number, size: number): string {
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, size - 1);
  return byte.toString("latin1");
}

/**
 * The entries of a log, oldest first; none while there is no log.
 *
 * @param redactor takes secrets out of what an older version wrote
 * @throws the system's error
 */
export async function readRunLog(folder: string, redactor: Redactor = noRedaction): Promise<readonly LogEntry[]> {
  const texts = await Promise.all([PREVIOUS, CURRENT].map((name) => readIfThere(join(folder, name))));
  const entries = texts.flatMap((text) => text.split("\n").flatMap(parseEntry));
  return redactor.value(entries);
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** Half a line, which a killed process left or another one is just writing, is no entry. */
function parseEntry(line: string): readonly LogEntry[] {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== "object" || entry === null || !("message" in entry)) return [];
    // The cast is true: RunLog wrote the line, and half a line is no JSON.
    return [entry as LogEntry];
  } catch {
    return [];
  }
}

function shorten(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  return `${message.slice(0, MAX_MESSAGE_LENGTH)}… (${message.length - MAX_MESSAGE_LENGTH} characters more)`;
}

/** What the run decided at the end of a node, if anything. */
function describeNext({ isSkipped, isPassed, next }: Extract<RunEvent, { type: "node-end" }>): string | undefined {
  const facts = [
    ...(isSkipped === true ? ["Skipped."] : []),
    ...(isPassed === false ? ["The check did not pass."] : []),
    ...(next === undefined ? [] : [next.length === 0 ? "No step follows." : `Continues with: ${next.join(", ")}`]),
  ];
  return facts.length === 0 ? undefined : facts.join(" ");
}

function linesOf(output: string | undefined): readonly string[] {
  return output === undefined ? [] : [output.trimEnd()];
}

/** The log message of an event; `undefined` for events that a later reader does not need. */
function describeEvent(event: RunEvent): string | undefined {
  switch (event.type) {
    case "run-start":
      return event.isResume ? "The run resumes." : "The run starts.";
    case "run-end":
      return event.error === undefined
        ? `The run is ${event.status}.`
        : `The run is ${event.status}: ${event.error.message}`;
    case "node-start":
      return event.attempt === 1 ? undefined : `Attempt ${event.attempt} starts.`;
    case "node-error": {
      const { attempt, error, retryAt } = event;
      if (error.code === "NODE_RESTARTED") return `Attempt ${attempt} was stopped: somebody restarted the step.`;
      const next = retryAt === undefined ? "" : ` Attempt ${attempt + 1} starts at ${new Date(retryAt).toISOString()}.`;
      return `Attempt ${attempt} failed: ${error.message}${next}`;
    }
    case "node-end":
      return describeNext(event);
    case "node-dropped":
      return "Stopped: its result is no longer needed.";
    case "node-sleep":
      return `Sleeps until ${new Date(event.until).toISOString()}.`;
    case "graph-changed":
      return `The workflow has changed since: ${event.differences.join("; ")}`;
    case "request":
      return `Asked: ${event.request.question}`;
    case "answer":
      return `Answered: ${typeof event.value === "string" ? event.value : JSON.stringify(toJson(event.value))}`;
    case "command-end":
      return [`$ ${event.command}  exit code ${event.exitCode}, ${event.durationMs} ms`, ...linesOf(event.output)].join(
        "\n",
      );
    case "warning":
    case "log":
      return event.message;
    default:
      return undefined;
  }
}
