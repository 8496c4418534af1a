import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Redactor } from "../../contracts/index.ts";
import { readBoundedFile } from "../../discovery/index.ts";
import { replaceFile, withFileLock } from "../../system/index.ts";
import { type KnownEntries, knownOf, mergeEntries } from "./merge-entries.ts";

/** How many conversations' messages are kept. */
const MAX_FILES = 200;

/** The largest file, in bytes. */
const MAX_FILE_BYTES = 33_554_432;

/** The messages of the chat's conversations, without secrets. */
export interface StoredEntries {
  /** Stores a conversation. What other chats added to it since this one loaded or stored it stays. */
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
  /** What this chat loaded or stored last, by the session's id. */
  const known = new Map<string, KnownEntries>();
  return {
    async save(sessionId, json) {
      const entries = redactor.value(parseList(json) ?? []);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await withFileLock(`${folder}.lock`, async () => {
        const path = pathOf(sessionId);
        const stored = await loadStored(path);
        const merged = mergeEntries(entries, { stored, known: known.get(sessionId) ?? new Map() });
        await replaceFile(path, `${JSON.stringify(merged)}\n`);
        await removeOldest(folder);
      });
      known.set(sessionId, knownOf(entries));
    },
    async load(sessionId) {
      const text = await readBoundedFile(pathOf(sessionId), MAX_FILE_BYTES).catch(() => undefined);
      const entries = text === undefined ? undefined : parseList(text);
      known.set(sessionId, knownOf(entries ?? []));
      return text;
    },
  };
}

/** The stored entries. A file that has none, or cannot be read, is renamed to `….json.broken`: nothing replaces it. */
async function loadStored(path: string): Promise<readonly unknown[]> {
  try {
    const entries = parseList(await readBoundedFile(path, MAX_FILE_BYTES));
    if (entries !== undefined) return entries;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
  }
  await rename(path, `${path}.broken`);
  return [];
}

function parseList(json: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
