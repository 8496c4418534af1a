import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Writes files into a settings folder that keep OpenCode from installing its plugin package in the background: they look
 * as if it had been installed. A folder with a `package.json` of the user stays as it is. Idempotent.
 */
export async function prepareConfigHome(configHome: string): Promise<void> {
  const folder = path.join(configHome, "opencode");
  await mkdir(path.join(folder, "node_modules"), { recursive: true });
  const manifest = { dependencies: { "@opencode-ai/plugin": "*" } };
  const lock = { lockfileVersion: 3, packages: { "": manifest } };
  const isOurs = await placeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  if (isOurs) await placeFile(path.join(folder, "package-lock.json"), JSON.stringify(lock));
}

/** Writes a file unless it exists. Returns false if it exists with another text. */
async function placeFile(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return (await readFile(file, "utf8")) === text;
  }
}
