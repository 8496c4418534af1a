import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isRecord } from "../../contracts/index.ts";
import { readBoundedFile, replaceFile } from "../../system/index.ts";
import type { WorkflowFile } from "../discover-workflow-files.ts";
import { fingerprintModule } from "./fingerprint-module.ts";

/** Settings of {@link createContentCache}. */
export interface ContentCacheOptions<Fact> {
  /** The file that keeps the facts. */
  readonly path: string;
  /** Identifies the running Atomic and Bun: another version may come to other facts. */
  readonly version: string;
  /** Whether a stored value is a fact that this program has written. */
  readonly isFact: (value: unknown) => value is Fact;
}

/** What is known of a file with its present content. */
export interface CachedFact<Fact> {
  readonly known: Fact | undefined;
  /** Replaces what is known; undefined removes it. */
  readonly keep: (fact: Fact | undefined) => void;
}

/** Facts about files of code, by their content. */
export interface ContentCache<Fact> {
  read(file: Pick<WorkflowFile, "path" | "realPath">): Promise<CachedFact<Fact>>;
  /** Keeps what is new for later processes. */
  save(): Promise<void>;
}

/** So many characters of facts are kept, those added last. Larger files are not read. */
const MAX_CHARACTERS = 500_000;

interface Entry<Fact> {
  readonly fingerprint: string;
  readonly fact: Fact;
}

/**
 * Remembers facts about files for as long as neither the file nor a file that it imports by a relative path changes. Must
 * not throw: where nothing can be read or written, nothing is known.
 */
export function createContentCache<Fact>(options: ContentCacheOptions<Fact>): ContentCache<Fact> {
  const { path, version } = options;
  let loaded: Promise<Map<string, Entry<Fact>>> | undefined;
  let isChanged = false;
  const load = (): Promise<Map<string, Entry<Fact>>> => {
    loaded ??= loadEntries(options);
    return loaded;
  };
  return {
    async read(file) {
      const entries = await load();
      const fingerprint = await fingerprintModule(file.realPath);
      const entry = entries.get(file.path);
      return {
        known: entry !== undefined && entry.fingerprint === fingerprint ? entry.fact : undefined,
        keep(fact) {
          if (entries.delete(file.path)) isChanged = true;
          if (fact === undefined || fingerprint === undefined) return;
          entries.set(file.path, { fingerprint, fact });
          isChanged = true;
        },
      };
    },
    async save() {
      if (!isChanged) return;
      isChanged = false;
      const entries = Object.fromEntries(newestOf([...(await load())]));
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await replaceFile(path, `${JSON.stringify({ version, entries })}\n`);
      } catch {
        // The files are checked again the next time.
      }
    },
  };
}

function newestOf<Fact>(entries: readonly (readonly [string, Entry<Fact>])[]): typeof entries {
  let length = 0;
  const first = entries.findLastIndex((entry) => {
    length += JSON.stringify(entry).length;
    return length > MAX_CHARACTERS;
  });
  return entries.slice(first + 1);
}

/** A damaged file, or one of another version, counts as empty. */
async function loadEntries<Fact>({
  path,
  version,
  isFact,
}: ContentCacheOptions<Fact>): Promise<Map<string, Entry<Fact>>> {
  const isEntry = (value: unknown): value is Entry<Fact> =>
    isRecord(value) && typeof value.fingerprint === "string" && isFact(value.fact);
  try {
    const stored: unknown = JSON.parse(await readBoundedFile(path));
    if (!isRecord(stored) || stored.version !== version || !isRecord(stored.entries)) return new Map();
    return new Map(Object.entries(stored.entries).filter((entry): entry is [string, Entry<Fact>] => isEntry(entry[1])));
  } catch {
    return new Map();
  }
}
