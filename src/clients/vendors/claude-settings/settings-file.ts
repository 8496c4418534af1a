import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "../../../contracts/index.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../process/temporary-folder.ts";

/** A settings file for one session. */
export interface SettingsFile {
  readonly path: string;
  /** Idempotent. */
  remove(): Promise<void>;
}

/**
 * Settings for a Claude Code that another program starts, in files that only their owner can read: every user of the
 * machine can read a command line.
 */
export class SettingsFiles {
  /** The folder of the files. */
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

  /** Removes the folder and everything in it. Idempotent. */
  async remove(): Promise<void> {
    await removeTemporaryFolder(this.folder);
  }
}
