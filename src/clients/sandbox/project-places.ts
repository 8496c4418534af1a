import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isWithin } from "./resolve-sandbox.ts";

/** What belongs to the project that an agent works on. */
export interface ProjectPlaces {
  /** The working directory, or the root of the repository it lies in. */
  readonly readable: readonly string[];
  /** Git's own folders, outside the working directory perhaps: a commit is written there. */
  readonly gitFolders: readonly string[];
  /** Files and folders that decide what programs do outside the sandbox later on. They need not exist. */
  readonly guarded: readonly string[];
}

/** Folders of a project whose files other programs act on; they are made when missing, so that nobody else can. */
export const GUARDED_FOLDERS: readonly string[] = [".atomic", ".claude"];

/**
 * They are guarded where they exist. OpenCode writes packages of its own to `.opencode` when it starts, so only what it acts
 * on is guarded there.
 */
const GUARDED_FILES: readonly string[] = [
  ".github/agents",
  ".github/hooks",
  ".github/mcp.json",
  ".husky",
  ".idea",
  ".mcp.json",
  ".vscode",
  "opencode.json",
  "opencode.jsonc",
  ...[
    "agent",
    "agents",
    "command",
    "commands",
    "mode",
    "opencode.json",
    "opencode.jsonc",
    "plugin",
    "plugins",
    "skill",
    "skills",
    "tool",
    "tools",
  ].map((name) => path.join(".opencode", name)),
];

const GUARDED_GIT_FILES: readonly string[] = ["hooks", "config", "config.worktree"];

/** Looks for what belongs to a project. A home folder that is a repository itself is none. */
export function findProjectPlaces(workingDirectory: string, home: string | undefined): ProjectPlaces {
  const root = findRepository(workingDirectory, home ?? "/");
  const gitFolders = root === undefined ? [] : findGitFolders(root);
  const folders = [...new Set([workingDirectory, root ?? workingDirectory])];
  return {
    readable: folders,
    gitFolders,
    guarded: [
      ...folders.flatMap((folder) => [...GUARDED_FOLDERS, ...GUARDED_FILES].map((name) => path.join(folder, name))),
      ...gitFolders.flatMap((folder) => GUARDED_GIT_FILES.map((name) => path.join(folder, name))),
    ],
  };
}

function findRepository(folder: string, home: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isWithin(home, at)) return undefined;
    if (existsSync(path.join(at, ".git"))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** More than the one path that Git's files here hold. */
const MAX_FILE_BYTES = 16_384;

/** An agent may have put a pipe there, which would keep its reader waiting. @throws for what is no regular file */
function readShortFile(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is not a regular file`);
    const bytes = Buffer.alloc(MAX_FILE_BYTES);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Whether Git itself says that a folder is that of the worktree, or submodule, with this `.git`. */
function isFolderOf(folder: string, entry: string): boolean {
  const back = path.join(folder, "gitdir");
  if (existsSync(back)) return realpathSync(readShortFile(back).trim()) === realpathSync(entry);
  const modules = folder.indexOf("/.git/modules/");
  return modules !== -1 && isWithin(path.dirname(realpathSync(entry)), folder.slice(0, modules));
}

/** The `.git` of a repository; of a worktree its own folder and the repository's. */
function findGitFolders(root: string): readonly string[] {
  const entry = path.join(root, ".git");
  try {
    if (statSync(entry).isDirectory()) return [realpathSync(entry)];
    const named = /^gitdir: (.+)$/m.exec(readShortFile(entry))?.[1];
    if (named === undefined) return [];
    const own = realpathSync(path.resolve(root, named));
    // A file that the agent may have written must not open other folders.
    if (!isFolderOf(own, entry)) return [];
    const commonFile = path.join(own, "commondir");
    const common = existsSync(commonFile) ? realpathSync(path.resolve(own, readShortFile(commonFile).trim())) : own;
    const isGit = ["HEAD", "objects", "refs"].every((name) => existsSync(path.join(common, name)));
    return isGit ? [...new Set([own, common])] : [];
  } catch {
    return []; // Git does not work there either.
  }
}
