import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "../../contracts/index.ts";

/** Whether {@link OneTimeKeys} works on this system. */
export function canWriteOneTimeKey(): boolean {
  return platform() !== "win32";
}

/**
 * Hands a key over to a Claude Code that somebody else starts, so that it is in the environment of no process: each start
 * gets it in a file of the user's that is gone as soon as it has been read, which is before the first call of a tool.
 */
export class OneTimeKeys {
  readonly #key: string | undefined;
  #folder: string | undefined;

  constructor(key: string | undefined) {
    this.#key = key;
  }

  /** The settings with which Claude Code reads the key, once; none without a key. An earlier key is taken away. */
  async next(): Promise<JsonObject> {
    if (this.#key === undefined) return {};
    await this.remove();
    const folder = await mkdtemp(path.join(tmpdir(), "atomic-key-"));
    this.#folder = folder;
    const file = path.join(folder, "key");
    await writeFile(file, this.#key, { mode: 0o600 });
    const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`;
    return { apiKeyHelper: `cat ${quoted} && rm -f ${quoted}` };
  }

  /** Idempotent. */
  async remove(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
