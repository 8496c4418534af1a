import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, join } from "node:path";
import { isSecretName } from "../../contracts/index.ts";
import { type GitPlace, type ReviewBase, readGit, runGit } from "./git-repository.ts";
import { type FileChange, parseDiff } from "./parse-diff.ts";
import type { LeftOut } from "./split-changes.ts";

/** The changes of a working tree. */
export interface Changes {
  readonly files: readonly FileChange[];
  readonly leftOut: readonly LeftOut[];
}

/** The longest diff that is read in one go; of a longer one, files are read one by one. */
const MAX_DIFF_BYTES = 16_777_216;
/** The longest diff of one file, and the longest untracked file. */
const MAX_FILE_BYTES = 1_048_576;
/** More files than this are not read one by one. */
const MAX_FILES = 2_000;

/** No program of the repository, none of the user's settings about the form, submodules as what they are: a commit id. */
const DIFF = [
  ...["--literal-pathspecs", "-c", "core.quotePath=true", "diff", "--no-ext-diff", "--no-textconv", "--no-color"],
  ...["--find-renames", "--unified=8", "--src-prefix=a/", "--dst-prefix=b/", "--relative"],
  ...["--ignore-submodules=dirty", "--submodule=short"],
];

/**
 * Reads what differs between a base and the working tree, in and below the working directory, with files that git does not
 * track yet.
 *
 * @throws ChangesUnreadableError, ReviewGitMissingError
 */
export async function readChanges({ commit }: Pick<ReviewBase, "commit">, place: GitPlace): Promise<Changes> {
  const tracked = await readTracked(commit, place);
  const untracked = await readUntracked(place);
  // What git tracks no longer, and is still there, was not deleted.
  const present = new Set([...untracked.files, ...untracked.leftOut].map(({ path }) => path));
  const isKept = ({ path, status }: FileChange): boolean => status !== "deleted" || !present.has(path);
  return {
    files: [...tracked.files.filter(isKept), ...untracked.files],
    leftOut: [...tracked.leftOut, ...untracked.leftOut],
  };
}

async function readTracked(commit: string, place: GitPlace): Promise<Changes> {
  const whole = await runGit([...DIFF, commit, "--"], { ...place, maxBytes: MAX_DIFF_BYTES });
  if (whole.type === "done") return { files: parseDiff(whole.stdout), leftOut: [] };
  // Reports what is wrong where that is not the length.
  const paths = (await readGit([...DIFF, "--no-renames", "--name-only", "-z", commit, "--"], place))
    .split("\0")
    .filter((path) => path !== "");
  const files: FileChange[] = [];
  const leftOut: LeftOut[] = [];
  for (const [index, path] of paths.entries()) {
    const args = [...DIFF, "--no-renames", commit, "--", path];
    const one = index < MAX_FILES ? await runGit(args, { ...place, maxBytes: MAX_FILE_BYTES }) : undefined;
    if (one?.type === "done") files.push(...parseDiff(one.stdout));
    else leftOut.push({ path, reason: "the diff is too large" });
  }
  return { files, leftOut };
}

async function readUntracked(place: GitPlace): Promise<Changes> {
  const list = await readGit(["ls-files", "--others", "--exclude-standard", "-z"], place);
  const paths = list.split("\0").filter((path) => path !== "");
  const files: FileChange[] = [];
  const leftOut: LeftOut[] = [];
  for (const [index, path] of paths.entries()) {
    place.signal.throwIfAborted();
    const read = index < MAX_FILES ? await readNewFile(path, place.workingDirectory) : "more files than are read";
    if (typeof read === "string") leftOut.push({ path, reason: read });
    else files.push(read);
  }
  return { files, leftOut };
}

/** A file as a change that adds it, or why it cannot be read. */
async function readNewFile(path: string, workingDirectory: string): Promise<FileChange | string> {
  if (path.endsWith("/")) return "a repository of its own";
  // Not opened: what it contains concerns nobody.
  if (isSecretName(basename(path))) return "its name suggests secrets";
  let file: FileHandle | undefined;
  try {
    // A link is not followed, and a pipe does not block.
    file = await open(join(workingDirectory, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const about = await file.stat();
    if (!about.isFile()) return "not a regular file";
    if (about.size > MAX_FILE_BYTES) return "the file is too large";
    return addedFile(path, await file.readFile());
  } catch {
    return "cannot be read";
  } finally {
    await file?.close();
  }
}

function addedFile(path: string, content: Buffer): FileChange {
  if (content.includes(0)) return { path, status: "added", isBinary: true, hunks: [] };
  const lines = content.toString("utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const hunks = lines.length === 0 ? [] : [{ start: 1, lines: lines.map((line) => `+${line}`) }];
  return { path, status: "added", isBinary: false, hunks };
}
