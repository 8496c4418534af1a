import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { GitReader, RunServices } from "../../graph/index.ts";
import { listForPeople } from "../worktrees/worktree-files.ts";

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
  /** What people may not expect: why there is only one worker, or what the worktrees they chose lack. */
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
 */
export async function chooseWorkplace(
  { workers, setupCommand }: WorkplaceWish,
  { services, signal }: WorkplaceOptions,
): Promise<Workplace> {
  const { git, worktrees, workingDirectory = "." } = services;
  const run = git && ((...args: readonly string[]) => readGit(git, args, { workingDirectory, signal }));
  const startCommit = (await run?.("rev-parse", "--verify", "--quiet", "HEAD"))?.trim() ?? "";
  const branch = git === undefined ? "" : await readBranch(git, { workingDirectory, signal });
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
  const { reason, lacking } = obstacle;
  if (isWished && lacking !== undefined) return { ...sideBySide, ...(lacking === "" ? {} : { note: lacking }) };
  const place = setupCommand === "" ? "in this folder" : "in this folder and without the set-up command";
  return { ...inPlace, note: `One task after the other, ${place}: ${reason}` };

  async function findObstacle(): Promise<Obstacle | undefined> {
    if (run === undefined || worktrees === undefined || startCommit === "") {
      return { reason: "tasks side by side need a git repository with a commit." };
    }
    if (branch === "") return { reason: "no branch is checked out that the work could be merged into." };
    if ((await run("rev-parse", "--verify", "--quiet", "HEAD:./")) === undefined)
      return { reason: "git has no file of this folder, and worktrees have only what is committed." };
    const status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all"];
    const changed = await run(...status);
    if (changed !== "") {
      // Each entry has two letters and a blank before the path.
      const paths = changed?.split("\0").flatMap((entry) => (entry === "" ? [] : [entry.slice(3)])) ?? [];
      return {
        reason: "worktrees lack its uncommitted changes. Commit them for tasks side by side.",
        lacking: `The worktrees lack the uncommitted changes of ${listForPeople(paths)}. Commit them first if the tasks need them.`,
      };
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
      return { reason, lacking: "" };
    }
    return undefined;
  }
}

/** The branch that is checked out, without `refs/heads/`; empty without one. Git's short names depend on tags. */
export async function readBranch(git: GitReader, options: Parameters<GitReader>[1]): Promise<string> {
  const name = (await readGit(git, ["symbolic-ref", "--quiet", "HEAD"], options))?.trim() ?? "";
  return name.replace(/^refs\/heads\//, "");
}

/** What is against worktrees. */
interface Obstacle {
  readonly reason: string;
  /** What worktrees would lack, for people who want them all the same; empty if they know. Absent: there can be none. */
  readonly lacking?: string;
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
