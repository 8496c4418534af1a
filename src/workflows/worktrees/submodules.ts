import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Git, splitZeros } from "./git.ts";

/** Keeps git from the network: the commits must be in the project's own submodule. */
const LOCAL_ONLY = { GIT_ALLOW_PROTOCOL: "file" };

/**
 * Checks out the submodules that the project has checked out, nested ones included, without network. `origin` is the one of
 * the project's submodule. With `keepsExisting`, those that are checked out already stay as they are.
 *
 * @returns warnings about submodules that stay empty
 */
export async function checkOutSubmodules(
  git: Git,
  trees: { readonly from: string; readonly to: string; readonly keepsExisting?: boolean },
): Promise<readonly string[]> {
  const { from, to, keepsExisting = false } = trees;
  const warnings: string[] = [];
  for (const path of await listSubmodules(git, to)) {
    const [source, target] = [join(from, path), join(to, path)];
    if (!existsSync(join(source, ".git"))) continue;
    const isKept = keepsExisting && existsSync(join(target, ".git"));
    const warning = isKept ? undefined : await checkOut(git, { top: to, path, source });
    if (warning === undefined)
      warnings.push(...(await checkOutSubmodules(git, { from: source, to: target, keepsExisting })));
    else warnings.push(warning);
  }
  return warnings;
}

/** Paths of the submodules in the index, from the top. */
export async function listSubmodules(git: Git, cwd: string): Promise<readonly string[]> {
  const entries = splitZeros(await git.run(["ls-files", "--stage", "-z"], { cwd }));
  // "mode object stage<TAB>path"
  return entries.filter((entry) => entry.startsWith("160000 ")).map((entry) => entry.slice(entry.indexOf("\t") + 1));
}

async function checkOut(
  git: Git,
  { top, path, source }: { readonly top: string; readonly path: string; readonly source: string },
): Promise<string | undefined> {
  const failed = (reason: string): string =>
    `the submodule ${path} is empty in the worktree: ${reason.trim()}. To fill it: git submodule update --init -- ${path}`;
  const name = await nameOf(git, top, path);
  if (name === undefined) return failed(".gitmodules does not name it");
  const gitFolder = (await git.run(["rev-parse", "--absolute-git-dir"], { cwd: source })).trim();
  const settings = [
    `submodule.${name}.url=${gitFolder}`,
    `submodule.${name}.active=true`,
    "protocol.file.allow=always",
  ];
  const args = [
    ...settings.flatMap((setting) => ["-c", setting]),
    "submodule",
    "--quiet",
    "update",
    "--checkout",
    // Also completes what an interrupted call began.
    "--force",
    "--",
    path,
  ];
  const result = await git.try(args, { cwd: top, env: LOCAL_ONLY, isStoppable: true });
  if (result.exitCode !== 0) return failed(result.stderr.trim().split("\n").at(-1) ?? "");
  const origin = await git.try(["config", "--get", "remote.origin.url"], { cwd: source });
  if (origin.exitCode === 0)
    await git.try(["config", "remote.origin.url", origin.stdout.trim()], { cwd: join(top, path) });
  return undefined;
}

async function nameOf(git: Git, top: string, path: string): Promise<string | undefined> {
  const args = ["config", "--null", "--file", ".gitmodules", "--get-regexp", "^submodule\\..*\\.path$"];
  const { stdout } = await git.try(args, { cwd: top });
  // Each entry is: key, line break, value.
  const key = splitZeros(stdout).find((entry) => entry.slice(entry.indexOf("\n") + 1) === path);
  return key?.slice("submodule.".length, key.indexOf("\n") - ".path".length);
}

/**
 * Fetches the commits that a worker made in submodules into the project's submodules, where `refs/atomic/BRANCH` keeps them.
 * Otherwise the project's commits would name commits that only the worktree has.
 */
export async function keepSubmoduleCommits(
  git: Git,
  { from, to, branch }: { readonly from: string; readonly to: string; readonly branch: string },
): Promise<void> {
  for (const path of await listSubmodules(git, from)) {
    const [source, target] = [join(from, path), join(to, path)];
    if (!existsSync(join(source, ".git")) || !existsSync(join(target, ".git"))) continue;
    if (await hasOwnCommits(git, source, await knownCommits(git, target))) {
      const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
      const args = ["-c", "protocol.file.allow=always", "fetch", ...options, source, `+HEAD:refs/atomic/${branch}`];
      await git.run(args, { cwd: target, env: LOCAL_ONLY });
    }
    await keepSubmoduleCommits(git, { from: source, to: target, branch });
  }
}

/**
 * Submodules, and nested repositories that were committed, with commits that neither their remotes nor the project's
 * submodules have, from the top. `project` is the top of the project's working tree.
 */
export async function findOwnCommitsInSubmodules(
  git: Git,
  { top, project }: { readonly top: string; readonly project: string | undefined },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of await listSubmodules(git, top)) {
    const cwd = join(top, path);
    if (!existsSync(join(cwd, ".git"))) continue;
    const theirs = project === undefined ? undefined : join(project, path);
    const isThere = theirs !== undefined && existsSync(join(theirs, ".git"));
    if (await hasOwnCommits(git, cwd, isThere ? await knownCommits(git, theirs) : [])) found.push(path);
    const inner = await findOwnCommitsInSubmodules(git, { top: cwd, project: isThere ? theirs : undefined });
    found.push(...inner.map((name) => `${path}/${name}`));
  }
  return found;
}

/** The commits of all branches, other references and the head of a repository. */
async function knownCommits(git: Git, cwd: string): Promise<readonly string[]> {
  const refs = await git.run(["for-each-ref", "--format=%(objectname)"], { cwd });
  const head = await git.try(["rev-parse", "--verify", "--quiet", "HEAD"], { cwd });
  return [...new Set(`${refs}\n${head.stdout}`.split("\n"))].filter((line) => line !== "");
}

/** Commits that neither a remote branch nor the known ones reach, stashed and abandoned ones included. */
async function hasOwnCommits(git: Git, cwd: string, known: readonly string[]): Promise<boolean> {
  const own = ["--max-count=1", "--ignore-missing", "--all", "--reflog", "HEAD"];
  const { exitCode, stdout } = await git.try(["rev-list", ...own, "--not", "--remotes", ...known], { cwd });
  return exitCode !== 0 || stdout.trim() !== "";
}
