import { readFile } from "node:fs/promises";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import type { MachineFacts } from "./format-report.ts";
import type { Runtime } from "./runtimes.ts";

const PEERS = [
  "@langchain/langgraph",
  "@langchain/langgraph-checkpoint-sqlite",
  "@mastra/core",
  "@mastra/libsql",
  "xstate",
];

/** What the numbers are measured on and with. */
export async function readMachineFacts(benchFolder: string, runtimes: readonly Runtime[]): Promise<MachineFacts> {
  const processors = cpus();
  const folders = [join(benchFolder, ".."), ...PEERS.map((name) => join(benchFolder, "node_modules", name))];
  return {
    processor: processors[0]?.model.trim() ?? "unknown processor",
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    runtimes: runtimes.map(({ name }) => name),
    packages: await Promise.all(folders.map(readPackageName)),
  };
}

async function readPackageName(folder: string): Promise<string> {
  // The cast is true: npm writes both into every package.
  const facts = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { name: string; version: string };
  return `${facts.name} ${facts.version}`;
}
