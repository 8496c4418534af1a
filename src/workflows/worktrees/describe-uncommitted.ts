import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";
import { readStatus } from "./worktree-files.ts";

const MAX_NAMED = 5;

/** Paths for a sentence, at most five of them. */
export function listForPeople(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  return `${paths.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A warning about the changes of a project that a new worktree lacks, because it starts at the last commit. */
export async function describeUncommitted(git: Git, { root }: Repository): Promise<readonly string[]> {
  const { changed, unmerged, untracked, nested } = await readStatus(git, root);
  const paths = [...changed, ...unmerged, ...untracked, ...nested];
  if (paths.length === 0) return [];
  return [`the worktree starts at the last commit, without the project's uncommitted changes: ${listForPeople(paths)}`];
}
