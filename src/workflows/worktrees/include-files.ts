import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readdir, readlink, realpath, rm, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { messageOf } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import { type Git, splitZeros } from "./git.ts";

/** Patterns of ignored files that every worktree gets a copy of. Other tools for worktrees read the same file. */
const INCLUDE_FILE = ".worktreeinclude";

/** Patterns of ignored files and folders that worktrees share with the project through links. */
const LINK_FILE = ".worktreelink";

/** How many files are copied at the same time. */
const BATCH = 64;

/** Where files come from and where they go. */
interface Trees {
  /** The tops of the two working trees. */
  readonly from: string;
  readonly to: string;
  /** Whether what is there already stays. @default false: an interrupted call may have left half of it */
  readonly keepsExisting?: boolean;
}

/**
 * Copies and links ignored files of the project into a new worktree, as `.worktreeinclude` and `.worktreelink` at the top
 * of the project's repository say, in the syntax of `.gitignore`. A file must be ignored in both trees, so that a worker
 * cannot commit it. Replaces what an interrupted call left. Follows no link out of the project, and none out of the worktree. A linked folder
 * is a folder with a link for each entry, because the pattern `node_modules/` ignores folders and no links.
 *
 * @returns warnings about what was left out
 */
export async function includeFiles(git: Git, trees: Trees): Promise<readonly string[]> {
  const linked = await listLinks(git, trees);
  const isLinked = (path: string): boolean => linked.some((link) => path === link || path.startsWith(`${link}/`));
  const matching = await listMatching(git, trees.from, { file: INCLUDE_FILE, options: [] });
  // The folder that holds the worktrees may be in the project, ignored.
  const others = `${relative(trees.from, dirname(trees.to))}/`;
  const files = matching.filter((path) => !path.endsWith("/") && !isLinked(path) && !path.startsWith(others));
  const { reachable, beyond } = await splitAtLinks(trees.to, [...files, ...(await linkTargets(trees.from, linked))]);
  const warnings: (string | undefined)[] = beyond.map(
    (path) => `${path} is not in the worktree: a folder of it is a link there`,
  );
  const included = await ignoredInBoth(git, trees, reachable);
  const copied = included.filter((path) => !isLinked(path));
  for (let start = 0; start < copied.length; start += BATCH) {
    const batch = copied.slice(start, start + BATCH);
    warnings.push(...(await Promise.all(batch.map((path) => attempt(path, () => copyOne(trees, path))))));
  }
  for (const path of included.filter(isLinked)) warnings.push(await attempt(path, () => linkOne(trees, path)));
  return warnings.filter((warning) => warning !== undefined);
}

async function attempt(path: string, work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work();
  } catch (error) {
    return `${path} is not in the worktree: ${messageOf(error)}`;
  }
}

/** What a file of patterns matches and no commit contains. Folders end in "/"; nested repositories are among them. */
async function listMatching(
  git: Git,
  root: string,
  { file, options }: { readonly file: string; readonly options: readonly string[] },
): Promise<readonly string[]> {
  const patterns = join(root, file);
  const found = await lstat(patterns).catch(() => undefined);
  if (found?.isFile() !== true) return [];
  const args = ["ls-files", "-z", "--others", "--ignored", `--exclude-from=${patterns}`, ...options];
  return splitZeros(await git.run(args, { cwd: root }));
}

async function listLinks(git: Git, { from }: Trees): Promise<readonly string[]> {
  const found = await listMatching(git, from, { file: LINK_FILE, options: ["--directory"] });
  const paths = found.map((path) => path.replace(/\/$/, ""));
  const isNested = await Promise.all(paths.map((path) => exists(join(from, path, ".git"))));
  return paths.filter((_, index) => isNested[index] === false);
}

/** The paths at which links are made. */
async function linkTargets(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const targets = paths.map(async (path) => {
    const found = await lstat(join(root, path)).catch(() => undefined);
    if (found?.isDirectory() !== true) return [path];
    return (await readdir(join(root, path))).map((name) => `${path}/${name}`);
  });
  return (await Promise.all(targets)).flat();
}

async function ignoredInBoth(git: Git, { from, to }: Trees, paths: readonly string[]): Promise<readonly string[]> {
  return await onlyIgnored(git, to, await onlyIgnored(git, from, paths));
}

async function onlyIgnored(git: Git, cwd: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const input = paths.map((path) => `${path}\0`).join("");
  const args = ["check-ignore", "-z", "--stdin"];
  const { exitCode, stdout } = await git.try(args, { cwd, input });
  // 1 means: none of them. A second call has the error that the first one ended with.
  return splitZeros(exitCode > 1 ? await git.run(args, { cwd, input }) : stdout);
}

async function copyOne({ from, to, keepsExisting = false }: Trees, path: string): Promise<string | undefined> {
  const [source, target] = [join(from, path), join(to, path)];
  const found = await lstat(source);
  if (keepsExisting && (await exists(target))) return undefined;
  await rm(target, { force: true });
  if (found.isFile()) {
    await mkdir(dirname(target), { recursive: true });
    await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } else if (found.isSymbolicLink()) {
    const link = await readlink(source);
    if (isAbsolute(link) || !(await isInside(from, source)))
      return `${path} is not in the worktree: it is a link out of the project`;
    await mkdir(dirname(target), { recursive: true });
    await symlink(link, target);
  }
  return undefined;
}

async function linkOne({ from, to, keepsExisting = false }: Trees, path: string): Promise<string | undefined> {
  const [source, target] = [join(from, path), join(to, path)];
  if (keepsExisting && (await exists(target))) return undefined;
  if (!(await isInside(from, source))) return `${path} is not in the worktree: it is a link out of the project`;
  await rm(target, { force: true });
  await mkdir(dirname(target), { recursive: true });
  await symlink(source, target);
  return undefined;
}

/** Whether a path is below a root when all links are followed. */
async function isInside(root: string, path: string): Promise<boolean> {
  const [real, place] = await Promise.all([realpath(root), realpath(path).catch(() => undefined)]);
  return place !== undefined && place !== real && isWithin(place, real);
}

/** Separates the paths that a link in the worktree leads elsewhere. Git rejects them. */
async function splitAtLinks(
  root: string,
  paths: readonly string[],
): Promise<{ readonly reachable: readonly string[]; readonly beyond: readonly string[] }> {
  const folders = new Map<string, Promise<boolean>>();
  const isLinked = (folder: string): Promise<boolean> => {
    if (folder === ".") return Promise.resolve(false);
    const known = folders.get(folder);
    const found =
      known ??
      lstat(join(root, folder)).then(
        (stats) => stats.isSymbolicLink() || isLinked(dirname(folder)),
        () => isLinked(dirname(folder)),
      );
    folders.set(folder, found);
    return found;
  };
  const isBeyond = await Promise.all(paths.map((path) => isLinked(dirname(path))));
  return {
    reachable: paths.filter((_, index) => isBeyond[index] === false),
    beyond: paths.filter((_, index) => isBeyond[index] === true),
  };
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
