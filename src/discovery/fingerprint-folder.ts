import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Files to look at: a larger folder is not a folder of workflows. */
const MAX_FILES = 1_000;
const MAX_FOLDERS = 1_000;

/**
 * A fingerprint of the names, sizes and modification times of the code and JSON files in and below a folder, except
 * `node_modules` and hidden folders. Must not throw: unreadable files are ignored.
 */
export async function fingerprintFolder(folder: string): Promise<string> {
  const hash = createHash("sha1");
  const folders = [folder];
  let count = 0;
  let visited = 0;
  for (let current = folders.pop(); current !== undefined && count < MAX_FILES; current = folders.pop()) {
    // A file that is run by its path can be in any folder, such as the home folder.
    if (visited++ >= MAX_FOLDERS) break;
    const entries = await readdir(current, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      if (entry.name === "node_modules" || entry.name.startsWith(".")) continue;
      const path = join(current, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (/\.(?:[cm]?[jt]sx?|json)$/.test(entry.name) && count++ < MAX_FILES)
        hash.update(await describeFile(path));
    }
  }
  return hash.digest("hex").slice(0, 16);
}

async function describeFile(path: string): Promise<string> {
  const status = await stat(path).catch(() => undefined);
  return `${path}\n${status?.ino}\n${status?.size}\n${status?.mtimeMs}\n${status?.ctimeMs}\n`;
}
