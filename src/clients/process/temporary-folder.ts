import { lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findProcess, identifyThisProcess, type ProcessIdentity } from "../../system/index.ts";

/** A folder whose name says which process made it. */
const NAME = /^atomic-[a-z]+-(?<machine>[0-9a-f]{12})-(?<processId>\d+)-(?<startedAt>\d+)-[A-Za-z0-9]{6}$/;

/**
 * Makes a folder for temporary files that only the user can look into, and gives its real path. Its maker removes it. Those
 * of processes that were killed before they could are removed first, on Linux.
 *
 * @param within the folder that it is made in. @default the system's for temporary files
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
 * Removes a folder with all that is in it, links themselves and not what they lead to. What cannot be removed stays. Never
 * rejects. Idempotent.
 */
export async function removeTemporaryFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}

/** Folders of this user whose process has ended for certain; of other machines nobody here can tell. */
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
