import type { Git } from "./git.ts";
import { isAncestor, readCommit, refOf } from "./repository.ts";
import { withWorktreeLock } from "./with-lock.ts";
import { listUncommitted } from "./worktree-files.ts";
import { loadRecord, saveRecord } from "./worktree-record.ts";

/*
 * Work that cannot be merged stays on its branch, and a person may merge that. The record has the commit, `unmerged`, from the
 * merge that failed until the next one succeeds, or somebody has taken it.
 */

/** Notes how a merge ended. The caller has the worktree's lock. */
export async function noteOutcome(git: Git, recordFile: string, { type }: { readonly type: string }): Promise<void> {
  const { unmerged, ...record } = await loadRecord(recordFile);
  const isLeft = type === "conflict" || type === "blocked";
  const tip = isLeft ? await readCommit(git, record.commonDir, refOf(record.branch)) : undefined;
  if (tip !== unmerged) await saveRecord(recordFile, { ...record, ...(tip === undefined ? {} : { unmerged: tip }) });
}

/**
 * Whether somebody has merged all the work of a worktree since a merge of it failed. Returns that once: an attempt after it
 * works on.
 */
export async function takeMergedByHand(opened: Git, recordFile: string): Promise<boolean> {
  if ((await loadRecord(recordFile)).unmerged === undefined) return false;
  return await withWorktreeLock(opened, { file: recordFile }, async (lock) => {
    const { unmerged, ...record } = await loadRecord(recordFile);
    const { path, branch, commonDir, targetBranch } = record;
    const git = lock.git.knowing(commonDir);
    if (unmerged === undefined || targetBranch === undefined) return false;
    if ((await readCommit(git, commonDir, refOf(branch))) !== unmerged) return false;
    const target = await readCommit(git, commonDir, refOf(targetBranch));
    if (target === undefined || !(await isAncestor(git, commonDir, { older: unmerged, newer: target }))) return false;
    if ((await listUncommitted(git, path)).length > 0) return false;
    await saveRecord(recordFile, record);
    return true;
  });
}
