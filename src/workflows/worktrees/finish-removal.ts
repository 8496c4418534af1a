import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Git } from "./git.ts";
import { releasePorts } from "./port-registry.ts";
import { interruptedRefOf, isAncestor, readCommit, refOf } from "./repository.ts";
import { saveRecord, type WorktreeRecord } from "./worktree-record.ts";

/** What is removed. */
export interface Removal {
  readonly record: WorktreeRecord;
  /** The record's file. */
  readonly file: string;
  /** The folder of Atomic. */
  readonly home: string;
}

/**
 * Removes a worktree's folder, its entry in git, its branch and what unsuccessful merges left if the branch was merged, its ports and at last its record, so that
 * an interrupted call can be repeated. Whether something would be lost must have been checked before.
 */
export async function finishRemoval(git: Git, { record, file, home }: Removal): Promise<void> {
  const { path, commonDir } = record;
  await saveRecord(file, { ...record, state: "removing" });
  await discardFolder(path);
  if (existsSync(commonDir)) {
    // Fails if git no longer knows the worktree.
    await git.try(["worktree", "remove", "--force", "--force", "--", path], { cwd: commonDir });
    await deleteMergedBranch(git, record);
  }
  await releasePorts(home, file);
  await rm(file, { force: true });
}

/** The names of folders that are being deleted. */
const DISCARDED = /^\.discarded-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether an interrupted removal may have left a folder of this name. */
export function isDiscarded(name: string): boolean {
  return DISCARDED.test(name);
}

/** Deletes a folder. Nothing can write into it by its own name meanwhile. */
export async function discardFolder(path: string): Promise<void> {
  const discarded = join(dirname(path), `.discarded-${randomUUID()}`);
  await rename(path, discarded).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  });
  await rm(discarded, { recursive: true, force: true });
}

async function deleteMergedBranch(git: Git, record: WorktreeRecord): Promise<void> {
  const { branch, commonDir } = record;
  const tip = await readCommit(git, commonDir, refOf(branch));
  if (tip === undefined || !(await isMerged(git, record, tip))) return;
  const isElsewhere = (await git.listRegistered(commonDir)).some((one) => one.branch === refOf(branch));
  if (!isElsewhere) await git.run(["update-ref", "-d", refOf(branch), tip], { cwd: commonDir });
  // What unsuccessful merges left; there may be nothing.
  await git.try(["update-ref", "-d", interruptedRefOf(branch)], { cwd: commonDir });
}

/**
 * Whether a commit of the worktree's branch is part of the branch that the work goes to. Without such a branch, or if the
 * commit is the one that the worktree started at, any branch or tag that is not a worktree's counts.
 */
export async function isMerged(git: Git, record: WorktreeRecord, tip: string): Promise<boolean> {
  const { commonDir, targetBranch, baseCommit } = record;
  const target = targetBranch === undefined ? undefined : await readCommit(git, commonDir, refOf(targetBranch));
  if (target !== undefined && (await isAncestor(git, commonDir, { older: tip, newer: target }))) return true;
  if (target !== undefined && tip !== baseCommit) return false;
  const args = ["for-each-ref", "--format=%(refname)", "--contains", tip, "refs/heads", "refs/tags", "refs/remotes"];
  const refs = (await git.run(args, { cwd: commonDir })).split("\n");
  return refs.some((ref) => ref !== "" && !ref.startsWith("refs/heads/atomic/"));
}
