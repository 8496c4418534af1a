import { appendFileSync, existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { AtomicError, isRecord, messageOf } from "../../contracts/index.ts";
import { collectRecording, RECORDING_VERSION, type Recording, type RecordingEntry } from "./recording.ts";

/** The longest recording, in characters; one that would be longer ends before the turn that does not fit. */
const MAX_LENGTH = 256 * 1024 * 1024;

/** A file is not a recording that this version can read. */
export class RecordingInvalidError extends AtomicError {
  constructor(
    readonly path: string,
    problem: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "RECORDING_INVALID",
      `The recording "${path}" cannot be read: ${problem}. Record the run again: atomic run … --record ${path}`,
      options,
    );
  }
}

/** A file that receives a recording, one entry a line. */
export interface RecordingFile {
  readonly write: (entry: RecordingEntry) => void;
}

/** Settings of {@link openRecordingFile}. */
export interface RecordingFileOptions {
  /** Called once, when the file cannot be written or has become too long. */
  readonly onProblem: (message: string) => void;
}

/** Appends a recording to a file that only its owner can read. Creates the file, and its folder, with the first entry. */
export function openRecordingFile(path: string, { onProblem }: RecordingFileOptions): RecordingFile {
  let length = 0;
  let isOver = false;
  const end = (problem: string): void => {
    isOver = true;
    onProblem(`The recording ${path} is incomplete: ${problem}`);
  };
  return {
    write(entry) {
      if (isOver) return;
      const line = `${JSON.stringify(entry)}\n`;
      length += line.length;
      if (length > MAX_LENGTH) return end("it has become too long");
      try {
        appendFileSync(path, line, { mode: 0o600 });
      } catch (error) {
        end(messageOf(error));
      }
    },
  };
}

/** Writes a whole recording. */
export async function saveRecording(recording: Recording, path: string): Promise<void> {
  const { start, agents, turns, contexts, visits, end } = recording;
  const entries: readonly RecordingEntry[] = [
    start,
    ...agents,
    ...turns,
    ...contexts,
    ...visits,
    ...(end ? [end] : []),
  ];
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), { mode: 0o600 });
}

/**
 * Reads a recording. A last line that a crash cut is left out.
 *
 * ```ts
 * const recording = await loadRecording("recordings/poem.jsonl");
 * console.log(recording.turns.map(({ prompt }) => prompt));
 * ```
 *
 * @throws RecordingInvalidError
 */
export async function loadRecording(path: string): Promise<Recording> {
  if (!existsSync(path)) throw new RecordingInvalidError(path, "there is no such file");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new RecordingInvalidError(path, messageOf(error), { cause: error });
  });
  const lines = text.split("\n");
  const isCut = lines.pop() !== "";
  const entries = lines.map((line, index) => parseEntry(path, line, index + 1));
  const recording = collectRecording(entries);
  if (recording === undefined) {
    throw new RecordingInvalidError(
      path,
      isCut || text === "" ? "it is empty" : "its first line does not say which run it is of",
    );
  }
  if (recording.start.version > RECORDING_VERSION) {
    throw new RecordingInvalidError(path, `a newer Atomic wrote it (version ${recording.start.version} of the format)`);
  }
  return recording;
}

const TYPES: ReadonlySet<unknown> = new Set<RecordingEntry["type"]>([
  "recording",
  "agent",
  "turn",
  "context",
  "visit",
  "end",
]);

function parseEntry(path: string, line: string, number: number): RecordingEntry {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch (error) {
    throw new RecordingInvalidError(path, `line ${number} is not JSON`, { cause: error });
  }
  const isKnown = isRecord(entry) && TYPES.has(entry.type) && isComplete(entry);
  if (!isKnown) throw new RecordingInvalidError(path, `line ${number} is not an entry of a recording`);
  // The cast is true for a file that Atomic wrote: its kind is known, and so are the fields that decide about a replay.
  return entry as unknown as RecordingEntry;
}

function isComplete(entry: Readonly<Record<string, unknown>>): boolean {
  if (entry.type === "recording") return typeof entry.version === "number" && typeof entry.runId === "string";
  if (entry.type !== "turn") return true;
  const texts = [entry.taskId, entry.prompt, entry.agentType, entry.folder];
  const isNumbered = typeof entry.turn === "number" && typeof entry.order === "number";
  return (
    texts.every((text) => typeof text === "string") &&
    isNumbered &&
    Array.isArray(entry.changes) &&
    Array.isArray(entry.calls)
  );
}
