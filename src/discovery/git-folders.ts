import { join, resolve } from "node:path";
import { readBoundedFile } from "./read-bounded-file.ts";

/**
 * The folders that git keeps a repository's settings in: `.git`, or where a file of that name leads, which for a worktree
 * is two folders; a link on the way is not followed. Must not throw.
 */
export async function gitFoldersOf(folder: string): Promise<readonly string[]> {
  const path = join(folder, ".git");
  const leadsTo = /^gitdir:\s*(.+?)\s*$/m.exec(await textOf(path))?.[1];
  const own = leadsTo === undefined ? path : resolve(folder, leadsTo);
  const common = (await textOf(join(own, "commondir"))).trim();
  return common === "" ? [own] : [own, resolve(own, common)];
}

/** A folder has no text, and neither has what is not there. */
async function textOf(path: string): Promise<string> {
  return await readBoundedFile(path).catch(() => "");
}
