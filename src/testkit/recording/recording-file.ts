import { appendFileSync, constants, existsSync, readFileSync, truncateSync } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { AtomicError, messageOf, recordOf } from "../../contracts/index.ts";
import type { EntryProblem } from "./parse-entry.ts";
import { collectRecording, RECORDING_VERSION, type Recording, type RecordingEntry } from "./recording.ts";

/** The longest recording, in characters; one that would be longer ends before the turn that does not fit. */
const MAX_LENGTH = 256 * 1024 * 1024;
/** The size of the longest recording, in bytes. */
const MAX_BYTES = 3 * MAX_LENGTH;

/** A file is not a recording that this version can read. */
export class RecordingInvalidError extends AtomicError {
  constructor(
    readonly path: string,
    readonly problem: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "RECORDING_INVALID",
      `The recording "${path}" cannot be read: ${problem}. Name another one, or record the run again, into a new file: atomic run … --record FILE`,
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
  let isBegun = false;
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
        if (!isBegun) dropCutLine(path);
        isBegun = true;
        appendFileSync(path, line, { mode: 0o600 });
      } catch (error) {
        end(messageOf(error));
      }
    },
  };
}

/** A crash may have cut the last line, which would spoil the next one. */
function dropCutLine(path: string): void {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  const length = bytes.lastIndexOf("\n") + 1;
  if (length < bytes.length) truncateSync(path, length);
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
  const text = await readText(path);
  // Only who reads a recording needs zod.
  const { findEntryProblem } = await import("./parse-entry.ts");
  if (text === "") throw new RecordingInvalidError(path, "it is empty");
  const lines = text.split("\n");
  lines.pop();
  if (!isStart(lines[0])) throw new RecordingInvalidError(path, "it is no recording of Atomic");
  const entries = lines.map((line, index) => parseEntry(line, { path, number: index + 1, findEntryProblem }));
  const recording = collectRecording(entries);
  if (recording === undefined) throw new RecordingInvalidError(path, "it is no recording of Atomic");
  return recording;
}

/** Whether a line is the first one of a recording, of whatever version. */
function isStart(line: string | undefined): boolean {
  try {
    return recordOf(JSON.parse(line ?? "")).type === "recording";
  } catch {
    return false;
  }
}

/** Opens only what is a file: reading a pipe or a device may never end. */
async function readText(path: string): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new RecordingInvalidError(path, "it is not a file");
      if (stat.size > MAX_BYTES) throw new RecordingInvalidError(path, `it is too large (${stat.size} bytes)`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof RecordingInvalidError) throw error;
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new RecordingInvalidError(path, isMissing ? "there is no such file" : messageOf(error), { cause: error });
  }
}

/** Where a line is, and what checks it. */
interface LinePlace {
  readonly path: string;
  readonly number: number;
  readonly findEntryProblem: (value: unknown) => EntryProblem | undefined;
}

function parseEntry(line: string, { path, number, findEntryProblem }: LinePlace): RecordingEntry {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch (error) {
    throw new RecordingInvalidError(path, `line ${number} is not JSON`, { cause: error });
  }
  const { type, version } = recordOf(entry);
  // Of another format, nothing else is known.
  if (type === "recording" && typeof version === "number" && version > RECORDING_VERSION) {
    throw new RecordingInvalidError(path, `a newer Atomic wrote it (version ${version} of the format)`);
  }
  const problem = findEntryProblem(entry);
  if (problem?.type === "unknown") {
    throw new RecordingInvalidError(path, `line ${number} is not an entry of a recording`);
  }
  if (problem !== undefined) {
    throw new RecordingInvalidError(path, `in line ${number}, "${problem.path}" is missing or wrong`);
  }
  // The cast is true: all fields were checked.
  return entry as RecordingEntry;
}
