import path from "node:path";
import type { PermissionRequest } from "../../contracts/index.ts";
import { dependsOnProcess } from "./files/real-names.ts";

/** The most files of one call that are evaluated. */
const MAX_PATHS = 1_000;

/** The longest path, in characters: Linux accepts no longer one. */
const MAX_PATH_LENGTH = 4_096;

/**
 * Why a call is denied without an evaluation, or `undefined` when it can be evaluated.
 *
 * 1. The time is limited: there are at most {@link MAX_PATHS} paths, none longer than {@link MAX_PATH_LENGTH}.
 * 2. A path that leads each process to a different file, such as one in `/proc/self`, is unknown to Atomic.
 */
export async function whyUnclear(
  { paths }: PermissionRequest,
  { workingDirectory }: { readonly workingDirectory: string },
): Promise<string | undefined> {
  if (paths.length > MAX_PATHS) {
    return `This call names ${inEnglish(paths.length)} files. At most ${inEnglish(MAX_PATHS)} can be checked: use several calls.`;
  }
  if (paths.some(({ length }) => length > MAX_PATH_LENGTH)) {
    return `A path of this call is longer than ${inEnglish(MAX_PATH_LENGTH)} characters. Use a shorter one.`;
  }
  const unclear = await Promise.all(paths.map((named) => dependsOnProcess(path.resolve(workingDirectory, named))));
  const named = paths[unclear.indexOf(true)];
  return named === undefined
    ? undefined
    : `${JSON.stringify(named)} means another file to each process. Name the file itself.`;
}

function inEnglish(count: number): string {
  return count.toLocaleString("en-US");
}
