import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Settings of {@link replaceFile}. */
export interface ReplaceFileOptions {
  /** Permission bits of the file. @default 0o600 */
  readonly mode?: number;
  /** Called when the new content is on disk, before it replaces the old one. If it throws, the old content stays. */
  readonly beforeReplace?: () => Promise<void>;
}

/**
 * Replaces a file atomically: a reader sees the old content or the new one, even after a power failure. Temporary file
 * next to it, fsync, rename, fsync of the folder. The folder must exist.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, beforeReplace }: ReplaceFileOptions = {},
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      // The process's umask may have removed bits.
      await file.chmod(mode);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await beforeReplace?.();
    await renameDurably(temporary, path);
  } catch (error) {
    // The first error is the one to report.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Renames a file or folder within its folder, and makes the new name durable. Its content must already be on disk. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Makes the names in a folder durable. Without effect where the system cannot sync a folder (Windows). */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The name is already in place; the system decides when it becomes durable.
  }
}
