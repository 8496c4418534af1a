import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

/** The benchmarks' own Node, relative to the folder of the benchmarks. */
export const OWN_NODE = "node_modules/.bin/node";

/** Written by a finished installation; contains the lock file that was installed. */
const STAMP = "node_modules/.installed-lock.json";

/**
 * Installs the packages of the benchmarks unless those of the present lock file are there already.
 *
 * Install scripts are not run, but for the one that compiles better-sqlite3: it must be compiled for the benchmarks' own
 * Node, not for the one that runs npm.
 */
export async function installPeers(folder: string, report: (line: string) => void): Promise<void> {
  const lock = await readFile(join(folder, "package-lock.json"), "utf8");
  const stamp = join(folder, STAMP);
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === lock) return;
  report("Installing the other engines into bench/node_modules (once; compiling better-sqlite3 takes a minute) …");
  const installed = await runNpm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { folder });
  if (installed.code !== 0) throw new Error(`npm ci failed in ${folder}:\n${installed.output}`);
  // The package of Node brings its header files, so that the compiler needs no download.
  const nodeFolder = dirname(dirname(await realpath(join(folder, OWN_NODE))));
  const environment = { npm_config_nodedir: nodeFolder, npm_config_build_from_source: "true" };
  const compiled = await runNpm(["rebuild", "better-sqlite3"], { folder, environment, path: join(nodeFolder, "bin") });
  if (compiled.code !== 0) {
    report(`better-sqlite3 was not compiled; node:sqlite takes its place under LangGraph.\n${compiled.output}`);
  }
  await writeFile(stamp, lock);
}

interface RunNpmOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A folder to find programs in before all others. */
  readonly path?: string;
}

async function runNpm(args: readonly string[], options: RunNpmOptions): Promise<{ code: number; output: string }> {
  const { folder, environment = {}, path } = options;
  const paths = [...(path === undefined ? [] : [path]), process.env.PATH ?? ""];
  const child = spawn("npm", args, {
    cwd: folder,
    env: { ...process.env, ...environment, PATH: paths.join(delimiter) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, "close");
  return { code: Number(code ?? 1), output: Buffer.concat(chunks).toString("utf8") };
}
