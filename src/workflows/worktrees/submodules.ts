import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Git, splitZeros } from "./git.ts";

/** Keeps git from the network: the commits must be in the project's own submodule. */
const LOCAL_ONLY = { GIT_ALLOW_PROTOCOL: "file" };

/**
 * Checks out the submodules that the project has checked out, nested ones included, without network. `origin` is the one of
 * the project's submodule.
 *
 * @returns warnings about submodules that stay empty
 */
export async function checkOutSubmodules(
  git: Git,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const path of await listSubmodules(git, to)) {
    const [source, target] = [join(from, path), join(to, path)];
    if (!existsSync(join(source, ".git"))) continue;
    if (!existsSync(join(target, ".git"))) {
      const warning = await checkOut(git, { top: to, path, source });
      if (warning !== undefined) {
        warnings.push(warning);
        continue;
      }
    }
    warnings.push(...(await checkOutSubmodules(git, { from: source, to: target })));
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
 * Submodules, and nested repositories that were committed, with commits that exist nowhere else, from the top. `commit` is
 * the one that the working tree started at.
 */
export async function findOwnCommitsInSubmodules(
  git: Git,
  { top, commit }: { readonly top: string; readonly commit: string | undefined },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of await listSubmodules(git, top)) {
    const cwd = join(top, path);
    if (!existsSync(join(cwd, ".git"))) continue;
    const start = commit === undefined ? undefined : await gitlinkOf(git, top, `${commit}:${path}`);
    if (await hasOwnCommits(git, cwd, start)) found.push(path);
    const inner = await findOwnCommitsInSubmodules(git, { top: cwd, commit: start });
    found.push(...inner.map((name) => `${path}/${name}`));
  }
  return found;
}

async function gitlinkOf(git: Git, cwd: string, name: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git.try(["rev-parse", "--verify", "--quiet", "--end-of-options", name], { cwd });
  return exitCode === 0 ? stdout.trim() : undefined;
}

/** Commits that neither a remote branch nor the start has, stashed and abandoned ones included. */
async function hasOwnCommits(git: Git, cwd: string, start: string | undefined): Promise<boolean> {
  const known = ["--remotes", ...(start === undefined ? [] : [start])];
  const args = ["rev-list", "--max-count=1", "--all", "--reflog", "HEAD", "--not", ...known];
  const { exitCode, stdout } = await git.try(args, { cwd });
  return exitCode !== 0 || stdout.trim() !== "";
}
