import { type ComputedMerge, computeMerge, keepInterrupted, type ResolveConflict } from "./compute-merge.ts";
import type { Worktree } from "./create-worktree.ts";
import { Git, type GitOptions } from "./git.ts";
import { removeIndexLock } from "./index-lock.ts";
import { noteOutcome } from "./merged-by-hand.ts";
import { publishMerge } from "./publish-merge.ts";
import { assertWorktree, findTop, isAncestor, readCommit, refOf } from "./repository.ts";
import { keepSubmoduleCommits } from "./submodules.ts";
import { withRepositoryLock, withWorktreeLock } from "./with-lock.ts";
import { TargetBranchMissingError, WorktreeDamagedError, WorktreeHasWorkError } from "./worktree-errors.ts";
import { listForPeople, listUncommitted } from "./worktree-files.ts";
import { loadRecord, saveRecord, type WorktreeRecord } from "./worktree-record.ts";

/** Settings of {@link mergeWorktree}. */
export interface MergeWorktreeOptions extends GitOptions {
  /** The branch to merge into. @default the branch that the project was on when the worktree was created */
  readonly targetBranch?: string;
  /** The only commit that may be merged: the last one of the worktree's branch must be it. @default any */
  readonly commit?: string;
  /** The first line of the merge commit. @default "Merge branch 'BRANCH'" */
  readonly message?: string;
  /** Resolves conflicts, for example with an agent. @default the merge is aborted */
  readonly resolveConflict?: ResolveConflict;
}

/** The result of {@link mergeWorktree}. Except after `merged` and `unchanged`, the branch keeps the work. */
export type MergeResult =
  /** The target branch contains the work; `commit` is its last commit. */
  | { readonly type: "merged"; readonly commit: string }
  /** The last commit of the branch, `commit`, is another one than the one to be merged. */
  | { readonly type: "changed"; readonly commit: string }
  /** The branch has no commit of its own. */
  | { readonly type: "unchanged" }
  /** These files were changed on both sides, and nobody resolved them. */
  | { readonly type: "conflict"; readonly files: readonly string[] }
  /** The target branch is checked out in `folder`, where uncommitted changes of these files or `reason` are in the way. */
  | { readonly type: "blocked"; readonly folder: string; readonly files: readonly string[]; readonly reason: string };

/**
 * Merges a worktree's branch into the project's branch. There is always one merge commit, never a fast-forward: the log of
 * first parents then has one commit per task, which can be reverted as one. The merge takes place in the worktree; the
 * project's files change only if the target branch is checked out there, and uncommitted work in it is never touched.
 * Merges of one repository wait for each other, in all processes. After a crash, the call can be repeated: it merges once.
 * What a crash or an unsuccessful resolver left in the worktree is kept under `refs/atomic/interrupted/BRANCH` until the
 * merged worktree is removed.
 *
 * @throws WorktreeHasWorkError for uncommitted work in the worktree; TargetBranchMissingError; GitIdentityMissingError;
 * WorktreeUnknownError; the signal's reason
 */
export async function mergeWorktree(worktree: Worktree, options: MergeWorktreeOptions): Promise<MergeResult> {
  const { recordFile, home } = worktree;
  const opened = await Git.open(options);
  const { commonDir } = await loadRecord(recordFile);
  return await withRepositoryLock(opened, { home, commonDir, purpose: "merge" }, (outer) =>
    withWorktreeLock(outer, { file: recordFile }, async ({ git }) => {
      for (;;) {
        const merge = await planMerge(git, recordFile, options);
        if (merge === undefined) return { type: "unchanged" };
        const result = await mergeInto(git, merge, options);
        // Somebody may have committed to the target branch since.
        const { target, record, targetBranch } = merge;
        if (result.type === "blocked" && (await readCommit(git, record.commonDir, refOf(targetBranch))) !== target)
          continue;
        await noteOutcome(git, recordFile, result);
        return result;
      }
    }),
  );
}

/** Nothing for a branch without work whose target is missing. @throws TargetBranchMissingError */
async function planMerge(git: Git, recordFile: string, options: MergeWorktreeOptions): Promise<Merge | undefined> {
  const loaded = await loadRecord(recordFile);
  const { targetBranch = loaded.targetBranch } = options;
  const target = targetBranch === undefined ? undefined : await readCommit(git, loaded.commonDir, refOf(targetBranch));
  if (targetBranch === undefined || target === undefined) {
    const { path, commonDir, branch, baseCommit } = loaded;
    await assertWorktree(git, path, commonDir);
    await assertCommitted(git, loaded);
    if ((await readCommit(git, commonDir, refOf(branch))) === baseCommit) return undefined;
    throw new TargetBranchMissingError(branch, targetBranch);
  }
  return { record: { ...loaded, targetBranch }, recordFile, targetBranch, target };
}

interface Merge {
  readonly record: WorktreeRecord;
  readonly recordFile: string;
  readonly targetBranch: string;
  readonly target: string;
}

async function mergeInto(git: Git, merge: Merge, options: MergeWorktreeOptions): Promise<MergeResult> {
  const { record, targetBranch, target } = merge;
  const { path, branch, baseCommit, commonDir } = record;
  await assertWorktree(git, path, commonDir);
  await endInterruptedMerge(git, record);
  const tip = await readCommit(git, commonDir, refOf(branch));
  if (tip === undefined) throw new WorktreeDamagedError(path, `has lost its branch ${branch}`);
  await assertCommitted(git, record);
  if (options.commit !== undefined && options.commit !== tip) return { type: "changed", commit: tip };
  if (tip === baseCommit) return { type: "unchanged" };
  if (await isAncestor(git, commonDir, { older: tip, newer: target })) return { type: "merged", commit: target };
  const last = record.merge?.target === target && record.merge.branch === tip ? record.merge.commit : undefined;
  const computed: ComputedMerge =
    last === undefined ? await computeRecorded(git, { ...merge, tip }, options) : { type: "computed", commit: last };
  if (computed.type === "conflict") return computed;
  const { commit } = computed;
  const project = await findTop(git, record.project);
  if (project !== undefined) await keepSubmoduleCommits(git, { from: path, to: project, branch });
  const published = await publishMerge(git, { commonDir, targetBranch, target, commit });
  return published.type === "published" ? { type: "merged", commit } : published;
}

/** Invariant: the record has a merge without a commit only while the worktree's files are those of a merge in progress. */
async function computeRecorded(
  git: Git,
  { record: { merge: _last, ...record }, recordFile, target, tip }: Merge & { readonly tip: string },
  { message = `Merge branch '${record.branch}'`, resolveConflict }: MergeWorktreeOptions,
): Promise<ComputedMerge> {
  const merge = { target, branch: tip };
  await saveRecord(recordFile, { ...record, merge });
  let next: WorktreeRecord = record;
  try {
    const computed = await computeMerge(git, {
      path: record.path,
      branch: record.branch,
      target,
      tip,
      message,
      resolveConflict,
    });
    if (computed.type === "computed") next = { ...record, merge: { ...merge, commit: computed.commit } };
    return computed;
  } finally {
    await saveRecord(recordFile, next);
  }
}

/** Returns a worktree to its branch if a process died while it merged there. What it left is kept. */
async function endInterruptedMerge(git: Git, { path, branch, merge }: WorktreeRecord): Promise<void> {
  if (merge === undefined || merge.commit !== undefined) return;
  await removeIndexLock(git, path);
  await keepInterrupted(git, { path, branch, tip: merge.branch });
  await git.run(["reset", "--quiet", "--hard", merge.branch], { cwd: path });
}

async function assertCommitted(git: Git, { path, branch }: WorktreeRecord): Promise<void> {
  const paths = await listUncommitted(git, path);
  if (paths.length > 0) throw new WorktreeHasWorkError(path, "merge", [`uncommitted files: ${listForPeople(paths)}`]);
  const { stdout } = await git.try(["symbolic-ref", "--quiet", "HEAD"], { cwd: path });
  if (stdout.trim() !== refOf(branch))
    throw new WorktreeHasWorkError(path, "merge", [`its branch ${branch} is not checked out`]);
}
