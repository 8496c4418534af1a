import { existsSync } from "node:fs";
import { lstat, readFile, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Git } from "./git.ts";
import { RepositoryUnusableError, WorktreeDamagedError } from "./worktree-errors.ts";

/** A repository, seen from a project in it. */
export interface Repository {
  /** The project's folder, without links. */
  readonly project: string;
  /** The top of the working tree that the project is in. */
  readonly root: string;
  /** The project's path below `root`; "" when they are equal. */
  readonly subfolder: string;
  /** The git folder that all worktrees share. */
  readonly commonDir: string;
  readonly head: string;
  /** The branch that is checked out, without `refs/heads/`; undefined with a detached head. */
  readonly branch: string | undefined;
}

/** Reads what kind of repository a project is in. @throws RepositoryUnusableError */
export async function readRepository(git: Git, folder: string): Promise<Repository> {
  const project = await realpath(folder);
  const inside = await git.try(["rev-parse", "--is-inside-work-tree"], { cwd: project });
  if (inside.exitCode !== 0) {
    // With safe.bareRepository=explicit.
    if (inside.stderr.includes("cannot use bare repository")) throw new RepositoryUnusableError(project, "bare");
    const isMissing = inside.stderr.includes("not a git repository");
    throw new RepositoryUnusableError(project, isMissing ? "not-a-repository" : "rejected", inside.stderr.trim());
  }
  if (inside.stdout.trim() !== "true") throw new RepositoryUnusableError(project, "bare");
  const [root, commonDir, head, branch] = await Promise.all([
    readPath(git, project, "--show-toplevel"),
    readPath(git, project, "--git-common-dir"),
    readCommit(git, project, "HEAD"),
    git.try(["symbolic-ref", "--quiet", "HEAD"], { cwd: project }),
  ]);
  if (head === undefined) throw new RepositoryUnusableError(project, "no-commits");
  return {
    project,
    root,
    subfolder: relative(root, project),
    commonDir,
    head,
    branch: branch.exitCode === 0 ? branch.stdout.trim().replace(/^refs\/heads\//, "") : undefined,
  };
}

async function readPath(git: Git, cwd: string, name: string): Promise<string> {
  const text = await git.run(["rev-parse", "--path-format=absolute", name], { cwd });
  return await realpath(text.replace(/\n$/, ""));
}

/** The folder in which git keeps what belongs to one working tree. */
export async function gitFolderOf(git: Git, cwd: string): Promise<string> {
  return (await git.run(["rev-parse", "--absolute-git-dir"], { cwd })).replace(/\n$/, "");
}

/** The top of the working tree that a folder is in; undefined if there is none. */
export async function findTop(git: Git, cwd: string): Promise<string | undefined> {
  if (!existsSync(cwd)) return undefined;
  const { exitCode, stdout } = await git.try(["rev-parse", "--show-toplevel"], { cwd });
  return exitCode === 0 ? stdout.replace(/\n$/, "") : undefined;
}

/** Whether a folder is the top of a worktree of a repository, whose shared git folder is `commonDir`. */
export async function isWorktreeOf(git: Git, path: string, commonDir: string): Promise<boolean> {
  return (await findDamage(git, path, commonDir)) === undefined;
}

/** @throws WorktreeDamagedError if a folder is not, or no longer, the top of a worktree of a repository */
export async function assertWorktree(git: Git, path: string, commonDir: string): Promise<void> {
  const damage = await findDamage(git, path, commonDir);
  if (damage !== undefined) throw new WorktreeDamagedError(path, damage);
}

const NO_WORKTREE = "is missing, or no longer a worktree of its repository";

/**
 * Why git, called in a folder, would not work with this folder as a worktree of the repository: a worker can replace the
 * folder, its `.git` and the settings in git's folder of the worktree, and lead git to the project's own files or others.
 * `path` has no links in it.
 */
async function findDamage(git: Git, path: string, commonDir: string): Promise<string | undefined> {
  // Without its own file, git would find a repository in a folder above.
  const link = await lstat(join(path, ".git")).catch(() => undefined);
  if (link === undefined) return NO_WORKTREE;
  if ((await realpath(path)) !== path) return "is a link to another folder";
  const args = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--absolute-git-dir", "--show-toplevel"];
  const { exitCode, stdout } = await git.try(args, { cwd: path });
  const [shared, own = "", ...rest] = stdout.replace(/\n$/, "").split("\n");
  if (exitCode !== 0 || shared !== commonDir) return NO_WORKTREE;
  if (!link.isFile() || dirname(own) !== join(commonDir, "worktrees")) return "has a .git that is not its own";
  const back = await readFile(join(own, "gitdir"), "utf8").catch(() => "");
  if (resolve(own, back.trimEnd()) !== join(path, ".git")) return "has a .git that is not its own";
  const top = rest.join("\n");
  return top === path ? undefined : `has its files in another folder for git, ${top} (core.worktree)`;
}

/** The commit that a name means; undefined if there is none. */
export async function readCommit(git: Git, cwd: string, name: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { exitCode, stdout } = await git.try(args, { cwd });
  return exitCode === 0 ? stdout.trim() : undefined;
}

/** Whether a commit is reachable from another, or the same. */
export async function isAncestor(git: Git, cwd: string, commits: { older: string; newer: string }): Promise<boolean> {
  const { exitCode } = await git.try(["merge-base", "--is-ancestor", commits.older, commits.newer], { cwd });
  return exitCode === 0;
}

/** The full name of a branch. */
export function refOf(branch: string): string {
  return `refs/heads/${branch}`;
}

/** The reference that keeps what an unsuccessful merge of a branch left in its worktree. */
export function interruptedRefOf(branch: string): string {
  return `refs/atomic/interrupted/${branch}`;
}
