import { createHash } from "node:crypto";
import { lstat, mkdtemp, readdir, readFile, readlink, realpath, rm } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import path from "node:path";

/** Whose a folder is: a process of this machine. It stands in the folder's name. */
interface FolderOwner {
  /** Stands for the machine since its start and for the numbering of its processes: in another one a number means another process. */
  readonly place: string;
  readonly processId: string;
  /** When the process started, in the kernel's own unit: numbers are used again. */
  readonly startTime: string;
}

const NAME = /^atomic-[a-z]+-(?<place>[0-9a-f]{8})-(?<processId>\d+)-(?<startTime>\d+)-[A-Za-z0-9]{6}$/;

/**
 * Makes a folder for temporary files that only the user can look into, and gives its real path. Its maker removes it. Those
 * of processes that were killed before they could are removed first, on Linux.
 *
 * @param within the folder that it is made in. @default the system's for temporary files
 */
export async function makeTemporaryFolder(purpose: string, within = tmpdir()): Promise<string> {
  const parent = await realpath(within);
  const owner = await findOwner();
  if (owner === undefined) return mkdtemp(path.join(parent, `atomic-${purpose}-`));
  await removeAbandonedFolders(parent, owner.place);
  const { place, processId, startTime } = owner;
  return mkdtemp(path.join(parent, `atomic-${purpose}-${place}-${processId}-${startTime}-`));
}

/**
 * Removes a folder with all that is in it, links themselves and not what they lead to. What cannot be removed stays. Never
 * rejects. Idempotent.
 */
export async function removeTemporaryFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}

/** This process; nothing on systems that do not tell when a process started. */
async function findOwner(): Promise<FolderOwner | undefined> {
  if (platform() !== "linux") return undefined;
  try {
    const [boot, numbering, processId] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readlink("/proc/self/ns/pid"),
      readlink("/proc/self"),
    ]);
    const startTime = await startTimeOf(processId);
    const place = createHash("sha256").update(boot).update(numbering).digest("hex").slice(0, 8);
    return startTime === undefined ? undefined : { place, processId, startTime };
  } catch {
    return undefined;
  }
}

/** Folders of this user whose process has ended; of other places nobody here can tell. */
async function removeAbandonedFolders(parent: string, place: string): Promise<void> {
  const user = (await lstat("/proc/self")).uid;
  const found = (await readdir(parent).catch((): string[] => [])).map((name) => NAME.exec(name));
  for (const match of found) {
    const { place: where, processId, startTime } = match?.groups ?? {};
    if (match === null || processId === undefined || where !== place) continue;
    if ((await startTimeOf(processId)) === startTime) continue;
    const folder = path.join(parent, match[0]);
    const stat = await lstat(folder).catch(() => undefined);
    if (stat?.isDirectory() === true && stat.uid === user) await removeTemporaryFolder(folder);
  }
}

/** Nothing when there is no such process. */
async function startTimeOf(processId: string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => "");
  // The second field is the program's name, in which anything can stand; the start is the 22nd.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
