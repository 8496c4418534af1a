import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { readBoundedBytes } from "./read-bounded-file.ts";

/** A larger folder is not a folder of workflows. */
const MAX_FILES = 1_000;

/** Hashes of files' contents, by the path below the folder of workflows. */
export type FileHashes = Readonly<Record<string, string>>;

/**
 * Hashes the code and JSON files in and below a project's folder of workflows, except `node_modules` and hidden folders.
 * Must not throw: unreadable files are left out.
 */
export async function hashWorkflowFiles(projectDirectory: string): Promise<FileHashes> {
  const root = join(projectDirectory, ".atomic", "workflows");
  const folders = [root];
  const hashes: [string, string][] = [];
  for (let current = folders.pop(); current !== undefined; current = folders.pop()) {
    for (const entry of await readdir(current, { withFileTypes: true }).catch(() => [])) {
      const path = join(current, entry.name);
      if (entry.name === "node_modules" || entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) folders.push(path);
      if (!/\.(?:[cm]?[jt]sx?|json)$/.test(entry.name) || hashes.length >= MAX_FILES) continue;
      const bytes = await readBoundedBytes(path).catch(() => undefined);
      if (bytes) hashes.push([relative(root, path), createHash("sha256").update(bytes).digest("hex").slice(0, 16)]);
    }
  }
  return Object.fromEntries(hashes.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The files that are new or have another content. Removed ones run no code. */
export function listChangedFiles(before: FileHashes, now: FileHashes): readonly string[] {
  return Object.keys(now).filter((path) => before[path] !== now[path]);
}
