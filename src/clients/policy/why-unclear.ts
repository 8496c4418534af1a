import path from "node:path";
import type { PermissionRequest } from "../../contracts/index.ts";
import { dependsOnProcess } from "./files/real-names.ts";

/** So many files of one call are judged. */
const MAX_PATHS = 1_000;

/** So long may a path be, in characters: Linux takes no longer one. */
const MAX_PATH_LENGTH = 4_096;

/**
 * Why a call is denied unjudged, or `undefined` when it can be judged.
 *
 * 1. The time is bounded: there are at most {@link MAX_PATHS} paths, none longer than {@link MAX_PATH_LENGTH}.
 * 2. A path that means another file to each process, such as one in `/proc/self`, leads the agent where Atomic cannot see.
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
