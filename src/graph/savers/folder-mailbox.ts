import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../system/index.ts";
import type { RunMailbox, RunMessage } from "../model/checkpointer.ts";
import { encodeRunId } from "./encode-run-id.ts";
import { ignoreMissing } from "./run-lease.ts";

const MESSAGE = ".message";
const TAKEN = ".taken";
const REPLY = ".reply";

/**
 * Carries messages between processes that share a folder, one file per message. The receiver, or a sender who withdraws,
 * takes a message by renaming its file, which only one of them can do.
 */
export class FolderMailbox implements RunMailbox {
  readonly #folder: string;

  /** @param folder created with the first message, for the owner only */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async post(runId: string, text: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // Ids sort by time.
    const id = `${Date.now().toString(36).padStart(9, "0")}-${randomUUID()}`;
    await replaceFile(this.#pathOf(runId, id, MESSAGE), text);
    return id;
  }

  async receive(runId: string): Promise<readonly RunMessage[]> {
    const prefix = prefixOf(runId);
    const messages: RunMessage[] = [];
    for (const name of (await this.#namesOf(runId)).filter((known) => known.endsWith(MESSAGE)).sort()) {
      const id = name.slice(prefix.length, -MESSAGE.length);
      const text = await this.#take(runId, id);
      if (text !== undefined) messages.push({ id, text });
    }
    return messages;
  }

  async reply(runId: string, messageId: string, text: string): Promise<void> {
    await replaceFile(this.#pathOf(runId, messageId, REPLY), text);
  }

  async takeReply(runId: string, messageId: string): Promise<string | undefined> {
    const path = this.#pathOf(runId, messageId, REPLY);
    const text = await readFile(path, "utf8").catch(ignoreMissing);
    if (text !== undefined) await rm(path, { force: true });
    return text;
  }

  async withdraw(runId: string, messageId: string): Promise<boolean> {
    return (await this.#take(runId, messageId)) !== undefined;
  }

  /** Deletes the remaining messages of a run. */
  async clear(runId: string): Promise<void> {
    for (const name of await this.#namesOf(runId)) await rm(join(this.#folder, name), { force: true });
  }

  /** Takes a message; undefined if another process took it first. */
  async #take(runId: string, messageId: string): Promise<string | undefined> {
    const taken = this.#pathOf(runId, messageId, TAKEN);
    try {
      await rename(this.#pathOf(runId, messageId, MESSAGE), taken);
    } catch (error) {
      return ignoreMissing(error);
    }
    const text = await readFile(taken, "utf8");
    await rm(taken, { force: true });
    return text;
  }

  async #namesOf(runId: string): Promise<readonly string[]> {
    const names = (await readdir(this.#folder).catch(ignoreMissing)) ?? [];
    return names.filter((name) => name.startsWith(prefixOf(runId)));
  }

  #pathOf(runId: string, messageId: string, suffix: string): string {
    return join(this.#folder, `${prefixOf(runId)}${messageId}${suffix}`);
  }
}

function prefixOf(runId: string): string {
  return `${encodeRunId(runId)}@`;
}
