import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { isWithin } from "../../system/index.ts";
import { findGitFolders, type Guards, guardGitFolders, guardTopFolder, isGitFolder } from "./git-places.ts";

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
const GUARDED_FOLDERS: readonly string[] = [".agents", ".atomic", ".claude", ".git"];

/** Folders with definitions of agents, skills, commands and instructions. Created if missing, in `.github` too. */
const GITHUB_FOLDERS: readonly string[] = ["agents", "chatmodes", "instructions", "prompts", "skills"];

/**
 * OpenCode writes its own packages to an existing `.opencode` when it starts, so only the folders and files that it acts on
 * are guarded there. A missing `.opencode` is guarded as a whole.
 */
const OPENCODE_FOLDERS: readonly string[] = [
  "agent",
  "agents",
  "command",
  "commands",
  "mode",
  "modes",
  "plugin",
  "plugins",
  "skill",
  "skills",
  "tool",
  "tools",
];

/** Guarded if they exist. */
const GUARDED_FILES: readonly string[] = [
  ".codex",
  ".gemini",
  ".github/copilot",
  ".github/extensions",
  ".github/hooks",
  ".github/lsp.json",
  ".github/mcp.json",
  ".github/plugin",
  ".husky",
  ".idea",
  ".lsp.json",
  ".mcp.json",
  ".opencode/opencode.json",
  ".opencode/opencode.jsonc",
  ".vscode",
  "opencode.json",
  "opencode.jsonc",
];

/** Finds what belongs to a project. A home folder that is itself a repository is not a project. */
export function findProjectPlaces(workingDirectory: string, home: string | undefined): ProjectPlaces {
  const root = findRepository(workingDirectory, home ?? "/");
  const git = root === undefined ? undefined : findGitFolders(root);
  const inGit =
    git === undefined
      ? { guarded: [], placeholders: [] }
      : guardGitFolders(git.common, git.own === git.common ? [] : [git.own]);
  const gitFolders = git === undefined ? [] : [...new Set([git.own, git.common])];
  const folders = [...new Set([workingDirectory, root ?? workingDirectory])];
  const tops = folders.map(guardTopFolder);
  const named = folders.flatMap((folder) => [
    ...guardedFolders(folder),
    ...GUARDED_FILES.map((name) => path.join(folder, name)),
  ]);
  return {
    readable: folders,
    root,
    gitFolders,
    guarded: [
      ...named.filter((file) => !gitFolders.includes(file)),
      ...[inGit, ...tops].flatMap((guards) => guards.guarded),
    ],
    placeholders: [
      { path: path.join(workingDirectory, ".github") },
      ...guardedFolders(workingDirectory).map((name) => ({ path: name })),
      ...[inGit, ...tops].flatMap((guards) => guards.placeholders),
    ],
  };
}

function guardedFolders(folder: string): readonly string[] {
  const openCode = path.join(folder, ".opencode");
  return [
    ...GUARDED_FOLDERS.map((name) => path.join(folder, name)),
    ...GITHUB_FOLDERS.map((name) => path.join(folder, ".github", name)),
    // An empty folder is a placeholder, possibly one that another sandbox uses.
    ...(isMissingOrEmpty(openCode) ? [openCode] : OPENCODE_FOLDERS.map((name) => path.join(openCode, name))),
  ];
}

function isMissingOrEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true; // It is missing, or no program can read definitions in it.
  }
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
