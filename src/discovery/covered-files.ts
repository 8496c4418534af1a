import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isText } from "../contracts/index.ts";
import { readBoundedFile, replaceFile } from "../system/index.ts";
import type { FileHashes } from "./hash-trusted-files.ts";
import { isMissing } from "./unreadable-file.ts";

/** No project has a longer file: an entry has 19 bytes. */
const MAX_BYTES = 16_777_216;

/** One short hash for the name and content of each file. */
export type Fingerprints = ReadonlySet<string>;

/**
 * Stores the files that trust covers, as the user last knew them, in one file per project: a project with many files must
 * not fill the list of all trusted projects. Callers have the lock of that list.
 */
export class CoveredFiles {
  constructor(private readonly folder: string) {}

  /**
   * Undefined for a project without such a file. Empty if the file is damaged: then all files of the project count as
   * changed. Must not throw.
   */
  async load(project: string): Promise<Fingerprints | undefined> {
    try {
      const value: unknown = JSON.parse(await readBoundedFile(this.#pathOf(project), MAX_BYTES));
      return new Set(Array.isArray(value) ? value.filter(isText) : []);
    } catch (error) {
      return isMissing(error) ? undefined : new Set();
    }
  }

  async save(project: string, fingerprints: Fingerprints): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await replaceFile(this.#pathOf(project), `${JSON.stringify([...fingerprints])}\n`);
  }

  async remove(project: string): Promise<void> {
    await rm(this.#pathOf(project), { force: true });
  }

  #pathOf(project: string): string {
    return join(this.folder, `${sha256(project)}.json`);
  }
}

/** The fingerprints of all files. */
export function fingerprintsOf(hashes: FileHashes): Fingerprints {
  return new Set(Object.entries(hashes).map(fingerprintOf));
}

/** The files that are new or have another content. Removed ones run no code. */
export function listChangedFiles(before: Fingerprints, now: FileHashes): readonly string[] {
  return Object.entries(now)
    .filter((file) => !before.has(fingerprintOf(file)))
    .map(([path]) => path);
}

function fingerprintOf(file: readonly [path: string, hash: string]): string {
  return sha256(file.join("\0")).slice(0, 16);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
