import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "../../contracts/index.ts";

/**
 * Settings that a Claude Code which somebody else starts reads from a file that only its owner can read: in its command
 * line every user of the machine could.
 */
export class SettingsFile {
  #folder: string | undefined;

  /** The path of a file with these settings; an earlier one is taken away. */
  async write(settings: JsonObject): Promise<string> {
    await this.remove();
    // Only its owner can look into it.
    this.#folder = await mkdtemp(path.join(tmpdir(), "atomic-claude-"));
    const file = path.join(this.#folder, "settings.json");
    await writeFile(file, JSON.stringify(settings), { mode: 0o600 });
    return file;
  }

  /** Idempotent. */
  async remove(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
