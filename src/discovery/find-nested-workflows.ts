import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { DiscoveryProblem } from "../contracts/index.ts";
import { readBoundedFile } from "./read-bounded-file.ts";

/** So many files in subfolders are read. */
const MAX_FILES = 200;

/**
 * A warning about each file in a subfolder of a folder of workflows whose text looks like a workflow: only files directly in
 * the folder are loaded by name. Helpers, `node_modules` and hidden folders are left out. Must not throw.
 *
 * @param isMeantAsWorkflow whether an author may expect a file of this name to be loaded
 */
export async function findNestedWorkflows(
  root: string,
  isMeantAsWorkflow: (name: string) => boolean,
): Promise<readonly DiscoveryProblem[]> {
  const problems: DiscoveryProblem[] = [];
  const folders = [root];
  let count = 0;
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        // Folders are added while they are read.
        if (!/^[_.]|^node_modules$/.test(entry.name)) folders.push(path);
      } else if (folder !== root && entry.isFile() && isMeantAsWorkflow(entry.name) && count++ < MAX_FILES) {
        if (await looksLikeWorkflow(path)) problems.push(describeNested(path, root));
      }
    }
  }
  return problems;
}

async function looksLikeWorkflow(path: string): Promise<boolean> {
  const text = await readBoundedFile(path).catch(() => "");
  return /\bexport\s+default\b/.test(text) && /\.compile\(/.test(text);
}

function describeNested(path: string, root: string): DiscoveryProblem {
  return {
    path,
    message: "It looks like a workflow, but no name finds files in subfolders",
    remedy: `Move it to ${root}, or rename it to _${basename(path)} if it is a helper; its path runs it, too.`,
    severity: "warning",
  };
}
