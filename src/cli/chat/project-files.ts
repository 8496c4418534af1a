import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { GitReader } from "../../graph/index.ts";
import type { ProjectPath } from "../../tui/index.ts";

/** How long a list is used again, in milliseconds. */
const CACHE_MS = 5_000;

/** More files than this are left out where git does not list them. */
const MAX_WALKED = 20_000;

/** The longest list of git that is read, in bytes. */
const MAX_GIT_BYTES = 67_108_864;

/** Folders that nobody wants to mention, where git does not leave them out. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".hg", ".svn"]);

/** Settings of {@link createProjectFiles}. */
export interface ProjectFilesOptions {
  readonly workingDirectory: string;
  readonly git: GitReader;
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/**
 * Lists the files and folders below the working directory that git does not ignore; without a repository, all but those in
 * `node_modules`. Reuses a list for some seconds.
 */
export function createProjectFiles(
  options: ProjectFilesOptions,
): (signal: AbortSignal) => Promise<readonly ProjectPath[]> {
  const { clock = Date.now } = options;
  let known: { readonly paths: readonly ProjectPath[]; readonly until: number } | undefined;
  return async (signal) => {
    signal.throwIfAborted();
    if (known !== undefined && clock() < known.until) return known.paths;
    const files = (await listByGit(options, signal)) ?? (await walk(options.workingDirectory, signal));
    const paths = withFolders(files);
    known = { paths, until: clock() + CACHE_MS };
    return paths;
  };
}

/** The files with the folders that they are in, in alphabetical order. Folders end in `/`. */
export function withFolders(files: readonly string[]): readonly ProjectPath[] {
  const all = new Set<string>();
  for (const file of files) {
    all.add(file);
    for (let end = file.lastIndexOf("/", file.length - 2); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const folder = file.slice(0, end + 1);
      if (all.has(folder)) break;
      all.add(folder);
    }
  }
  return [...all].sort();
}

/** Undefined outside of a repository. */
async function listByGit(
  { git, workingDirectory }: ProjectFilesOptions,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const list = async (...flags: readonly string[]): Promise<readonly string[] | undefined> => {
    const outcome = await git(["ls-files", "-z", ...flags], { workingDirectory, signal, maxBytes: MAX_GIT_BYTES });
    return outcome.type === "done" ? outcome.stdout.split("\0").filter((path) => path !== "") : undefined;
  };
  try {
    const [files, deleted] = await Promise.all([
      list("--cached", "--others", "--exclude-standard", "--deduplicate"),
      list("--deleted"),
    ]);
    const missing = new Set(deleted);
    return files?.filter((path) => !missing.has(path));
  } catch {
    signal.throwIfAborted();
    // The programs of the repository cannot be determined.
    return undefined;
  }
}

/** Folders nearest to the top come first. Links to folders are not followed. */
async function walk(root: string, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [""];
  // The list grows while it is read.
  for (const folder of folders) {
    signal.throwIfAborted();
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (found.length >= MAX_WALKED) return found;
      const path = `${folder}${entry.name}`;
      if (!entry.isDirectory()) found.push(path);
      else if (!SKIPPED.has(entry.name)) {
        found.push(`${path}/`);
        folders.push(`${path}/`);
      }
    }
  }
  return found;
}
