import { createHash } from "node:crypto";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { readBoundedBytes } from "../system/index.ts";
import { type FoundProjectSetting, findProjectSettings, nameOf } from "./find-project-settings.ts";
import { listRelativeImports } from "./metadata/fingerprint-module.ts";
import { realPathOf } from "./real-path.ts";
import { PROJECT_SETTINGS } from "./vendor-project-settings.ts";

/** So many files of a setting are compared one by one. */
const MAX_FILES = 1_000;

/** So many more files are listed with their sizes and times, and compared as a whole. */
const MAX_LISTED_FILES = 20_000;

/** Files that Atomic imports. */
const CODE = /\.(?:[cm]?[jt]sx?|json)$/;

/**
 * Sections of git's settings that change whenever somebody works with the repository, and name no program. A line after one
 * that ends with a backslash can be the rest of a value. The patterns are linear in the text: `\s` would also match the
 * ends of lines, and `^` ends of lines that git does not know.
 */
const GIT_BRANCHES = /(?<=^|\n)(?<!\\\r?\n)[ \t]*\[branch\b[^\]\n]*\][^[]*/gi;

/** Hashes of files' contents, by their path below the project. */
export type FileHashes = Readonly<Record<string, string>>;

/** A project, and the user's home folder, whose own files are not the project's. */
export interface TrustedFolders {
  readonly projectDirectory: string;
  readonly userHomeDirectory: string;
}

/**
 * Hashes the files that a project's trust covers: settings, agents, skills, commands and hooks of Atomic and the agents, and
 * the code that Atomic imports, wherever in the project it is. Of an installed package only its `package.json` counts. Of
 * a folder with very many files, the rest has one entry, whose name says so. Must not throw.
 */
export async function hashTrustedFiles(folders: TrustedFolders): Promise<FileHashes> {
  const { projectDirectory } = folders;
  const owners = new Set(PROJECT_SETTINGS.map(({ owner }) => owner));
  const found = await findProjectSettings({ ...folders, workingDirectory: projectDirectory, owners });
  const hashes = new Map<string, string>();
  for (const setting of found) {
    // Values change often, and are no code.
    if (basename(setting.path) === ".env") continue;
    const files: Files = { read: new Map(), rest: new Set() };
    await addFiles(setting, files);
    if (isCode(setting)) await addImports(files, projectDirectory);
    for (const [path, bytes] of files.read) hashes.set(nameOf(path, projectDirectory), await hashOf(path, bytes));
    if (files.rest.size > 0) hashes.set(nameOfRest(setting), await hashOfRest(files.rest));
  }
  return Object.fromEntries([...hashes].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The files of one setting. */
interface Files {
  readonly read: Map<string, Buffer | undefined>;
  /** Those after the first {@link MAX_FILES}. */
  readonly rest: Set<string>;
}

function nameOfRest({ name }: FoundProjectSetting): string {
  return `${name} (after ${MAX_FILES} files; the rest is not compared one by one)`;
}

async function hashOfRest(paths: ReadonlySet<string>): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(`${path}\0${await describeStatus(path)}\0`);
  return hash.digest("hex").slice(0, 16);
}

/** Whether Atomic imports the files of a folder. */
function isCode({ name }: FoundProjectSetting): boolean {
  return /(?:^|\/)\.atomic\/(?:workflows|tools)$/.test(name);
}

/** Adds a file, or all files below a folder; links are followed. */
async function addFiles(setting: FoundProjectSetting, files: Files): Promise<void> {
  if (/(?:^|\/)node_modules\//.test(setting.name)) return await addFile(join(setting.path, "package.json"), files);
  const paths = [setting.path];
  const seen = new Set<string>();
  for (const path of paths) {
    if (files.rest.size >= MAX_LISTED_FILES) return;
    const status = await stat(path).catch(() => undefined);
    if (status?.isDirectory() !== true) {
      if (path === setting.path || !isCode(setting) || CODE.test(path)) await addFile(path, files);
      continue;
    }
    const realPath = realPathOf(path);
    if (seen.has(realPath)) continue;
    seen.add(realPath);
    const names = await readdir(path).catch(() => []);
    const isIgnored = (name: string): boolean =>
      name === "node_modules" || name === ".git" || (isCode(setting) && name.startsWith("."));
    // Entries are added while they are read.
    for (const name of names.sort()) if (!isIgnored(name)) paths.push(join(path, name));
  }
}

/** Adds what the files import by relative paths, directly or not, from elsewhere in the project. */
async function addImports(files: Files, projectDirectory: string): Promise<void> {
  const root = realPathOf(projectDirectory);
  const known = new Set([...files.read.keys(), ...files.rest].map(realPathOf));
  // Imported files are added while they are read.
  for (const [path, bytes] of files.read) {
    if (bytes === undefined || files.rest.size >= MAX_LISTED_FILES) continue;
    for (const target of listRelativeImports(realPathOf(path), bytes.toString("utf8"))) {
      const realPath = realPathOf(target);
      if (!realPath.startsWith(root + sep) || realPath.includes(`${sep}node_modules${sep}`) || known.has(realPath))
        continue;
      known.add(realPath);
      await addFile(realPath, files);
    }
  }
}

async function addFile(path: string, { read, rest }: Files): Promise<void> {
  if (read.has(path) || (await lstat(path).catch(() => undefined)) === undefined) return;
  if (read.size >= MAX_FILES) rest.add(path);
  else read.set(path, await readBoundedBytes(path).catch(() => undefined));
}

/** Of a file that cannot be read, the size and the time of its last change. */
async function hashOf(path: string, bytes: Buffer | undefined): Promise<string> {
  const isGitConfig = /(?:^|\/)config(?:\.worktree)?$/.test(path);
  const text = isGitConfig && bytes !== undefined ? bytes.toString("utf8").replace(GIT_BRANCHES, "") : bytes;
  const hash = createHash("sha256").update(text ?? (await describeStatus(path)));
  return hash.digest("hex").slice(0, 16);
}

async function describeStatus(path: string): Promise<string> {
  const status = await stat(path).catch(() => undefined);
  return `${status?.size} ${status?.mtimeMs}`;
}
