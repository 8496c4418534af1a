import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Usage } from "../contracts/index.ts";
import { DefaultSaver, type JournalEntry, type NodeSummary, readRunSummary } from "../graph/index.ts";
import { replaceFile } from "../system/index.ts";
import { readVisitTitles } from "./visit-titles.ts";

/** The file of a fork's session about what it did not do itself. */
export const INHERITED_FILE = "inherited.json";

/** What a fork took over from the run that it was forked from, and from that run's own past. */
export interface InheritedPast {
  /** The visits that had ended, in the order of their starts. */
  readonly visits: readonly InheritedVisit[];
  /** What the past has used. It counts towards the fork's usage and its budget. */
  readonly usage: Usage;
}

/** A visit that a fork does not repeat. */
export interface InheritedVisit extends NodeSummary {
  /** What it is called, where that says more than the node's id. */
  readonly title?: string;
}

/** Where the past of a fork is. */
interface PastOptions {
  readonly runId: string;
  /** The session's folder of the run. */
  readonly directory: string;
  /** The last record of the past. */
  readonly at: number;
  readonly owner: string;
  readonly processId: number;
}

/** The past of a run until one of its moments. @throws UnknownRunError, JournalCorruptError */
export async function summarizePast({ runId, directory, at, ...owner }: PastOptions): Promise<InheritedPast> {
  const { nodes, usage } = await readRunSummary(new PastSaver({ directory, at, ...owner }), runId);
  const titles = await readVisitTitles(directory);
  const before = (await readInheritedPast(directory))?.visits ?? [];
  const ended = nodes.filter(({ endedAt }) => endedAt !== undefined);
  const own = new Set(nodes.map(({ taskId }) => taskId));
  const visits = [
    ...before.filter(({ taskId }) => !own.has(taskId)),
    ...ended.map((node) => {
      const title = titles.get(node.taskId);
      return title === undefined ? node : { ...node, title };
    }),
  ];
  return { visits, usage };
}

/** Reads a journal as it was at one of its moments. */
class PastSaver extends DefaultSaver {
  readonly #at: number;

  constructor({ at, ...options }: ConstructorParameters<typeof DefaultSaver>[0] & { readonly at: number }) {
    super(options);
    this.#at = at;
  }

  override async read(runId: string): Promise<readonly JournalEntry[]> {
    return (await super.read(runId)).filter(({ sequence }) => sequence <= this.#at);
  }
}

/** Keeps the past in the fork's session, so that it can be shown when the other run is deleted. */
export async function writeInheritedPast(sessionDirectory: string, past: InheritedPast): Promise<void> {
  await replaceFile(join(sessionDirectory, INHERITED_FILE), `${JSON.stringify(past)}\n`);
}

/** What a run took over; `undefined` for a run that is no fork. @throws the system's error */
export async function readInheritedPast(sessionDirectory: string): Promise<InheritedPast | undefined> {
  try {
    // The cast is true: only forkSession writes the file, all or nothing.
    return JSON.parse(await readFile(join(sessionDirectory, INHERITED_FILE), "utf8")) as InheritedPast;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
