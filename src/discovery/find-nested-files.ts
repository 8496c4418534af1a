import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { DiscoveryProblem } from "../contracts/index.ts";
import { readBoundedFile } from "../system/index.ts";

/** So many entries of subfolders are looked at: a larger folder contains something else. */
const MAX_ENTRIES = 1_000;

/** What is loaded from a folder, and by what the text of such a file can be recognised. */
const KINDS = {
  workflows: {
    looksLike: (text: string) => /\bexport\s+default\b/.test(text) && /\.compile\(/.test(text),
    message: "It looks like a workflow, but no name finds files in subfolders",
    remedy: (name: string, root: string) =>
      `Move it to ${root}, or rename it to _${name} if it is a helper; its path runs it, too.`,
    severity: "warning",
  },
  tools: {
    looksLike: (text: string) => /["']@(?:bastani\/)?atomic\/plugin["']/.test(text),
    message: "It looks like a tool, but files in subfolders are not loaded",
    remedy: (name: string, root: string) => `Move it to ${root}, or rename it to _${name} if it is a helper.`,
    severity: "error",
  },
} as const;

/**
 * A problem for each file in a subfolder of a folder of workflows or tools whose text looks like one: only files directly in
 * the folder are loaded. Helpers, `node_modules` and hidden folders are left out. Executes nothing and must not throw.
 *
 * @param isMeant whether an author may expect a file of this name to be loaded
 */
export async function findNestedFiles(
  root: string,
  kind: keyof typeof KINDS,
  isMeant: (name: string) => boolean,
): Promise<readonly DiscoveryProblem[]> {
  const { looksLike, message, remedy, severity } = KINDS[kind];
  const problems: DiscoveryProblem[] = [];
  const folders = [root];
  let count = 0;
  // Folders are added while they are read.
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      if (folder !== root && count++ >= MAX_ENTRIES) return problems;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!/^[_.]|^node_modules$/.test(entry.name)) folders.push(path);
      } else if (folder !== root && entry.isFile() && isMeant(entry.name)) {
        const text = await readBoundedFile(path).catch(() => "");
        if (looksLike(text)) problems.push({ path, message, remedy: remedy(basename(path), root), severity });
      }
    }
  }
  return problems;
}
