import { existsSync } from "node:fs";
import { lstat, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { changedPaths } from "./compute-merge.ts";
import { type Git, splitZeros } from "./git.ts";
import { waitForIndexLock } from "./index-lock.ts";
import { refOf } from "./repository.ts";
import { listForPeople } from "./worktree-files.ts";

/** A merge commit that its target branch gets. */
export interface Publication {
  readonly commonDir: string;
  readonly targetBranch: string;
  /** The target's commit, the first parent of `commit`. */
  readonly target: string;
  readonly commit: string;
}

/** The result of {@link publishMerge}. */
export type PublishedMerge =
  | { readonly type: "published" }
  | { readonly type: "blocked"; readonly folder: string; readonly files: readonly string[]; readonly reason: string };

/** How long another git may be at work in the target's working tree, in milliseconds. */
const LOCK_WAIT_MS = 3_000;

/**
 * Sets the target branch to a merge commit, and updates the working tree in which it is checked out, if any. Uncommitted
 * changes there stay; if they are in the way, nothing changes.
 */
export async function publishMerge(git: Git, publication: Publication): Promise<PublishedMerge> {
  const { commonDir, targetBranch, target, commit } = publication;
  const registered = await git.listRegistered(commonDir);
  const rebased = await findRebase(commonDir, targetBranch);
  if (rebased !== undefined) {
    const folder = rebased === commonDir ? (registered[0]?.path ?? commonDir) : rebased;
    return { type: "blocked", folder, files: [], reason: `a rebase of ${targetBranch} is in progress` };
  }
  const place = registered.find((one) => !one.isBare && one.branch === refOf(targetBranch) && existsSync(one.path));
  if (place !== undefined) return await fastForward(git, place.path, publication);
  const args = ["update-ref", "-m", `merge: ${commit}`, refOf(targetBranch), commit, target];
  const { exitCode, stderr } = await git.try(args, { cwd: commonDir });
  if (exitCode === 0) return { type: "published" };
  return { type: "blocked", folder: commonDir, files: [], reason: stderr.trim() };
}

/**
 * The working tree in which a branch is being rebased; `commonDir` stands for the main one. The branch has no HEAD meanwhile, and the end of the rebase would
 * drop what was merged. Reads git's files: other worktrees may be created and removed at the same time.
 */
async function findRebase(commonDir: string, branch: string): Promise<string | undefined> {
  const worktrees = join(commonDir, "worktrees");
  const names = await readdir(worktrees).catch(() => []);
  for (const folder of [commonDir, ...names.map((name) => join(worktrees, name))]) {
    for (const file of ["rebase-merge/head-name", "rebase-apply/head-name"]) {
      const head = await readFile(join(folder, file), "utf8").catch(() => "");
      if (head.trim() !== refOf(branch)) continue;
      // The path of the worktree's `.git` file; the main working tree has none.
      const link = await readFile(join(folder, "gitdir"), "utf8").catch(() => undefined);
      return link === undefined ? commonDir : dirname(link.trim());
    }
  }
  return undefined;
}

async function fastForward(git: Git, cwd: string, { target, commit }: Publication): Promise<PublishedMerge> {
  const lock = await waitForIndexLock(git, cwd, LOCK_WAIT_MS);
  if (lock !== undefined) {
    const reason = `another git is at work there, or died: remove ${lock} if none is running`;
    return { type: "blocked", folder: cwd, files: [], reason };
  }
  // `--no-overwrite-ignore` protects ignored files as well.
  const options = [
    "--quiet",
    "--ff-only",
    "--no-squash",
    "--no-verify-signatures",
    "--no-overwrite-ignore",
    "--no-stat",
  ];
  const args = ["merge", ...options, commit];
  const first = await git.try(args, { cwd });
  if (first.exitCode === 0) return { type: "published" };
  const { inTheWay, equal } = await findInTheWay(git, cwd, [target, commit]);
  // An interrupted fast-forward has written these files, and not yet the index.
  if (inTheWay.length === 0 && equal.length > 0) await addToIndex(git, { cwd, commit, paths: equal });
  const again = inTheWay.length === 0 && equal.length > 0 ? await git.try(args, { cwd }) : first;
  if (again.exitCode === 0) return { type: "published" };
  const reason =
    inTheWay.length === 0 ? again.stderr.trim() : `uncommitted changes are in the way: ${listForPeople(inTheWay)}`;
  return { type: "blocked", folder: cwd, files: inTheWay, reason };
}

/**
 * The files that a fast-forward changes and that differ from the current commit: those whose content is the one after the
 * fast-forward, and the others.
 */
async function findInTheWay(
  git: Git,
  cwd: string,
  commits: readonly [string, string],
): Promise<{ readonly inTheWay: readonly string[]; readonly equal: readonly string[] }> {
  const [target, commit] = commits;
  const changed = await changedPaths(git, cwd, commits);
  const differing = await pathsDifferentFrom(git, cwd, { commit: target, paths: changed });
  const known = new Set(splitZeros(await git.run(["ls-tree", "-r", "-z", "--name-only", target], { cwd })));
  const present = await Promise.all(changed.map((path) => (known.has(path) ? false : isInTheWay(cwd, path))));
  const dirty = changed.filter((path, index) => differing.has(path) || present[index] === true);
  const unequal = await pathsDifferentFrom(git, cwd, { commit, paths: dirty });
  return { inTheWay: dirty.filter((path) => unequal.has(path)), equal: dirty.filter((path) => !unequal.has(path)) };
}

/** Those of the paths whose file is not the one of the commit. Asks git with an index of its own. */
async function pathsDifferentFrom(
  git: Git,
  cwd: string,
  { commit, paths }: { readonly commit: string; readonly paths: readonly string[] },
): Promise<ReadonlySet<string>> {
  const folder = await mkdtemp(join(tmpdir(), "atomic-index-"));
  try {
    const env = { GIT_INDEX_FILE: join(folder, "index") };
    await git.run(["read-tree", commit], { cwd, env });
    await git.try(["update-index", "-q", "--refresh"], { cwd, env });
    const found = splitZeros(await git.run(["diff-files", "-z", "--name-only", "--no-renames"], { cwd, env }));
    const listed = new Set(splitZeros(await git.run(["ls-tree", "-r", "-z", "--name-only", commit], { cwd })));
    const wanted = new Set(paths);
    const others = [...found.filter((path) => wanted.has(path)), ...paths.filter((path) => !listed.has(path))];
    // A missing file is in nobody's way: it was deleted, or a sparse checkout leaves it out.
    const isPresent = await Promise.all(others.map((path) => isInTheWay(cwd, path)));
    return new Set(others.filter((_, index) => isPresent[index]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether something is where a file is to be, or where a folder of it is to be. */
async function isInTheWay(root: string, path: string): Promise<boolean> {
  if (await lstat(join(root, path)).catch(() => undefined)) return true;
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) {
    const found = await lstat(join(root, parent)).catch(() => undefined);
    if (found !== undefined) return !found.isDirectory();
  }
  return false;
}

async function addToIndex(
  git: Git,
  { cwd, commit, paths }: { readonly cwd: string; readonly commit: string; readonly paths: readonly string[] },
): Promise<void> {
  const args = ["ls-tree", "-r", "-z", commit, "--", ...paths];
  const entries = splitZeros(await git.run(["--literal-pathspecs", ...args], { cwd }));
  // "mode type object<TAB>path" is what update-index reads.
  const input = entries.map((entry) => `${entry}\0`).join("");
  await git.run(["update-index", "-z", "--add", "--index-info"], { cwd, input });
}
