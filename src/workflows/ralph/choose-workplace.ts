import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { GitReader, RunServices } from "../../graph/index.ts";
import { WorktreesUnusableError } from "./ralph-errors.ts";

/** How many workers there are where worktrees can be used and nobody said otherwise. */
export const DEFAULT_RALPH_WORKERS = 4;

/** Folders of installed packages, which git ignores and commands need. */
const PACKAGE_FOLDERS = ["node_modules", ".venv", "venv", "vendor"];

/** Where workers work. */
export interface Workplace {
  readonly workerCount: number;
  readonly isIsolated: boolean;
  /** The commit that is checked out; empty without one. */
  readonly startCommit: string;
  /** The branch that is checked out; empty without one. */
  readonly branch: string;
  /** Why there is only one worker, for people; absent if they chose so. */
  readonly note?: string;
}

/** What people wish for. */
export interface WorkplaceWish {
  /** 0 for no wish. */
  readonly workers: number;
  /** Empty for none. */
  readonly setupCommand: string;
}

/** What the choice depends on. */
export interface WorkplaceOptions {
  readonly services: Pick<RunServices, "git" | "worktrees" | "workingDirectory">;
  readonly signal: AbortSignal;
}

/**
 * Decides whether tasks are worked on side by side, in git worktrees, or one after the other in the working directory. A
 * worktree has what is committed: without a wish it is used only if nothing of the project is missing there.
 *
 * @throws WorktreesUnusableError if it was wished for and cannot be had
 */
export async function chooseWorkplace(
  { workers, setupCommand }: WorkplaceWish,
  { services, signal }: WorkplaceOptions,
): Promise<Workplace> {
  const { git, worktrees, workingDirectory = "." } = services;
  const run = git && ((...args: readonly string[]) => readGit(git, args, { workingDirectory, signal }));
  const startCommit = (await run?.("rev-parse", "--verify", "--quiet", "HEAD"))?.trim() ?? "";
  const branch = (await run?.("symbolic-ref", "--quiet", "--short", "HEAD"))?.trim() ?? "";
  const inPlace = { workerCount: 1, isIsolated: false, startCommit, branch };
  const sideBySide = {
    workerCount: workers === 0 ? DEFAULT_RALPH_WORKERS : workers,
    isIsolated: true,
    startCommit,
    branch,
  };
  const isWished = workers > 1 || setupCommand !== "";
  if (workers === 1 && setupCommand === "") return inPlace;
  const obstacle = await findObstacle();
  if (obstacle === undefined) return sideBySide;
  if (isWished && obstacle.isHard) throw new WorktreesUnusableError(obstacle.reason);
  if (isWished) return sideBySide;
  return { ...inPlace, note: `One task after the other, in this folder: ${obstacle.reason}` };

  async function findObstacle(): Promise<{ readonly reason: string; readonly isHard: boolean } | undefined> {
    if (run === undefined || worktrees === undefined || startCommit === "") {
      return { isHard: true, reason: "tasks side by side need a git repository with a commit." };
    }
    if (branch === "") return { isHard: true, reason: "no branch is checked out that the work could be merged into." };
    if ((await run("rev-parse", "--verify", "--quiet", "HEAD:./")) === undefined)
      return { isHard: true, reason: "git has no file of this folder, and worktrees have only what is committed." };
    const changed = await run("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all");
    if (changed !== "") {
      return { isHard: false, reason: "worktrees lack its uncommitted changes. Commit them for tasks side by side." };
    }
    if (setupCommand !== "") return undefined;
    const top = (await run("rev-parse", "--show-toplevel"))?.trim() ?? workingDirectory;
    const places = [...new Set([top, workingDirectory])].flatMap((folder) =>
      PACKAGE_FOLDERS.map((name) => ({ name, path: join(folder, name) })),
    );
    for (const { name, path } of places) {
      if (!(await isFolder(path))) continue;
      if ((await run("check-ignore", "--quiet", path)) === undefined) continue;
      if (await isTakenAlong(top, name)) continue;
      const reason = `worktrees lack ${name}, which git ignores. For tasks side by side, name it in .worktreelink or say how to install it: --setup COMMAND.`;
      return { isHard: false, reason };
    }
    return undefined;
  }
}

/** The output of a git command; nothing if it failed. */
async function readGit(
  git: GitReader,
  args: readonly string[],
  options: Parameters<GitReader>[1],
): Promise<string | undefined> {
  const outcome = await git(args, options);
  return outcome.type === "done" ? outcome.stdout : undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Whether a list of what worktrees get names the folder. */
async function isTakenAlong(folder: string, name: string): Promise<boolean> {
  for (const list of [".worktreelink", ".worktreeinclude"]) {
    const text = await readFile(join(folder, list), "utf8").catch(() => "");
    if (text.split("\n").some((line) => line.trim().replace(/^\/|\/$/g, "") === name)) return true;
  }
  return false;
}
