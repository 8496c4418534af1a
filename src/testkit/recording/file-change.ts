import { execFile } from "node:child_process";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";

/** A change of a file; paths are relative to the working directory, with slashes. */
export type FileChange =
  | {
      readonly path: string;
      readonly type: "file";
      /** The content, if it is text. */
      readonly text?: string;
      /** The content in base64, if it is not. */
      readonly base64?: string;
      readonly isExecutable?: true;
    }
  | { readonly path: string; readonly type: "link"; readonly target: string }
  | { readonly path: string; readonly type: "deleted" }
  /** The file is too large for a recording. */
  | { readonly path: string; readonly type: "left-out"; readonly bytes: number };

/** The files of a folder, by path: what `lstat` says of each. */
export type FolderState = ReadonlyMap<string, string>;

/** The largest file that a recording contains, in bytes. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** The longest list of files, in bytes. */
const MAX_LIST_BYTES = 256 * 1024 * 1024;
/** Folders that are not part of a project without git. */
const SKIPPED = new Set([".git", "node_modules"]);

/** Reads the state of a folder: in a git repository, the files that git does not ignore. */
export async function readFolderState(folder: string, excluded: readonly string[] = []): Promise<FolderState> {
  const paths = (await listWithGit(folder)) ?? (await listAll(folder));
  const left = new Set(excluded.map((path) => relative(folder, path).split(sep).join("/")));
  const state = new Map<string, string>();
  for (const path of paths) {
    if (left.has(path)) continue;
    const stat = await lstat(join(folder, path), { bigint: true }).catch(() => undefined);
    if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) continue;
    state.set(path, `${stat.ino} ${stat.size} ${stat.mode} ${stat.mtimeNs} ${stat.ctimeNs}`);
  }
  return state;
}

/** The files that git tracks or does not ignore; `undefined` where there is no repository, or no git. */
async function listWithGit(folder: string): Promise<readonly string[] | undefined> {
  // A repository's own settings could name a program as its file system monitor.
  const args = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  try {
    const { stdout } = await promisify(execFile)("git", args, { cwd: folder, maxBuffer: MAX_LIST_BYTES });
    return [...new Set(stdout.split("\0").filter((path) => path !== "" && !path.endsWith("/")))];
  } catch {
    return undefined;
  }
}

async function listAll(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const visit = async (prefix: string): Promise<void> => {
    const entries = await readdir(join(folder, prefix), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (SKIPPED.has(entry.name)) continue;
      const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) await visit(path);
      else paths.push(path);
    }
  };
  await visit("");
  return paths;
}

/** What changed in a folder since an earlier state, by path. */
export async function readChanges(
  folder: string,
  before: FolderState,
  excluded: readonly string[] = [],
): Promise<readonly FileChange[]> {
  const after = await readFolderState(folder, excluded);
  const changed = [...after].filter(([path, stat]) => before.get(path) !== stat).map(([path]) => path);
  // A file that git ignores from now on still exists; one whose place a folder took does not.
  const gone: string[] = [];
  for (const path of before.keys()) {
    if (after.has(path)) continue;
    const stat = await lstat(join(folder, path)).catch(() => undefined);
    if (stat === undefined || stat.isDirectory()) gone.push(path);
  }
  const changes = await Promise.all(changed.map((path) => readChange(folder, path)));
  return [...changes.flat(), ...gone.map((path): FileChange => ({ path, type: "deleted" }))].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

async function readChange(folder: string, path: string): Promise<readonly FileChange[]> {
  const full = join(folder, path);
  const stat = await lstat(full).catch(() => undefined);
  if (stat === undefined) return [];
  if (stat.isSymbolicLink()) return [{ path, type: "link", target: await readlink(full) }];
  if (stat.size > MAX_FILE_BYTES) return [{ path, type: "left-out", bytes: stat.size }];
  const content = await readFile(full);
  const text = content.toString("utf8");
  const isText = !content.includes(0) && Buffer.from(text, "utf8").equals(content);
  const mode = (stat.mode & 0o100) === 0 ? {} : ({ isExecutable: true } as const);
  return [{ path, type: "file", ...(isText ? { text } : { base64: content.toString("base64") }), ...mode }];
}
