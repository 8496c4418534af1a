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

/** A key that waits to be read. */
export interface OneTimeKey {
  /** The settings with which Claude Code reads the key, once. */
  readonly settings: JsonObject;
  /** Takes it away where nobody has read it. Idempotent. */
  remove(): Promise<void>;
}

/**
 * Hands a key over to the Claude Code of a process that somebody else starts, so that it is in the environment of no
 * process: each start gets it in a file of the user's that is gone as soon as it has been read, which is before the first
 * call of a tool.
 */
export class OneTimeKeys {
  /** Where the files lie, for this process only. */
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
    // The process may write to the folder: what lies there already must not be followed.
    await writeFile(file, this.#key, { mode: 0o600, flag: "wx" });
    const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`;
    return {
      settings: { apiKeyHelper: `cat ${quoted} && rm -f ${quoted}` },
      remove: () => rm(file, { force: true }),
    };
  }

  /** Takes the folder away with all that is in it. Idempotent. */
  async remove(): Promise<void> {
    await removeTemporaryFolder(this.folder);
  }
}
