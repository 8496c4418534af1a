import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type DiscoveryProblem, isListOf, isRecord, isText, type WorkflowMetadata } from "../../contracts/index.ts";
import { replaceFile } from "../../system/index.ts";
import type { WorkflowFile } from "../discover-workflow-files.ts";
import type { FileResult } from "../load-workflows.ts";
import { readBoundedFile } from "../read-bounded-file.ts";
import { fingerprintModule } from "./fingerprint-module.ts";

/** A workflow of which the metadata is known, without its code being loaded. */
export interface ListedWorkflow {
  readonly metadata: WorkflowMetadata;
  readonly path: string;
}

/** Executes a file somewhere else, to find out its metadata and whether it can be loaded. */
export type CheckWorkflow = (file: WorkflowFile) => Promise<FileResult<ListedWorkflow>>;

/** Settings of {@link createCheckCache}. */
export interface CheckCacheOptions {
  /** The file that keeps the results. */
  readonly path: string;
  /** Identifies the running Atomic and Bun: another version may come to other results. */
  readonly version: string;
  /** Called for a file whose content has no result yet. */
  readonly check: CheckWorkflow;
}

/** Results of checks by the content of the files. */
export interface CheckCache {
  readonly check: CheckWorkflow;
  /** Keeps what is new for later processes. */
  save(): Promise<void>;
}

/** So many characters of results are kept, those added last. Larger files are not read. */
const MAX_CHARACTERS = 500_000;

interface Entry {
  readonly fingerprint: string;
  readonly metadata: WorkflowMetadata;
  readonly problems: readonly DiscoveryProblem[];
}

/**
 * Remembers the results of checks for as long as neither the file nor a file that it imports by a relative path changes. A
 * file that cannot be loaded is checked each time: an installed package may have mended it.
 */
export function createCheckCache({ path, version, check }: CheckCacheOptions): CheckCache {
  let loaded: Promise<Map<string, Entry>> | undefined;
  let isChanged = false;
  const load = (): Promise<Map<string, Entry>> => {
    loaded ??= loadEntries(path, version);
    return loaded;
  };
  return {
    async check(file) {
      const entries = await load();
      const fingerprint = await fingerprintModule(file.realPath);
      const known = entries.get(file.path);
      if (known !== undefined && known.fingerprint === fingerprint)
        return toResult(file, { ...known.metadata, source: file.source }, known.problems);
      const { workflow, problems } = await check(file);
      if (entries.delete(file.path)) isChanged = true;
      if (workflow === undefined || fingerprint === undefined) return { ...(workflow && { workflow }), problems };
      entries.set(file.path, { fingerprint, metadata: workflow.metadata, problems });
      isChanged = true;
      return toResult(file, workflow.metadata, problems);
    },
    async save() {
      if (!isChanged) return;
      isChanged = false;
      const entries = Object.fromEntries(newestOf([...(await load())]));
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await replaceFile(path, `${JSON.stringify({ version, entries })}\n`);
      } catch {
        // Where nothing can be written, the files are checked again the next time.
      }
    },
  };
}

function newestOf(entries: readonly (readonly [string, Entry])[]): readonly (readonly [string, Entry])[] {
  let length = 0;
  const first = entries.findLastIndex((entry) => {
    length += JSON.stringify(entry).length;
    return length > MAX_CHARACTERS;
  });
  return entries.slice(first + 1);
}

function toResult(
  { path }: WorkflowFile,
  metadata: WorkflowMetadata,
  problems: readonly DiscoveryProblem[],
): FileResult<ListedWorkflow> {
  return { workflow: { metadata, path }, problems };
}

/** A damaged file, or one of another version, counts as empty. */
async function loadEntries(path: string, version: string): Promise<Map<string, Entry>> {
  try {
    const stored: unknown = JSON.parse(await readBoundedFile(path));
    if (!isRecord(stored) || stored.version !== version || !isRecord(stored.entries)) return new Map();
    return new Map(Object.entries(stored.entries).filter((entry): entry is [string, Entry] => isEntry(entry[1])));
  } catch {
    return new Map();
  }
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || typeof value.fingerprint !== "string" || !isRecord(value.metadata)) return false;
  const { name, description, aliases } = value.metadata;
  if (typeof name !== "string" || typeof description !== "string" || !isListOf(aliases, isText)) return false;
  return isListOf(value.problems, isProblem);
}

/** Whether it is one that can be shown: this program has written it. */
function isProblem(value: unknown): value is DiscoveryProblem {
  return isRecord(value) && isText(value.message) && isText(value.remedy);
}
