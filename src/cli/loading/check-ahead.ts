import { availableParallelism } from "node:os";
import type { FileResult, ListedWorkflow, WorkflowFile } from "../../discovery/index.ts";
import { type CheckInChildOptions, checkTogether } from "./check-in-child.ts";

/** Fewer files are checked as fast in processes of their own. */
const MIN_FILES = 4;

/** A file that takes longer is checked alone, with the whole time limit, in milliseconds. */
const MAX_TIME_MS = 2_000;

/** Results by the paths of the files. */
export type ResultsByPath = ReadonlyMap<string, FileResult<ListedWorkflow>>;

/**
 * Checks many workflow files in few processes, because most of the time of a check is the start of its process. Only files
 * in which nothing is wrong have a result; the others need a process of their own. Throws only the signal's reason.
 */
export async function checkAhead(
  files: readonly WorkflowFile[],
  options: CheckInChildOptions<"workflow">,
): Promise<ResultsByPath> {
  const results = new Map<string, FileResult<ListedWorkflow>>();
  if (files.length < MIN_FILES) return results;
  const importTimeoutMs = Math.min(options.importTimeoutMs, MAX_TIME_MS);
  const processCount = availableParallelism();
  const checkPart = async (part: readonly WorkflowFile[]): Promise<void> => {
    for (let [first, ...rest] = part; first !== undefined; [first, ...rest] = rest) {
      const found = await checkTogether([first, ...rest], { ...options, importTimeoutMs });
      for (const [index, result] of found.entries()) results.set([first, ...rest][index]?.path ?? "", result);
      // The process has ended at the file after these.
      rest = rest.slice(found.length);
    }
  };
  const parts = Array.from({ length: processCount }, (_, part) =>
    files.filter((_file, index) => index % processCount === part),
  );
  await Promise.all(parts.map(checkPart));
  return results;
}
