import { readFile } from "node:fs/promises";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import type { MachineFacts } from "./format-report.ts";

/** What the numbers are measured on, and with: the packages in these folders, and runtimes by their names. */
export async function readMachineFacts(
  packageFolders: readonly string[],
  runtimes: readonly string[],
): Promise<MachineFacts> {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? "unknown processor",
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    runtimes,
    packages: await Promise.all(packageFolders.map(readPackageName)),
  };
}

async function readPackageName(folder: string): Promise<string> {
  // The cast is true: npm writes both into every package.
  const facts = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { name: string; version: string };
  return `${facts.name} ${facts.version}`;
}
