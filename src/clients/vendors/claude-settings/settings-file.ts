import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "../../../contracts/index.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../process/temporary-folder.ts";

/** A file with settings, for one session. */
export interface SettingsFile {
  readonly path: string;
  /** Idempotent. */
  remove(): Promise<void>;
}

/**
 * Settings that a Claude Code which somebody else starts reads from files that only their owner can read: in its command
 * line every user of the machine could.
 */
export class SettingsFiles {
  /** Where the files lie. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<SettingsFiles> {
    return new SettingsFiles(await makeTemporaryFolder("claude"));
  }

  async write(settings: JsonObject): Promise<SettingsFile> {
    const file = path.join(this.folder, `${randomUUID()}.json`);
    await writeFile(file, JSON.stringify(settings), { mode: 0o600, flag: "wx" });
    return { path: file, remove: () => rm(file, { force: true }) };
  }

  /** Takes the folder away with all that is in it. Idempotent. */
  async remove(): Promise<void> {
    await removeTemporaryFolder(this.folder);
  }
}
