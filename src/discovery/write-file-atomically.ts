import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Settings of {@link writeFileAtomically}. */
export interface WriteFileOptions {
  /** Permission bits of the file. @default 0o600 */
  readonly mode?: number;
  /** Called when the new text is on disk and about to take the place of the old one; what it throws leaves the old one. */
  readonly beforeReplace?: () => Promise<void>;
}

/**
 * Replaces a file so that a reader, also one after a power failure, sees the old text or the new one and nothing in
 * between: temporary file beside it, fsync, rename, fsync of the folder. The folder must exist.
 */
export async function writeFileAtomically(
  path: string,
  text: string,
  { mode = 0o600, beforeReplace }: WriteFileOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      // The process's umask may have taken bits away.
      await file.chmod(mode);
      await file.writeFile(text, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await beforeReplace?.();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Makes a rename durable. Where the system cannot open or sync a folder (Windows), the rename itself has to do. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The new content is in place already; only its order relative to a power failure is the system's to choose.
  }
}
