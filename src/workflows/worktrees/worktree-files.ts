import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { type Git, READING, splitZeros } from "./git.ts";
import { listSubmodules } from "./submodules.ts";

/** What differs from the commit that is checked out, by path from the top. */
export interface WorkingTreeStatus {
  /** Changed, staged or deleted. */
  readonly changed: readonly string[];
  /** Submodules whose own files are changed or untracked. Also in `changed`. */
  readonly dirtySubmodules: readonly string[];
  /** With both sides of a merge. */
  readonly unmerged: readonly string[];
  /** Neither in the index nor ignored. */
  readonly untracked: readonly string[];
  /** Repositories that are neither submodules nor ignored. End in "/". */
  readonly nested: readonly string[];
  /** Changed or unchanged: git was made to ignore changes of them. */
  readonly hidden: readonly string[];
}

/** The state of the files in a working tree, submodules included. */
export async function readStatus(git: Git, cwd: string): Promise<WorkingTreeStatus> {
  const args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=none", "--no-renames"];
  const entries = splitZeros(await git.run(args, { cwd, ...READING }));
  const changed = entries.filter((entry) => entry.startsWith("1 "));
  const others = entries.filter((entry) => entry.startsWith("? ")).map((entry) => entry.slice(2));
  return {
    // "1 XY sub mH mI mW hH hI path"
    changed: changed.map((entry) => afterFields(entry, 8)),
    dirtySubmodules: changed.filter((entry) => /^1 .. S.(?:M.|.U) /.test(entry)).map((entry) => afterFields(entry, 8)),
    // "u XY sub m1 m2 m3 mW h1 h2 h3 path"
    unmerged: entries.filter((entry) => entry.startsWith("u ")).map((entry) => afterFields(entry, 10)),
    untracked: others.filter((path) => !path.endsWith("/")),
    nested: others.filter((path) => path.endsWith("/")),
    hidden: await listHidden(git, cwd),
  };
}

/** The paths of everything that is in no commit, except for ignored and hidden files. */
export async function listUncommitted(git: Git, cwd: string): Promise<readonly string[]> {
  const { changed, unmerged, untracked, nested } = await readStatus(git, cwd);
  return [...changed, ...unmerged, ...untracked, ...nested];
}

/** How many paths a sentence names. */
const MAX_NAMED = 5;

/** Paths for a sentence. */
export function listForPeople(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  return `${paths.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function afterFields(entry: string, count: number): string {
  return entry.split(" ").slice(count).join(" ");
}

/** Files with the flags assume-unchanged or skip-worktree that exist, in submodules too. */
async function listHidden(git: Git, cwd: string): Promise<readonly string[]> {
  const own = await listFlagged(git, cwd);
  const inner = await inSubmodules(git, cwd, async (path) => await listHidden(git, join(cwd, path)));
  return [...own, ...inner.flatMap(([path, names]) => names.map((name) => `${path}/${name}`))];
}

/** Does something in each submodule that is checked out. */
async function inSubmodules<T>(
  git: Git,
  top: string,
  work: (path: string) => Promise<T>,
): Promise<readonly (readonly [path: string, result: T])[]> {
  const paths = (await listSubmodules(git, top)).filter((path) => existsSync(join(top, path, ".git")));
  return await Promise.all(paths.map(async (path) => [path, await work(path)] as const));
}

/**
 * Has git see again what it was made to ignore: a worker can set the flags assume-unchanged and skip-worktree, and its
 * commit would lack what the command that verifies its work has seen. In submodules, too.
 */
export async function showHidden(git: Git, cwd: string): Promise<void> {
  const flagged = await listFlaggedNames(git, cwd);
  if (flagged.length > 0) {
    const isSparse = await git.try(["config", "--type=bool", "--get", "core.sparseCheckout"], { cwd });
    // What a sparse checkout leaves out is not there.
    const paths = isSparse.stdout.trim() === "true" ? await listFlagged(git, cwd) : flagged;
    const input = paths.map((path) => `${path}\0`).join("");
    for (const flag of ["--no-skip-worktree", "--no-assume-unchanged"])
      await git.run(["update-index", flag, "-z", "--stdin"], { cwd, input });
  }
  await inSubmodules(git, cwd, (path) => showHidden(git, join(cwd, path)));
}

async function listFlaggedNames(git: Git, cwd: string): Promise<readonly string[]> {
  const entries = splitZeros(await git.run(["ls-files", "-v", "-z"], { cwd }));
  return entries.filter((entry) => /^[a-zS] /.test(entry)).map((entry) => entry.slice(2));
}

async function listFlagged(git: Git, cwd: string): Promise<readonly string[]> {
  const flagged = await listFlaggedNames(git, cwd);
  const found = await Promise.all(flagged.map((path) => lstat(join(cwd, path)).catch(() => undefined)));
  return flagged.filter((_, index) => found[index] !== undefined);
}

/** A digest of each ignored file or folder in a working tree and its submodules, by path. Notices every change of a file, not only of its size. */
export async function digestIgnored(git: Git, root: string): Promise<Readonly<Record<string, string>>> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  // The names may have any bytes.
  const paths = splitZeros(await git.run(args, { cwd: root, encoding: "latin1" }));
  const digests: Record<string, string> = {};
  for (const path of paths) {
    const bytes = Buffer.from(path, "latin1");
    const name = bytes.toString("utf8");
    // Names that differ only in bytes which are no text share an entry.
    const hash = createHash("sha256").update(digests[name] ?? "");
    const place = Buffer.concat([Buffer.from(`${root}/`), path.endsWith("/") ? bytes.subarray(0, -1) : bytes]);
    await addToDigest(place, (line) => hash.update(line));
    digests[name] = hash.digest("hex").slice(0, 16);
  }
  for (const [path, inner] of await inSubmodules(git, root, (name) => digestIgnored(git, join(root, name)))) {
    for (const [name, digest] of Object.entries(inner)) digests[`${path}/${name}`] = digest;
  }
  return digests;
}

/** A change of a file sets its `ctime`, which no program can set back. A file may vanish meanwhile. */
async function addToDigest(path: Buffer, add: (line: string) => void): Promise<void> {
  const name = path.toString("latin1");
  const found = await lstat(path, { bigint: true }).catch(ignoreMissing);
  if (found === undefined) return;
  const { size, mode, mtimeNs, ctimeNs, ino } = found;
  if (!found.isDirectory()) {
    const link = found.isSymbolicLink() ? ((await readlink(path).catch(ignoreMissing)) ?? "") : "";
    add(JSON.stringify([name, String(mode), String(size), String(mtimeNs), String(ctimeNs), String(ino), link]));
    return;
  }
  add(JSON.stringify([name]));
  const names = (await readdir(path, { encoding: "buffer" }).catch(ignoreMissing)) ?? [];
  for (const entry of names.sort(Buffer.compare))
    await addToDigest(Buffer.concat([path, Buffer.from("/"), entry]), add);
}

/** @throws any other error */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return;
  throw error;
}
