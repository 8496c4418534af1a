import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type GitPlace, type ReviewBase, readGit, runGit } from "./git-repository.ts";
import { type FileChange, parseDiff } from "./parse-diff.ts";
import { type LeftOut, promptLengthOf, reasonToLeaveOut, type SplitLimits } from "./split-changes.ts";

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
/** How much of a file git looks at to tell whether it is binary, in bytes. */
const SNIFFED_BYTES = 8_000;

/** No program of the repository, none of the user's settings about the form, submodules as what they are: a commit id. */
const DIFF = [
  ...["--literal-pathspecs", "-c", "core.quotePath=true", "diff", "--no-ext-diff", "--no-textconv", "--no-color"],
  ...["--find-renames", "--unified=8", "--src-prefix=a/", "--dst-prefix=b/", "--relative"],
  ...["--ignore-submodules=dirty", "--submodule=short"],
];

/**
 * Reads what differs between a base and the working tree, in and below the working directory, with files that git does not
 * track yet. Stops where the prompts are full: what is left out has the reason.
 *
 * @throws ChangesUnreadableError, ReviewGitMissingError
 */
export async function readChanges(
  { commit }: Pick<ReviewBase, "commit">,
  place: GitPlace,
  limits: SplitLimits,
): Promise<Changes> {
  const reading = new Reading(limits, place.signal);
  const whole = await runGit([...DIFF, commit, "--"], { ...place, maxBytes: MAX_DIFF_BYTES });
  if (whole.type === "done") {
    const changes = parseDiff(whole.stdout);
    reading.add(changes.filter(({ isBinary }) => !isBinary));
    const hidden = changes.filter(({ isBinary }) => isBinary);
    await reading.readEach(hidden, (change) => readHidden(change, { commit, place }));
  } else {
    // Reports what is wrong where that is not the length.
    const names = await readGit([...DIFF, "--no-renames", "--name-only", "-z", commit, "--"], place);
    await reading.readEach(pathsIn(names), ({ path }) => readTrackedFile(path, { commit, place }));
  }
  const untracked = pathsIn(await readGit(["ls-files", "--others", "--exclude-standard", "-z"], place));
  await reading.readEach(untracked, ({ path }) => readNewFile(path, place.workingDirectory));
  // What git tracks no longer, and is still there, was not deleted.
  const present = new Set(untracked.map(({ path }) => path));
  const files = reading.files.filter(({ path, status }) => status !== "deleted" || !present.has(path));
  return { files, leftOut: reading.leftOut };
}

/** The changes that were read so far. Bounds how much of them is in memory. */
class Reading {
  readonly files: FileChange[] = [];
  readonly leftOut: LeftOut[] = [];
  readonly #maxPromptLength: number;
  readonly #signal: AbortSignal;
  #promptLength = 0;
  #length = 0;

  constructor({ maxDiffLength, maxParts }: SplitLimits, signal: AbortSignal) {
    this.#maxPromptLength = maxDiffLength * maxParts;
    this.#signal = signal;
  }

  add(files: readonly FileChange[]): void {
    for (const file of files) {
      this.files.push(file);
      this.#promptLength += promptLengthOf(file);
      for (const { lines } of file.hunks) for (const line of lines) this.#length += line.length;
    }
  }

  /** @param read returns the changes of a file, or why it cannot be read */
  async readEach<File extends { readonly path: string }>(
    files: readonly File[],
    read: (file: File) => Promise<readonly FileChange[] | string>,
  ): Promise<void> {
    for (const [index, file] of files.entries()) {
      this.#signal.throwIfAborted();
      const { path } = file;
      // Not opened: what it contains concerns nobody.
      const reason = reasonToLeaveOut({ path, isBinary: false }) ?? this.#reasonToStop(index);
      const changes = reason ?? (await read(file));
      if (typeof changes === "string") this.leftOut.push({ path, reason: changes });
      else this.add(changes);
    }
  }

  #reasonToStop(index: number): string | undefined {
    if (this.#promptLength >= this.#maxPromptLength)
      return "not read, because other files fill all prompts; raise maxParts";
    // Long lines are shortened in prompts, but not here.
    if (this.#length >= Math.max(MAX_DIFF_BYTES, this.#maxPromptLength))
      return "not read, because other files are too long";
    return index < MAX_FILES ? undefined : "not read, because too many files changed";
  }
}

function pathsIn(list: string): readonly { readonly path: string }[] {
  return list.split("\0").flatMap((path) => (path === "" ? [] : { path }));
}

/** Where the old and the new version of a file are. */
interface Versions {
  readonly commit: string;
  readonly place: GitPlace;
}

async function readTrackedFile(path: string, versions: Versions): Promise<readonly FileChange[] | string> {
  const { commit, place } = versions;
  const one = await runGit([...DIFF, "--no-renames", commit, "--", path], { ...place, maxBytes: MAX_FILE_BYTES });
  if (one.type !== "done") return TOO_LARGE;
  const changes: FileChange[] = [];
  for (const change of parseDiff(one.stdout)) {
    const read = change.isBinary ? await readHidden(change, versions) : [change];
    if (typeof read === "string") return read;
    changes.push(...read);
  }
  return changes;
}

const TOO_LARGE = "the diff is too large";

/**
 * A change that git calls binary. Attributes, which a change can bring along, and settings can make git do so: only the
 * content counts.
 */
async function readHidden(change: FileChange, { commit, place }: Versions): Promise<readonly FileChange[] | string> {
  const { path, oldPath = path, status } = change;
  if (await startsAsBinary(join(place.workingDirectory, path))) return [change];
  const paths = [...new Set([oldPath, path])];
  const text = await runGit([...DIFF, "--text", commit, "--", ...paths], { ...place, maxBytes: MAX_FILE_BYTES });
  if (text.type !== "done") return TOO_LARGE;
  const found = parseDiff(text.stdout).filter((other) => other.status === status);
  // Git finds no file by a name that is not UTF-8.
  return found.length === 0 ? [change] : found.map(withoutBinary);
}

function withoutBinary(change: FileChange): FileChange {
  const isBinary = change.hunks.some(({ lines }) => lines.some((line) => line.includes("\0")));
  return isBinary ? { ...change, isBinary, hunks: [] } : change;
}

/** As git decides without attributes and settings; false for what is no file any more. */
async function startsAsBinary(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, PLAINLY);
    if (!(await file.stat()).isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    return buffer.subarray(0, bytesRead).includes(0);
  } catch {
    return false;
  } finally {
    await file?.close();
  }
}

/** A link is not followed, and a pipe does not block. */
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A file as a change that adds it, or why it cannot be read. */
async function readNewFile(path: string, workingDirectory: string): Promise<readonly FileChange[] | string> {
  if (path.endsWith("/")) return "a repository of its own";
  let file: FileHandle | undefined;
  try {
    file = await open(join(workingDirectory, path), PLAINLY);
    const about = await file.stat();
    if (!about.isFile()) return "not a regular file";
    if (about.size > MAX_FILE_BYTES) return "the file is too large";
    return [addedFile(path, await file.readFile())];
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
