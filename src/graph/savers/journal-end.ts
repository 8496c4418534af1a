import { closeSync, constants, mkdirSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import type { JournalLoss } from "../model/checkpointer.ts";
import { ignoreMissing } from "./run-lease.ts";

/**
 * A file beside a journal that says how many entries have been written, for as long as somebody writes it. A log whose end
 * is damaged looks like one that ended earlier; this file tells them apart.
 *
 * N1. The number is written after the entry, and is set to 0 before entries are taken away: it is never larger than what
 *     the journal has had. So a file that is behind is no loss, and a loss is never made up.
 * N2. Nobody waits for the disk: a killed process leaves what it wrote, and after a power cut the number may be an older
 *     one (N1).
 * N3. What fails here fails without a word: a journal without this file is as good, its damage is only not noticed.
 */
export class JournalEnd {
  readonly #path: string;
  #file: number | undefined;
  #hasFailed = false;
  #isOurs = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Says how many entries there are. */
  note(sequence: number): void {
    this.#isOurs = true;
    if (this.#hasFailed) return;
    try {
      this.#file ??= openPrivately(this.#path);
      const bytes = Buffer.from(formatEnd(sequence));
      if (writeSync(this.#file, bytes, 0, bytes.length, 0) !== bytes.length) this.#hasFailed = true;
    } catch {
      this.#hasFailed = true;
    }
  }

  /** Lets go of the file, which stays. */
  close(): void {
    this.#hasFailed = true;
    const file = this.#file;
    this.#file = undefined;
    try {
      if (file !== undefined) closeSync(file);
    } catch {
      // Nothing depends on it (N3).
    }
  }

  /**
   * Lets go of the file and removes it: the journal has been closed as it should, and says itself where it ends. Where
   * nothing was noted the file stays: it may be all that tells of a loss before.
   */
  remove(): void {
    this.close();
    if (this.#isOurs) removeJournalEnd(this.#path);
  }
}

/** Removes the file, and its folder when it was the last one. */
export function removeJournalEnd(path: string): void {
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // Other runs have files there (N3).
  }
}

/**
 * What a journal has lost at its end, also while somebody writes it: more entries are there then, or the file has changed
 * because they were replaced by fewer (N1).
 *
 * @param findLastSequence looks how many entries there are
 */
export async function findLostEnd(
  path: string,
  findLastSequence: () => Promise<number>,
): Promise<JournalLoss | undefined> {
  let end = await readJournalEnd(path);
  while (end !== 0) {
    const lastSequence = await findLastSequence();
    if (lastSequence >= end) return undefined;
    const endNow = await readJournalEnd(path);
    if (endNow === end) return { lastSequence, count: end - lastSequence };
    end = endNow;
  }
  return undefined;
}

/** How many entries a journal had; 0 when nobody knows. */
async function readJournalEnd(path: string): Promise<number> {
  const text = await readFile(path, "latin1")
    .catch(ignoreMissing)
    .catch(() => "");
  const sequence = Number(text?.slice(0, SEQUENCE_DIGITS));
  return Number.isInteger(sequence) && text === formatEnd(sequence) ? sequence : 0;
}

const SEQUENCE_DIGITS = 10;

/** Always of the same length, so that a shorter number leaves nothing of a longer one. */
function formatEnd(sequence: number): string {
  const digits = String(sequence).padStart(SEQUENCE_DIGITS, "0");
  return `${digits} ${crc32(digits).toString(16).padStart(8, "0")}\n`;
}

function openPrivately(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
}
