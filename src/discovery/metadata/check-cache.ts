import { type DiscoveryProblem, isListOf, isRecord, isText, type WorkflowMetadata } from "../../contracts/index.ts";
import type { WorkflowFile } from "../discover-workflow-files.ts";
import type { FileResult } from "../load-workflows.ts";
import { createContentCache } from "./content-cache.ts";

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
  /** Whether the content of a file has a result already. */
  has(file: WorkflowFile): Promise<boolean>;
  /** Keeps what is new for later processes. */
  save(): Promise<void>;
}

/** What is kept of a file. */
interface Checked {
  /** Absent if the file cannot be loaded. */
  readonly metadata?: WorkflowMetadata;
  readonly problems: readonly DiscoveryProblem[];
}

/**
 * Remembers the results of checks, see `createContentCache`. A file that cannot be loaded is checked each time, because an
 * installed package may have mended it, except where its own text is the cause.
 */
export function createCheckCache({ path, version, check }: CheckCacheOptions): CheckCache {
  const cache = createContentCache<Checked>({ path, version, isFact: isChecked });
  return {
    has: async (file) => (await cache.read(file)).known !== undefined,
    async check(file) {
      const { known, keep } = await cache.read(file);
      if (known !== undefined) return toResult(file, known);
      const { workflow, problems, isLasting = false } = await check(file);
      const checked: Checked = { ...(workflow && { metadata: workflow.metadata }), problems };
      keep(workflow !== undefined || isLasting ? checked : undefined);
      return toResult(file, checked);
    },
    save: cache.save,
  };
}

function toResult({ path, source }: WorkflowFile, { metadata, problems }: Checked): FileResult<ListedWorkflow> {
  return metadata === undefined ? { problems } : { workflow: { metadata: { ...metadata, source }, path }, problems };
}

function isChecked(value: unknown): value is Checked {
  if (!isRecord(value) || !isListOf(value.problems, isProblem)) return false;
  if (value.metadata === undefined) return value.problems.some(({ severity }) => severity === "error");
  if (!isRecord(value.metadata)) return false;
  const { name, description, aliases } = value.metadata;
  return typeof name === "string" && typeof description === "string" && isListOf(aliases, isText);
}

/** Whether it is one that can be shown: this program has written it. */
function isProblem(value: unknown): value is DiscoveryProblem {
  return isRecord(value) && isText(value.message) && isText(value.remedy);
}
