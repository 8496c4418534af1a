import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { SandboxInvalidError } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import { isGitRefusal, runGit } from "../process/run-git.ts";
import type { Placeholder } from "./placeholders.ts";

/** What must not be changed from inside. */
export interface Guards {
  /** Files and folders. They need not exist. */
  readonly guarded: readonly string[];
  /** Created if missing, because only what exists can be guarded. */
  readonly placeholders: readonly Placeholder[];
}

/** How deep modules of modules are searched. */
const MAX_DEPTH = 12;

/** Of more modules, which an agent may have planted, the folder becomes read-only as a whole: each needs ten mounts. */
const MAX_MODULES = 100;

/** Folders in a git folder that determine what git runs or where it reads its settings. */
const GUARDED_FOLDERS: readonly string[] = ["branches", "hooks", "info", "remotes"];

/** Files that git reads first in its folder; these texts change nothing. */
const HARMLESS: Readonly<Record<string, string>> = { commondir: ".\n", "config.worktree": "" };

/**
 * What in a repository's folders determines what git does later: everything except objects, references, logs, the index
 * and the files of a commit, a merge or a rebase. `common` is the repository's folder, `used` are those of its worktrees in
 * which git must work. The folders of other worktrees are guarded as a whole, those of submodules like the repository's.
 */
export function guardGitFolders(common: string, used: readonly string[] = []): Guards {
  const inCommon = guardRepository(common);
  const worktrees = path.join(common, "worktrees");
  if (used.length === 0) {
    return {
      guarded: [...inCommon.guarded, worktrees],
      placeholders: [...inCommon.placeholders, { path: worktrees }],
    };
  }
  const others = foldersIn(worktrees).filter((folder) => !used.includes(folder));
  const settings = used.map((folder) => path.join(folder, "config.worktree"));
  const pointers = used.flatMap((folder) => ["commondir", "gitdir"].map((name) => path.join(folder, name)));
  return {
    guarded: [...inCommon.guarded, ...others, ...settings, ...pointers],
    placeholders: [...inCommon.placeholders, ...settings.map((file) => ({ path: file, text: "" }))],
  };
}

/**
 * Keeps git from using a folder itself as a repository. Without a valid `.git` in it, git would do so as soon as the folder
 * contains `HEAD`, `objects` and `refs`, and run what `config` there names. `.git/HEAD` cannot be guarded, because git
 * replaces it, and a placeholder named `HEAD` would make `git show HEAD` ambiguous. With an empty folder `commondir`, git
 * ends with an error before it reads any settings. The folder stays as long as there is a `HEAD`.
 */
export function guardTopFolder(top: string): Guards {
  const common = path.join(top, "commondir");
  const entry = lstatSync(path.join(top, ".git"), { throwIfNoEntry: false });
  // Git accepts no other repository beside a `.git` file, even an invalid one.
  if (entry?.isFile() === true || isBareRepository(top)) return { guarded: [], placeholders: [] };
  return { guarded: [common], placeholders: [{ path: common, keptWith: path.join(top, "HEAD") }] };
}

/** Whether git uses the folder itself: it has neither a valid `.git` nor the placeholder. */
function isBareRepository(top: string): boolean {
  const hasAll = ["HEAD", "objects", "refs"].every((name) => existsSync(path.join(top, name)));
  const common = statSync(path.join(top, "commondir"), { throwIfNoEntry: false });
  return hasAll && !isGitFolder(path.join(top, ".git")) && common?.isDirectory() !== true;
}

function guardRepository(folder: string): Guards {
  const modules = path.join(folder, "modules");
  const found = findModules(modules, MAX_DEPTH);
  const hasModules = existsSync(modules) && found.length <= MAX_MODULES;
  const within = (hasModules ? found : []).map((module) => ({ ...guardRepository(module), module }));
  const folders = [...GUARDED_FOLDERS, ...(hasModules ? [] : ["modules"])].map((name) => path.join(folder, name));
  const files = Object.entries(HARMLESS).map(([name, text]) => ({ path: path.join(folder, name), text }));
  return {
    guarded: [
      path.join(folder, "config"),
      ...folders,
      ...files.map((file) => file.path),
      ...within.flatMap(({ module, guarded }) => [...guarded, ...entryOf(module)]),
    ],
    placeholders: [
      ...folders.map((name) => ({ path: name })),
      ...files,
      ...within.flatMap(({ placeholders }) => placeholders),
    ],
  };
}

/** The folders of submodules: a name can have several parts. */
function findModules(folder: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  return foldersIn(folder).flatMap((entry) =>
    existsSync(path.join(entry, "HEAD")) ? [entry] : findModules(entry, depth - 1),
  );
}

/** The `.git` file in a submodule's working tree, which names the submodule's git folder. */
function entryOf(module: string): readonly string[] {
  const named = /^[ \t]*worktree[ \t]*=[ \t]*(.+)$/m.exec(readIfFile(path.join(module, "config")) ?? "")?.[1];
  return named === undefined ? [] : [path.resolve(module, named.trim(), ".git")];
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(folder, entry.name));
  } catch {
    return []; // There is none.
  }
}

/** The text of a plain file: reading anything else, such as a pipe, could block. */
function readIfFile(file: string): string | undefined {
  return existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
}

/** Whether git would use the folder. */
export function isGitFolder(folder: string): boolean {
  return existsSync(path.join(folder, "HEAD"));
}

/** The git folder that a `.git` is or names. Undefined for a link, or where git finds no repository. */
export function findGitFolderOf(entry: string): string | undefined {
  try {
    const kind = lstatSync(entry);
    const folder = kind.isDirectory() ? entry : kind.isFile() ? folderNamedIn(entry) : undefined;
    return folder !== undefined && isGitFolder(folder) ? realpathSync(folder) : undefined;
  } catch {
    return undefined;
  }
}

/** The repository's folder: for a worktree the one that its `commondir` names, otherwise the folder itself. */
export function findCommonFolder(own: string): string {
  try {
    const shared = readIfFile(path.join(own, "commondir"));
    return shared === undefined ? own : realpathSync(path.resolve(own, shared.trim()));
  } catch {
    return own; // Git does not work there.
  }
}

function folderNamedIn(entry: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readFileSync(entry, "utf8"))?.[1];
  return named === undefined ? undefined : path.resolve(path.dirname(entry), named);
}

/** Whether git's own data confirms that a folder belongs to the worktree, or submodule, with this `.git`. */
function isFolderOf(folder: string, entry: string): boolean {
  const back = readIfFile(path.join(folder, "gitdir"));
  if (back !== undefined) return realpathSync(back.trim()) === realpathSync(entry);
  const modules = folder.indexOf("/.git/modules/");
  return modules !== -1 && isWithin(path.dirname(realpathSync(entry)), folder.slice(0, modules));
}

/**
 * The `.git` of a repository; for a worktree its own folder and the repository's. Undefined if `.git` is a link, which could
 * be redirected: git can then read there, but not write.
 */
export function findGitFolders(root: string): { readonly own: string; readonly common: string } | undefined {
  const entry = path.join(root, ".git");
  try {
    const kind = lstatSync(entry);
    if (kind.isDirectory() && isGitFolder(entry)) return { own: realpathSync(entry), common: realpathSync(entry) };
    if (!kind.isFile()) return undefined;
    const named = folderNamedIn(entry);
    if (named === undefined) return undefined;
    const own = realpathSync(named);
    // A file that the agent may have written must not open other folders.
    if (!isFolderOf(own, entry)) return undefined;
    const shared = readIfFile(path.join(own, "commondir"));
    const common = shared === undefined ? own : realpathSync(path.resolve(own, shared.trim()));
    const isGit = ["HEAD", "objects", "refs"].every((name) => existsSync(path.join(common, name)));
    return isGit ? { own, common } : undefined;
  } catch {
    return undefined; // Git does not work there either.
  }
}

/** Settings of {@link findHookFolders}. */
export interface FindHookFoldersOptions {
  readonly env: Readonly<Record<string, string>>;
  /** The folders that the agent can write to: none of them may become read-only as a whole. */
  readonly writeRoots: readonly string[];
}

/**
 * The folders that `core.hooksPath` names, in the repository's settings or the user's. One that contains the work tree makes
 * it read-only.
 * @throws SandboxInvalidError if one contains a folder that the agent can write to, or git cannot read the setting
 */
export async function findHookFolders(root: string, { env, writeRoots }: FindHookFoldersOptions): Promise<Guards> {
  const named = await readHooksPaths(root, env);
  const folders = named.map((name) => path.resolve(root, name));
  const isTooWide = (folder: string) =>
    isWithin(root, folder) && writeRoots.some((writable) => isWithin(writable, folder));
  if (folders.some(isTooWide)) {
    const problem = `the git setting core.hooksPath of "${root}" names a folder that contains the project, so every file in it can be a hook. Move the hooks to a folder of their own, or remove the repository if you do not know it.`;
    throw new SandboxInvalidError("workingDirectory", problem);
  }
  const missing = folders.filter((folder) => isWithin(folder, root)).flatMap((folder) => pathsBetween(root, folder));
  return { guarded: folders, placeholders: [...new Set(missing)].map((folder) => ({ path: folder })) };
}

/** The folders between one folder and another in it, the outer ones first. */
export function pathsBetween(root: string, folder: string): readonly string[] {
  const names = path.relative(root, folder).split(path.sep);
  return names.map((_, index) => path.join(root, ...names.slice(0, index + 1)));
}

async function readHooksPaths(root: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  try {
    const args = ["config", "--null", "--type=path", "--includes", "--get-all", "core.hooksPath"];
    const stdout = (await runGit(args, { cwd: root, env })) ?? "";
    return stdout.split("\0").filter((name) => name !== "");
  } catch (cause) {
    // The setting is missing, or git rejects the settings and does not work at all.
    if (isGitRefusal(cause)) return [];
    throw new SandboxInvalidError("workingDirectory", `git does not name the hooks of "${root}". Try again.`);
  }
}
