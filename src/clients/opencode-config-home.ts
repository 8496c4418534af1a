import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Writes what keeps OpenCode from installing its plugin package in the background into a folder for settings: one of
 * its own that looks as if that had been done. Idempotent.
 */
export async function prepareConfigHome(configHome: string): Promise<void> {
  const folder = path.join(configHome, "opencode");
  await mkdir(path.join(folder, "node_modules"), { recursive: true });
  const manifest = { dependencies: { "@opencode-ai/plugin": "*" } };
  const lock = { lockfileVersion: 3, packages: { "": manifest } };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(path.join(folder, "package-lock.json"), JSON.stringify(lock));
}
