import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, rmdir, symlink, unlink } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { whyDenied } from "../../clients/agent-kit.ts";
import { AtomicError, type PermissionPolicy } from "../../contracts/index.ts";
import type { FileChange } from "./file-change.ts";

/** A recording lacks a file that is too large for it, so it cannot be replayed beyond that turn. */
export class RecordingIncompleteError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly path: string,
    readonly bytes: number,
  ) {
    super(
      "RECORDING_INCOMPLETE",
      `The recording does not contain "${path}", which an agent wrote: ${bytes} bytes are too many. Have git ignore such files, and record the run again.`,
    );
  }
}

/** A recording changes what is not a file of the folder, so somebody else may have written it. */
export class RecordingUnsafeError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly path: string,
    problem = "which is not a file of the folder. Record the run again.",
  ) {
    super("RECORDING_UNSAFE", `The recording changes "${path}", ${problem}`);
  }
}

/** The permissions of the run deny a change of a file that a recording contains. */
export class RecordingDeniedError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(
      "RECORDING_DENIED",
      `The replay would change "${path}". ${reason} Replay it without that rule, or record the run again with it.`,
    );
  }
}

/** Settings of {@link applyChanges}. */
export interface ApplyChangesOptions {
  /** A change that this policy denies is not made. @default nothing is denied */
  readonly permissions?: PermissionPolicy;
}

const NO_RULES: PermissionPolicy = { rules: [] };

/**
 * Makes a turn's changes in a folder, given as an absolute path. A recording may come from somebody else, so:
 *
 * 1. All paths are checked before the first change is made: none leads out of the folder, or into git's own.
 * 2. Nothing is written or deleted through a link: a link above a file is an error, a link in its place is replaced.
 * 3. Only files and links are deleted, and the folders that become empty by that.
 * 4. What the run's policy denies is an error.
 *
 * @throws RecordingIncompleteError, RecordingUnsafeError, RecordingDeniedError, and what the file system throws
 */
export async function applyChanges(
  folder: string,
  changes: readonly FileChange[],
  { permissions = NO_RULES }: ApplyChangesOptions = {},
): Promise<void> {
  for (const change of changes) await assertAllowed(folder, change, permissions);
  // Deletions first: a file may take the place of a folder, and a folder that of a file or link.
  for (const change of changes) if (change.type === "deleted") await deleteFile(folder, change.path);
  for (const change of changes) if (change.type !== "deleted") await writeChange(folder, change);
}

async function assertAllowed(folder: string, change: FileChange, policy: PermissionPolicy): Promise<void> {
  const { path } = change;
  const parts = path.split("/");
  const isOutside = parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\0"));
  if (isOutside || parts.some((part) => part.toLowerCase() === ".git")) throw new RecordingUnsafeError(path);
  if (change.type === "left-out") throw new RecordingIncompleteError(path, change.bytes);
  const call = { kind: "edit", toolName: "edit", title: `Change ${path}`, paths: [path] } as const;
  const reason = await whyDenied({ id: "replay", sessionId: "replay", ...call }, { policy, workingDirectory: folder });
  if (reason !== undefined) throw new RecordingDeniedError(path, reason);
}

/** Whether the folder of a file exists. @throws RecordingUnsafeError where a link or a file is in its place */
async function hasFolder(folder: string, path: string): Promise<boolean> {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    const parent = parts.slice(0, depth).join("/");
    const stat = await statOf(join(folder, parent));
    if (stat === undefined) return false;
    if (stat.isDirectory()) continue;
    const what = stat.isSymbolicLink() ? "a link, and a replay follows none" : "no folder";
    throw new RecordingUnsafeError(path, `but "${parent}" is ${what}. Remove "${parent}", then replay it again.`);
  }
  return true;
}

/** Makes room where a file goes: deletes a file or link there. @throws RecordingUnsafeError for a folder */
async function removeFile(folder: string, path: string): Promise<void> {
  const stat = await statOf(join(folder, path));
  if (stat === undefined) return;
  if (stat.isDirectory()) {
    throw new RecordingUnsafeError(
      path,
      "which is a folder here, and a replay deletes only files. Move it away first.",
    );
  }
  await unlink(join(folder, path));
}

async function deleteFile(folder: string, path: string): Promise<void> {
  if (!(await hasFolder(folder, path))) return;
  await removeFile(folder, path);
  await removeEmptyFolders(folder, dirname(join(folder, path)));
}

async function writeChange(folder: string, change: Exclude<FileChange, { type: "deleted" }>): Promise<void> {
  const full = join(folder, change.path);
  await hasFolder(folder, change.path);
  await removeFile(folder, change.path);
  await mkdir(dirname(full), { recursive: true });
  if (change.type === "link") return await symlink(change.target, full);
  if (change.type === "left-out") return;
  // Only a new file: what appears in the meantime is not overwritten.
  const file = await open(full, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW);
  try {
    await file.writeFile(change.text ?? Buffer.from(change.base64 ?? "", "base64"));
    if (change.isExecutable) await file.chmod(0o755);
  } finally {
    await file.close();
  }
}

async function removeEmptyFolders(folder: string, path: string): Promise<void> {
  if (path === folder || !path.startsWith(folder + sep)) return;
  const entries = await readdir(path).catch(() => undefined);
  if (entries === undefined || entries.length > 0) return;
  await rmdir(path);
  await removeEmptyFolders(folder, dirname(path));
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
