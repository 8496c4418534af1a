import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { platform } from "node:os";
import path from "node:path";
import type { JsonObject } from "../../../contracts/index.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../process/temporary-folder.ts";

/** Whether {@link OneTimeKeys} works on this system. */
export function canWriteOneTimeKey(): boolean {
  return platform() !== "win32";
}

/** A key that has not been read yet. */
export interface OneTimeKey {
  /** The settings that make Claude Code read the key, once. */
  readonly settings: JsonObject;
  /** Removes the key if nobody has read it. Idempotent. */
  remove(): Promise<void>;
}

/**
 * Passes a key to a Claude Code that another program starts, without putting it into any process's environment. Each start
 * gets the key in a file that only the user can read and that is removed as soon as it has been read, before the first
 * tool call.
 */
export class OneTimeKeys {
  /** The folder of the files, for this process only. */
  readonly folder: string;
  readonly #key: string;

  private constructor(key: string, folder: string) {
    this.#key = key;
    this.folder = folder;
  }

  static async create(key: string): Promise<OneTimeKeys> {
    return new OneTimeKeys(key, await makeTemporaryFolder("key"));
  }

  async write(): Promise<OneTimeKey> {
    const file = path.join(this.folder, randomUUID());
    // The process may write to the folder: an existing link there must not be followed.
    await writeFile(file, this.#key, { mode: 0o600, flag: "wx" });
    const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`;
    return {
      settings: { apiKeyHelper: `cat ${quoted} && rm -f ${quoted}` },
      remove: () => rm(file, { force: true }),
    };
  }

  /** Removes the folder and everything in it. Idempotent. */
  async remove(): Promise<void> {
    await removeTemporaryFolder(this.folder);
  }
}
