import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileUnusableError } from "../../system/index.ts";
import type { TelemetryEvent } from "../telemetry-event.ts";
import type { TelemetrySink } from "../telemetry-sink.ts";
import { readLastLines } from "./read-last-lines.ts";

/** Does not wait for a reader of a pipe. */
const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** So much of the local files is read at once, in bytes. */
const MAX_READ_BYTES = 67_108_864;

/** The day's file, and the earlier part of a day that had more events than fit. */
const FILE_NAME = /^telemetry-(\d{4}-\d\d-\d\d)(?:\.1)?\.jsonl$/;

/** Settings of a {@link JsonlSink}. */
export interface JsonlSinkOptions {
  /** Created when the first event is written. */
  readonly folder: string;
  /** How large a day's file becomes, in bytes; then it is renamed, and the previous renamed one is deleted. @default 5_000_000 */
  readonly maxBytes?: number;
  /** For how many days files are kept, today included. @default 14 */
  readonly maxDays?: number;
  /** @default the system's clock */
  readonly now?: () => Date;
}

/**
 * Appends events to local files, one per line: `telemetry-YYYY-MM-DD.jsonl`, by the day in UTC. The files take at most twice
 * `maxBytes` a day, for `maxDays` days, and are readable by their owner only.
 */
export class JsonlSink implements TelemetrySink {
  readonly name = "the local file";
  readonly #options: JsonlSinkOptions;
  /** The day whose start deleted old files. */
  #tidiedOn: string | undefined;

  constructor(options: JsonlSinkOptions) {
    this.#options = options;
  }

  async write(events: readonly TelemetryEvent[]): Promise<void> {
    const { folder, maxBytes = 5_000_000, now = () => new Date() } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const today = dayOf(now());
    if (this.#tidiedOn !== today) await this.#tidy(now());
    this.#tidiedOn = today;
    const path = join(folder, `telemetry-${today}.jsonl`);
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size > 0 && size + Buffer.byteLength(lines) > maxBytes) {
      await rename(path, join(folder, `telemetry-${today}.1.jsonl`));
    }
    await append(path, lines);
  }

  async #tidy(now: Date): Promise<void> {
    const { folder, maxDays = 14 } = this.#options;
    const first = dayOf(new Date(now.getTime() - (maxDays - 1) * 86_400_000));
    for (const file of await readdir(folder)) {
      const day = FILE_NAME.exec(file)?.[1];
      if (day !== undefined && day < first) await rm(join(folder, file), { force: true });
    }
  }
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** @throws FileUnusableError for an irregular file; the system's errors */
async function append(path: string, text: string): Promise<void> {
  const file = await open(path, APPENDING, 0o600);
  try {
    if (!(await file.stat()).isFile()) throw new FileUnusableError(path, "is not a regular file");
    await file.appendFile(text);
  } finally {
    await file.close();
  }
}

/** What {@link readLocalEvents} returns. */
export interface LocalEvents {
  /** Oldest first, as they are in the files; none if there are no files. */
  readonly lines: readonly string[];
  /** Whether older events were left out because the files are too large. */
  readonly isCut: boolean;
}

/**
 * The last lines of the local files, from at most `maxBytes` of them.
 *
 * @throws FileUnusableError for an irregular file; the system's errors
 */
export async function readLocalEvents(
  folder: string,
  { count, maxBytes = MAX_READ_BYTES }: { readonly count: number; readonly maxBytes?: number },
): Promise<LocalEvents> {
  const names = await readdir(folder).catch(() => []);
  const order = (file: string): string => file.replace(".1.jsonl", ".0");
  const files = names.filter((file) => FILE_NAME.test(file)).sort((a, b) => (order(a) < order(b) ? 1 : -1));
  let lines: readonly string[] = [];
  let left = maxBytes;
  for (const file of files) {
    if (lines.length >= count) break;
    const read = await readLastLines(join(folder, file), { count: count - lines.length, maxBytes: left });
    lines = [...read.lines, ...lines];
    left -= read.bytes;
    if (read.isCut) return { lines, isCut: true };
  }
  return { lines, isCut: false };
}
