import { mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import path from "node:path";

/**
 * Makes those of the folders that are missing, since only what exists can be protected, and takes them away again. The way
 * back leaves a folder that has got something in it, or that another sandbox protects.
 */
export function makeGuardedFolders(folders: readonly string[]): () => void {
  const made = folders.filter((folder) => {
    try {
      mkdirSync(folder);
      return true;
    } catch {
      return false; // It is there, or the project cannot be written to anyway.
    }
  });
  return () => {
    for (const folder of made) {
      try {
        if (!isMounted(folder)) rmdirSync(folder);
      } catch {
        // It is not empty any more, or gone.
      }
    }
  };
}

/** Whether a process of this user has the folder, or one in it, mounted. */
export function isMounted(folder: string): boolean {
  const mark = ` ${folder.replaceAll(" ", "\\040")}`;
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(path.join("/proc", name, "mountinfo"), "utf8").includes(mark);
    } catch {
      return false; // It ended meanwhile, or is another user's.
    }
  });
}
