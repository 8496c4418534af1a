import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertIdentity } from "./commit-worktree.ts";
import { type Git, splitZeros } from "./git.ts";
import { gitFolderOf, interruptedRefOf, isAncestor, readCommit } from "./repository.ts";
import { GitFailedError } from "./worktree-errors.ts";
import { readStatus, showHidden } from "./worktree-files.ts";

/** What a resolver of conflicts gets. */
export interface MergeConflict {
  /** The worktree's folder: it is in the middle of `git merge`, with conflict markers in the files. */
  readonly path: string;
  /** The files with conflicts, from the top of the worktree. */
  readonly files: readonly string[];
  /** The last commit of the worktree's branch. */
  readonly ours: string;
  /** The last commit of the target branch. */
  readonly theirs: string;
  /** Identifies what the files contain now; equal contents have equal texts. */
  readonly snapshot: () => Promise<string>;
  readonly signal?: AbortSignal;
}

/**
 * Resolves the conflicts of a merge in a worktree. Returns whether it did: no conflict marker is left, and files without
 * such, as deleted and binary ones, are added with `git add` or `git rm`. It may also conclude the merge with `git commit`,
 * not with `commitWorktree`: the merge has the worktree's lock.
 */
export type ResolveConflict = (conflict: MergeConflict) => Promise<boolean>;

/** A merge to be computed. */
export interface MergePlan {
  readonly path: string;
  readonly branch: string;
  readonly target: string;
  /** The last commit of the worktree's branch, which is checked out without changes. */
  readonly tip: string;
  readonly message: string;
  readonly resolveConflict: ResolveConflict | undefined;
}

/** The result of {@link computeMerge}. */
export type ComputedMerge =
  | { readonly type: "computed"; readonly commit: string }
  | { readonly type: "conflict"; readonly files: readonly string[] };

const MERGE = [
  "merge",
  "--quiet",
  "--no-ff",
  "--no-squash",
  "--no-commit",
  "--no-stat",
  "--no-verify",
  "--no-verify-signatures",
  "--no-gpg-sign",
];

/**
 * Creates the commit that merges a branch into its target, with the target as the first parent. No branch has it yet; the
 * worktree is afterwards as it was before: see {@link keepInterrupted} for what a resolver left.
 */
export async function computeMerge(git: Git, plan: MergePlan): Promise<ComputedMerge> {
  const { path: cwd, target, tip } = plan;
  await assertIdentity(git, cwd);
  if (await isAncestor(git, cwd, { older: target, newer: tip })) return await commitTree(git, plan, `${tip}^{tree}`);
  let isCommitted = false;
  try {
    const merged = await git.try([...MERGE, target], { cwd, isStoppable: true });
    const { unmerged } = await readStatus(git, cwd);
    if (unmerged.length > 0 && !(await resolveFiles(git, plan, unmerged))) return { type: "conflict", files: unmerged };
    if (unmerged.length === 0 && merged.exitCode !== 0) throw new GitFailedError("merge", cwd, merged);
    const computed = await commitTree(git, plan, await treeOf(git, plan));
    isCommitted = true;
    return computed;
  } finally {
    // Also when aborted: the worktree must be left on its branch.
    const cleaner = git.withoutSignal();
    if (!isCommitted && plan.resolveConflict !== undefined) await keepInterrupted(cleaner, plan);
    await cleaner.run(["reset", "--quiet", "--hard", tip], { cwd });
  }
}

/** The tree that the worktree contains, whether or not the resolver has committed. */
async function treeOf(git: Git, { path: cwd }: MergePlan): Promise<string> {
  await showHidden(git, cwd);
  const { changed, untracked } = await readStatus(git, cwd);
  if (changed.length + untracked.length > 0) await git.run(["add", "--all", "--sparse"], { cwd });
  return (await git.run(["write-tree"], { cwd })).trim();
}

/** The tree that a commit of all files would have. Leaves the index, which knows the conflicts, as it is. */
async function snapshotOf(git: Git, cwd: string): Promise<string> {
  await showHidden(git, cwd);
  const folder = await mkdtemp(join(tmpdir(), "atomic-index-"));
  try {
    const index = join(folder, "index");
    await copyFile(join(await gitFolderOf(git, cwd), "index"), index);
    const env = { GIT_INDEX_FILE: index };
    await git.run(["add", "--all", "--sparse"], { cwd, env });
    return (await git.run(["write-tree"], { cwd, env })).trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function commitTree(
  git: Git,
  { path: cwd, target, tip, message }: MergePlan,
  tree: string,
): Promise<ComputedMerge> {
  const signing = await git.try(["config", "--type=bool", "--get", "commit.gpgSign"], { cwd });
  const sign = signing.stdout.trim() === "true" ? ["-S"] : [];
  const args = ["commit-tree", ...sign, "-p", target, "-p", tip, "-m", message, tree];
  return { type: "computed", commit: (await git.run(args, { cwd })).trim() };
}

/**
 * Commits what an interrupted merge or an unsuccessful resolver left in a worktree, under `refs/atomic/interrupted/`, so
 * that the worktree can be reset.
 */
export async function keepInterrupted(
  git: Git,
  { path: cwd, branch, tip }: { readonly path: string; readonly branch: string; readonly tip: string },
): Promise<void> {
  await git.run(["add", "--all", "--sparse"], { cwd });
  const left = (await git.run(["stash", "create", `Interrupted merge of ${branch}`], { cwd })).trim();
  const head = await readCommit(git, cwd, "HEAD");
  const kept = left === "" && head !== tip ? head : left;
  if (kept) await git.run(["update-ref", interruptedRefOf(branch), kept], { cwd });
}

async function resolveFiles(git: Git, plan: MergePlan, files: readonly string[]): Promise<boolean> {
  const { path, target, tip, resolveConflict } = plan;
  if (resolveConflict === undefined) return false;
  const marked = await filesWithMarkers(git, path, files);
  const snapshot = (): Promise<string> => snapshotOf(git, path);
  const isResolved = await resolveConflict({ path, files, ours: tip, theirs: target, snapshot, ...signalOption(git) });
  if (!isResolved || (await filesWithMarkers(git, path, files)).length > 0) return false;
  const { unmerged } = await readStatus(git, path);
  // The markers of a text say whether it is resolved; for anything else, only the resolver can.
  if (unmerged.some((file) => !marked.includes(file))) return false;
  if (unmerged.length > 0) await git.run(["add", "--sparse", "--", ...unmerged.map(literal)], { cwd: path });
  return await hasBothSides(git, plan);
}

function signalOption({ signal }: Git): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function literal(file: string): string {
  return `:(top,literal)${file}`;
}

/** Whether the merge is still in progress, or a commit of the resolver has both sides. */
async function hasBothSides(git: Git, { path: cwd, target, tip }: MergePlan): Promise<boolean> {
  const head = await readCommit(git, cwd, "HEAD");
  if (head === undefined) return false;
  if (head === tip) return (await readCommit(git, cwd, "MERGE_HEAD")) === target;
  const sides = [tip, target].map((older) => isAncestor(git, cwd, { older, newer: head }));
  return (await Promise.all(sides)).every(Boolean);
}

/** Those of the files that have conflict markers which neither side has. */
async function filesWithMarkers(git: Git, cwd: string, files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map(async (file) => ((await hasMarkers(git, cwd, file)) ? [file] : [])));
  return found.flat();
}

/** Git decides: it knows the size of markers in a file. A line of "=" alone may be a heading. */
async function hasMarkers(git: Git, cwd: string, file: string): Promise<boolean> {
  const { stdout } = await git.try(["diff", "--check", "HEAD", "--", literal(file)], { cwd });
  const numbers = [...stdout.matchAll(/:(\d+): leftover conflict marker$/gm)].map(([, number]) => Number(number));
  if (numbers.length === 0) return false;
  const lines = (await readFile(join(cwd, file), "utf8")).split("\n");
  return numbers.some((number) => /^[<>|]/.test(lines[number - 1] ?? ""));
}

/** Paths that differ between two commits. */
export async function changedPaths(
  git: Git,
  cwd: string,
  commits: readonly [string, string],
): Promise<readonly string[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", ...commits];
  return splitZeros(await git.run(args, { cwd }));
}
