import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Redactor } from "../../contracts/index.ts";
import { readBoundedFile } from "../../discovery/index.ts";
import { replaceFile } from "../../system/index.ts";

/** How many conversations' messages are kept. */
const MAX_FILES = 200;

/** The largest file, in bytes. */
const MAX_FILE_BYTES = 33_554_432;

/** The messages of the chat's conversations, without secrets. */
export interface StoredEntries {
  save(sessionId: string, json: string): Promise<void>;
  /** Undefined when none are stored, or they cannot be read. */
  load(sessionId: string): Promise<string | undefined>;
}

/** Stores the messages of each conversation in a file in `chat/conversations` of the user's Atomic folder. */
export function createStoredEntries({
  atomicHome,
  redactor,
}: {
  readonly atomicHome: string;
  readonly redactor: Redactor;
}): StoredEntries {
  const folder = join(atomicHome, "chat", "conversations");
  // An agent chose the id, which may be no name of a file.
  const pathOf = (sessionId: string): string =>
    join(folder, `${createHash("sha256").update(sessionId).digest("hex").slice(0, 32)}.json`);
  return {
    async save(sessionId, json) {
      const entries: unknown = redactor.value(JSON.parse(json));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(pathOf(sessionId), `${JSON.stringify(entries)}\n`);
      await removeOldest(folder);
    },
    load: (sessionId) => readBoundedFile(pathOf(sessionId), MAX_FILE_BYTES).catch(() => undefined),
  };
}

async function removeOldest(folder: string): Promise<void> {
  const paths = (await readdir(folder)).filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
  if (paths.length <= MAX_FILES) return;
  // Another chat may remove the same file.
  const timed = await Promise.all(
    paths.map(async (path) => ({ path, at: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const oldest = timed.toSorted((one, other) => one.at - other.at).slice(0, timed.length - MAX_FILES);
  for (const { path } of oldest) await rm(path, { force: true });
}
