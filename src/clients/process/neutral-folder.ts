import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folder.ts";

/**
 * Creates an empty folder below another one to start programs in, and returns its path. Programs built with Bun execute
 * what a `tsconfig.json` of the folder that they start in, or of one above it, names: an empty one in this folder ends
 * that search.
 */
export async function makeNeutralFolder(parent: string): Promise<string> {
  const folder = path.join(parent, "empty");
  await mkdir(folder);
  await writeFile(path.join(folder, "tsconfig.json"), "{}");
  return folder;
}

/** Runs a function with a neutral folder and removes the folder afterwards. */
export async function inNeutralFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const parent = await makeTemporaryFolder("start");
  try {
    return await work(await makeNeutralFolder(parent));
  } finally {
    await removeTemporaryFolder(parent);
  }
}
