import { lstatSync } from "node:fs";
import path from "node:path";
import { isWithin } from "../policy/files/file-places.ts";
import { findGitFolders, type Guards, guardGitFolders, isGitFolder } from "./git-places.ts";

/** What belongs to the project that an agent works on. */
export interface ProjectPlaces extends Guards {
  /** The working directory, and the root of the repository around it. */
  readonly readable: readonly string[];
  /** Git's own folders, which may be outside the working directory: commits are written there. */
  readonly gitFolders: readonly string[];
  /** The root of the repository, if there is one. */
  readonly root: string | undefined;
}

/** Project folders with files that other programs act on. Created if missing, so that nobody else can create them. */
const GUARDED_FOLDERS: readonly string[] = [".atomic", ".claude", ".git"];

/**
 * Guarded if they exist. OpenCode writes its own packages to `.opencode` when it starts, so only the files that it acts on
 * are guarded there.
 */
const GUARDED_FILES: readonly string[] = [
  ".codex",
  ".gemini",
  ".github/agents",
  ".github/copilot",
  ".github/extensions",
  ".github/hooks",
  ".github/lsp.json",
  ".github/mcp.json",
  ".github/plugin",
  ".github/skills",
  ".husky",
  ".idea",
  ".lsp.json",
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

/** Finds what belongs to a project. A home folder that is itself a repository is not a project. */
export function findProjectPlaces(workingDirectory: string, home: string | undefined): ProjectPlaces {
  const root = findRepository(workingDirectory, home ?? "/");
  const git = root === undefined ? undefined : findGitFolders(root);
  const inGit = git === undefined ? { guarded: [], placeholders: [] } : guardGitFolders(git.own, git.common);
  const gitFolders = git === undefined ? [] : [...new Set([git.own, git.common])];
  const folders = [...new Set([workingDirectory, root ?? workingDirectory])];
  const named = folders.flatMap((folder) =>
    [...GUARDED_FOLDERS, ...GUARDED_FILES].map((name) => path.join(folder, name)),
  );
  return {
    readable: folders,
    root,
    gitFolders,
    guarded: [...named.filter((file) => !gitFolders.includes(file)), ...inGit.guarded],
    placeholders: [
      ...GUARDED_FOLDERS.map((name) => ({ path: path.join(workingDirectory, name) })),
      ...inGit.placeholders,
    ],
  };
}

function findRepository(folder: string, home: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isWithin(home, at)) return undefined;
    if (isRepositoryEntry(path.join(at, ".git"))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** An empty folder counts as a missing one. */
function isRepositoryEntry(entry: string): boolean {
  const kind = lstatSync(entry, { throwIfNoEntry: false });
  return kind !== undefined && (!kind.isDirectory() || isGitFolder(entry));
}
