import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Writes what keeps OpenCode from installing its plugin package in the background into a folder for settings: one of
 * its own that looks as if that had been done. A folder whose `package.json` is the user's stays as it is. Idempotent.
 */
export async function prepareConfigHome(configHome: string): Promise<void> {
  const folder = path.join(configHome, "opencode");
  await mkdir(path.join(folder, "node_modules"), { recursive: true });
  const manifest = { dependencies: { "@opencode-ai/plugin": "*" } };
  const lock = { lockfileVersion: 3, packages: { "": manifest } };
  const isOurs = await placeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  if (isOurs) await placeFile(path.join(folder, "package-lock.json"), JSON.stringify(lock));
}

/** Writes a file unless there is one. False when there is one with another text. */
async function placeFile(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return (await readFile(file, "utf8")) === text;
  }
}
