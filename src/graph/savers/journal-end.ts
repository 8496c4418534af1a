import { closeSync, constants, mkdirSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import zlib from "node:zlib";
import type { JournalLoss } from "../model/checkpointer.ts";
import { ignoreMissing } from "./run-lease.ts";

/**
 * A file next to a journal with the number of entries written, while the journal has a writer. A log whose end is lost
 * looks like a shorter log; this file distinguishes the two.
 *
 * N1. The number is written after the entry, and set to 0 before entries are removed, so it never exceeds the number of
 *     entries that the journal has had. An outdated number is no loss, and a reported loss is real.
 * N2. The file is not synced: it survives a killed process, and after a power failure it may contain an older number (N1).
 * N3. Errors are ignored: without this file the journal is valid, but its losses go unnoticed.
 */
export class JournalEnd {
  readonly #path: string;
  #file: number | undefined;
  #hasFailed = false;
  #isOurs = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Records the number of entries. */
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

  /** Closes the file without removing it. */
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
   * Closes and removes the file: the journal was closed properly and is complete. If nothing was recorded, the file
   * stays: it may be the only evidence of an earlier loss.
   */
  remove(): void {
    this.close();
    if (this.#isOurs) removeJournalEnd(this.#path);
  }
}

/** Removes the file, and its folder if it is empty. */
export function removeJournalEnd(path: string): void {
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // The folder contains files of other runs (N3).
  }
}

/**
 * The entries lost at the end of a journal. A concurrent writer causes no false alarm: there are more entries then, or
 * the file has changed because they were replaced by fewer (N1).
 *
 * @param findLastSequence returns the number of the journal's last entry
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

/** The number of entries that a journal had; 0 when unknown. */
async function readJournalEnd(path: string): Promise<number> {
  const text = await readFile(path, "latin1")
    .catch(ignoreMissing)
    .catch(() => "");
  const sequence = Number(text?.slice(0, SEQUENCE_DIGITS));
  return Number.isInteger(sequence) && text === formatEnd(sequence) ? sequence : 0;
}

const SEQUENCE_DIGITS = 10;

/** A fixed width, so that a shorter number overwrites a longer one completely. */
function formatEnd(sequence: number): string {
  const digits = String(sequence).padStart(SEQUENCE_DIGITS, "0");
  return `${digits} ${zlib.crc32(digits).toString(16).padStart(8, "0")}\n`;
}

function openPrivately(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
}
