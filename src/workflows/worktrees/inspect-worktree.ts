import { existsSync } from "node:fs";
import { join } from "node:path";
import { isMerged } from "./finish-removal.ts";
import type { Git } from "./git.ts";
import { findTop, gitFolderOf, isWorktreeOf, readCommit, refOf } from "./repository.ts";
import { findOwnCommitsInSubmodules } from "./submodules.ts";
import { digestIgnored, listForPeople, readStatus } from "./worktree-files.ts";
import type { WorktreeRecord } from "./worktree-record.ts";

/** Why a worktree is kept. */
export interface WorktreeFinding {
  readonly kind:
    | "in-use"
    /** Its run was interrupted or failed, and can be resumed. */
    | "resumable"
    /** Changed, staged, untracked, or with conflicts. */
    | "uncommitted"
    /** Ignored files that were created or changed after the worktree had been created. */
    | "ignored"
    /** Commits that the target branch lacks. */
    | "unmerged"
    /** Commits that no branch has: of a detached head, or replaced later. */
    | "unreachable"
    /** A merge, rebase, cherry-pick, revert or bisect is in progress. */
    | "unfinished"
    | "locked"
    /** The folder, its link to git, the branch or the repository is missing. */
    | "damaged"
    /** A submodule or nested repository has commits of its own. */
    | "submodule"
    /** A worktree without a record of Atomic's, or with one that cannot be read. */
    | "unknown"
    /** Not a worktree. */
    | "foreign";
  /** For people, for example `uncommitted files: a.txt, b.txt`. */
  readonly detail: string;
}

/** What {@link inspectWorktree} leaves out. */
export interface InspectOptions {
  /** Whether ignored files do not matter. @default false */
  readonly skipsIgnored?: boolean;
}

/** Everything in a worktree that its removal would destroy or hide. Empty: it can be removed. */
export async function inspectWorktree(
  opened: Git,
  record: WorktreeRecord,
  options: InspectOptions = {},
): Promise<readonly WorktreeFinding[]> {
  const { path, commonDir, state } = record;
  const git = opened.knowing(commonDir);
  // Its removal has begun: nothing in it is needed.
  if (state === "removing") return [];
  if (!existsSync(commonDir)) return [{ kind: "damaged", detail: `its repository ${commonDir} is missing` }];
  // No worker has written into it; an earlier checkout of the branch may have been lost.
  if (state === "creating") return (await inspectBranch(git, record)).filter(({ kind }) => kind === "unmerged");
  const registered = (await git.listRegistered(commonDir)).find((one) => one.path === path);
  const locked = registered?.isLocked === true ? [finding("locked", "it is locked by git worktree lock")] : [];
  const branch = await inspectBranch(git, record);
  if (!existsSync(path)) return [...locked, finding("damaged", "its folder is missing"), ...branch];
  if (registered === undefined || !(await isWorktreeOf(git, path, commonDir)))
    return [...locked, finding("damaged", "its folder is no longer a worktree of the repository"), ...branch];
  return [
    ...locked,
    ...(await inspectFiles(git, record, options)),
    ...branch,
    ...(await inspectUnreachable(git, record)),
    ...(await inspectUnfinished(git, path)),
  ];
}

function finding(kind: WorktreeFinding["kind"], detail: string): WorktreeFinding {
  return { kind, detail };
}

function named(kind: WorktreeFinding["kind"], title: string, paths: readonly string[]): readonly WorktreeFinding[] {
  return paths.length === 0 ? [] : [finding(kind, `${title}: ${listForPeople(paths)}`)];
}

async function inspectFiles(
  git: Git,
  record: WorktreeRecord,
  { skipsIgnored = false }: InspectOptions,
): Promise<readonly WorktreeFinding[]> {
  const { path, project, ignored } = record;
  const { changed, unmerged, untracked, nested, hidden } = await readStatus(git, path);
  const digests = skipsIgnored ? [] : Object.entries(await digestIgnored(git, path));
  const newIgnored = digests.filter(([name, digest]) => ignored[name] !== digest).map(([name]) => name);
  const submodules = await findOwnCommitsInSubmodules(git, { top: path, project: await findTop(git, project) });
  return [
    ...named("uncommitted", "uncommitted files", [...unmerged, ...changed]),
    ...named("uncommitted", "untracked files", [...untracked, ...nested]),
    ...named("uncommitted", "files whose changes git was made to ignore", hidden),
    ...named("ignored", "ignored files that are new or changed", newIgnored),
    ...named("submodule", "repositories with commits of their own", submodules),
  ];
}

async function inspectBranch(git: Git, record: WorktreeRecord): Promise<readonly WorktreeFinding[]> {
  const { branch, commonDir, targetBranch } = record;
  const tip = await readCommit(git, commonDir, refOf(branch));
  if (tip === undefined) return [finding("damaged", `its branch ${branch} is missing`)];
  if (await isMerged(git, record, tip)) return [];
  return [finding("unmerged", `${branch} is not merged into ${targetBranch ?? "any branch"}`)];
}

/** Operations in progress, by the file or folder in git's folder of the worktree. */
const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  BISECT_START: "bisect",
  sequencer: "cherry-pick or revert",
};

async function inspectUnfinished(git: Git, path: string): Promise<readonly WorktreeFinding[]> {
  const folder = await gitFolderOf(git, path);
  const names = Object.entries(OPERATIONS).filter(([file]) => existsSync(join(folder, file)));
  return [...new Set(names.map(([, name]) => name))].map((name) => finding("unfinished", `a ${name} is in progress`));
}

/** Contents of commits that only the worktree's own logs and references reach, and that its removal would orphan. */
async function inspectUnreachable(git: Git, record: WorktreeRecord): Promise<readonly WorktreeFinding[]> {
  const { path, branch, commonDir } = record;
  const sources = [
    ["rev-parse", "--verify", "--quiet", "HEAD"],
    ["rev-parse", "--verify", "--quiet", "ORIG_HEAD"],
    ["log", "--walk-reflogs", "--format=%H", "HEAD", "--"],
    ["log", "--walk-reflogs", "--format=%H", refOf(branch), "--"],
    ["for-each-ref", "--format=%(objectname)", "refs/worktree", "refs/bisect", "refs/rewritten"],
  ];
  const outputs = await Promise.all(sources.map(async (args) => (await git.try(args, { cwd: path })).stdout));
  const commits = [...new Set(outputs.flatMap((text) => text.split("\n")).filter((line) => line !== ""))];
  const only = ["--objects", "--no-object-names", "--filter=object:type=blob", "--filter-provided-objects"];
  // Without the heads of other worktrees, of which this is one.
  const args = ["rev-list", "--ignore-missing", ...only, ...commits, "--single-worktree", "--not", "--all"];
  const count = (await git.run(args, { cwd: commonDir })).split("\n").filter((line) => line !== "").length;
  return count === 0 ? [] : [finding("unreachable", `${count} versions of files in commits that no branch has`)];
}
