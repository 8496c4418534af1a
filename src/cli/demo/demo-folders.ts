import { mkdir, mkdtemp, realpath, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folders of a demo; nothing is left anywhere else. */
export interface DemoFolders {
  readonly root: string;
  readonly project: string;
  readonly atomicHome: string;
  readonly agentHome: string;
  readonly temporary: string;
}

/** Creates the folders of a demo, whose agents are those that are installed in the user's own Atomic folder. */
export async function createDemoFolders(userAtomicHome: string): Promise<DemoFolders> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "atomic-demo-")));
  const folders: DemoFolders = {
    root,
    project: join(root, "project"),
    atomicHome: join(root, "atomic-home"),
    agentHome: join(root, "agent-home"),
    temporary: join(root, "tmp"),
  };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
  // A link to a folder that does not exist is as good as none.
  await symlink(join(userAtomicHome, "vendor"), join(folders.atomicHome, "vendor"));
  return folders;
}
