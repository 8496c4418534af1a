import { lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findProcess, identifyThisProcess, type ProcessIdentity } from "../../system/index.ts";

/** A folder whose name contains the process that created it. */
const NAME = /^atomic-[a-z]+-(?<machine>[0-9a-f]{12})-(?<processId>\d+)-(?<startedAt>\d+)-[A-Za-z0-9]{6}$/;

/**
 * Creates a temporary folder that only the user can read, and returns its real path. Its creator removes it. On Linux, first
 * removes the folders of processes that were killed.
 *
 * @param within the parent folder. @default the system's temporary folder
 */
export async function makeTemporaryFolder(purpose: string, within = tmpdir()): Promise<string> {
  const parent = await realpath(within);
  const own = await identifyThisProcess();
  const { machine, processId, startedAt } = own;
  if (startedAt === "") return mkdtemp(path.join(parent, `atomic-${purpose}-`));
  await removeAbandonedFolders(parent, own);
  return mkdtemp(path.join(parent, `atomic-${purpose}-${machine}-${processId}-${startedAt}-`));
}

/**
 * Removes a folder and everything in it, without following links. Leaves what cannot be removed. Never rejects. Idempotent.
 */
export async function removeTemporaryFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}

/** Folders of this user whose process has certainly ended. Processes of other machines cannot be checked. */
async function removeAbandonedFolders(parent: string, own: ProcessIdentity): Promise<void> {
  const user = (await lstat("/proc/self")).uid;
  const names = await readdir(parent).catch((): string[] => []);
  for (const name of names) {
    const { machine, processId, startedAt } = NAME.exec(name)?.groups ?? {};
    if (machine === undefined || startedAt === undefined) continue;
    if ((await findProcess({ machine, processId: Number(processId), startedAt }, own)) !== "ended") continue;
    const folder = path.join(parent, name);
    const stat = await lstat(folder).catch(() => undefined);
    if (stat?.isDirectory() === true && stat.uid === user) await removeTemporaryFolder(folder);
  }
}
