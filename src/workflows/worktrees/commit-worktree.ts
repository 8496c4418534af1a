import { existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Worktree } from "./create-worktree.ts";
import { Git, type GitOptions, READING } from "./git.ts";
import { removeIndexLock } from "./index-lock.ts";
import { assertWorktree, gitFolderOf, isAncestor, readCommit, refOf } from "./repository.ts";
import { withWorktreeLock } from "./with-lock.ts";
import { GitIdentityMissingError, WorktreeNotCommittableError } from "./worktree-errors.ts";
import { listForPeople, readStatus, showHidden, type WorkingTreeStatus } from "./worktree-files.ts";
import { loadRecord } from "./worktree-record.ts";

/** Settings of {@link commitWorktree}. */
export interface CommitWorktreeOptions extends GitOptions {
  /** Whether the hooks of the repository run, as with the user's own commits. @default true */
  readonly runHooks?: boolean;
}

/** The result of {@link commitWorktree}. */
export type CommitResult =
  | { readonly type: "committed"; readonly commit: string }
  /** Nothing differed from the branch; `commit` is its last one. */
  | { readonly type: "unchanged"; readonly commit: string };

/**
 * Commits everything that a worker left in its worktree and git does not ignore, as the user, on the worktree's branch.
 * Commits that the worker made on a branch of its own, or on none, count if they build on the worktree's branch; so do changes
 * that it had git ignore.
 *
 * @throws WorktreeUnknownError, WorktreeDamagedError; GitIdentityMissingError; WorktreeNotCommittableError for conflicts, a rebase in progress, another branch, uncommitted
 * files of a submodule, a repository in the worktree, and a hook that fails
 */
export async function commitWorktree(
  worktree: Pick<Worktree, "path" | "branch" | "recordFile">,
  message: string,
  options: CommitWorktreeOptions,
): Promise<CommitResult> {
  const opened = await Git.open(options);
  const { path, commonDir } = await loadRecord(worktree.recordFile);
  return await withWorktreeLock(opened, { file: worktree.recordFile }, async ({ git }) => {
    await assertWorktree(git, path, commonDir);
    await removeIndexLock(git, worktree.path);
    return await commitAll(git, worktree, { ...options, message });
  });
}

async function commitAll(
  git: Git,
  worktree: Pick<Worktree, "path" | "branch">,
  { message, runHooks = true }: CommitWorktreeOptions & { readonly message: string },
): Promise<CommitResult> {
  const { path: cwd } = worktree;
  await assertReadable(cwd);
  await assertNoRebase(git, cwd);
  await returnToBranch(git, worktree);
  await showHidden(git, cwd);
  assertCommittable(cwd, await readStatus(git, cwd));
  await git.run(["add", "--all", "--sparse"], { cwd, ...READING });
  const isMerging = (await readCommit(git, cwd, "MERGE_HEAD")) !== undefined;
  const { exitCode } = await git.try(["diff", "--cached", "--quiet", "HEAD"], { cwd, ...READING });
  if (exitCode === 0 && !isMerging) return { type: "unchanged", commit: await headOf(git, cwd) };
  await assertIdentity(git, cwd);
  const args = ["commit", "--quiet", "--cleanup=strip", "--message", message, ...(runHooks ? [] : ["--no-verify"])];
  const result = await git.try(args, { cwd, runHooks, isStoppable: true });
  if (result.exitCode === 0) return { type: "committed", commit: await headOf(git, cwd) };
  const output = `${result.stdout}\n${result.stderr}`.trim().slice(-2_000);
  throw new WorktreeNotCommittableError(cwd, "hook", `a hook or git rejected the commit: ${output}`);
}

function assertCommittable(cwd: string, { unmerged, nested, dirtySubmodules }: WorkingTreeStatus): void {
  if (unmerged.length > 0) {
    const detail = `these files have conflicts: ${listForPeople(unmerged)}. Resolve them and "git add" them.`;
    throw new WorktreeNotCommittableError(cwd, "conflicts", detail);
  }
  if (nested.length > 0) {
    const detail = `a commit cannot contain the git repositories ${listForPeople(nested)}. Add them as submodules, let git ignore them, or remove their .git folders.`;
    throw new WorktreeNotCommittableError(cwd, "nested-repository", detail);
  }
  if (dirtySubmodules.length > 0) {
    const detail = `these submodules have uncommitted files: ${listForPeople(dirtySubmodules)}. Commit them there first.`;
    throw new WorktreeNotCommittableError(cwd, "submodule", detail);
  }
}

/** @throws GitIdentityMissingError if git would have to guess the user's address */
export async function assertIdentity(git: Git, cwd: string): Promise<void> {
  const names = ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"];
  for (const name of names) {
    const { exitCode } = await git.try(["-c", "user.useConfigOnly=true", "var", name], { cwd });
    if (exitCode !== 0) throw new GitIdentityMissingError(cwd);
  }
}

/** Git would wait for ever for somebody who writes to a named pipe. */
async function assertReadable(cwd: string): Promise<void> {
  for (const name of [".gitignore", ".gitattributes"]) {
    const found = await lstat(join(cwd, name)).catch(() => undefined);
    if (found?.isFIFO() !== true) continue;
    const detail = `${name} is a named pipe, which git cannot read. Delete it, or replace it with a file.`;
    throw new WorktreeNotCommittableError(cwd, "named-pipe", detail);
  }
}

async function assertNoRebase(git: Git, cwd: string): Promise<void> {
  const folder = await gitFolderOf(git, cwd);
  if (!["rebase-merge", "rebase-apply"].some((name) => existsSync(join(folder, name)))) return;
  const detail =
    'a rebase is in progress. Complete it with "git rebase --continue", or end it with "git rebase --abort".';
  throw new WorktreeNotCommittableError(cwd, "rebase", detail);
}

/** A worker may have left its branch. Changes no file. */
async function returnToBranch(git: Git, { path: cwd, branch }: Pick<Worktree, "path" | "branch">): Promise<void> {
  const { stdout } = await git.try(["symbolic-ref", "--quiet", "HEAD"], { cwd });
  if (stdout.trim() === refOf(branch)) return;
  const [head, tip] = [await headOf(git, cwd), await readCommit(git, cwd, refOf(branch))];
  if (tip !== undefined && !(await isAncestor(git, cwd, { older: tip, newer: head }))) {
    const place = stdout.trim().replace("refs/heads/", "") || `the commit ${head.slice(0, 12)}`;
    const detail = `it is on ${place}, which lacks commits of ${branch}. Check out ${branch}, and merge there.`;
    throw new WorktreeNotCommittableError(cwd, "other-branch", detail);
  }
  await git.run(["update-ref", refOf(branch), head, tip ?? ""], { cwd });
  await git.run(["symbolic-ref", "HEAD", refOf(branch)], { cwd });
}

async function headOf(git: Git, cwd: string): Promise<string> {
  return (await git.run(["rev-parse", "--verify", "HEAD"], { cwd })).trim();
}
