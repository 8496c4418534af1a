import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A program that runs JavaScript. */
export interface Runtime {
  /** For example `Node 26.10.0`. */
  readonly name: string;
  readonly program: string;
  /** Bun, and Node since version 22: those that have `node:sqlite`. */
  readonly isCurrent: boolean;
  /** Whether the package's exports give this runtime TypeScript. */
  readonly readsTypeScript: boolean;
}

const run = promisify(execFile);

/** Finds the runtimes to measure on: Bun, the given Node, and the Node that started npm when it is another version. */
export async function findRuntimes(ownNode: string): Promise<readonly Runtime[]> {
  // npm puts its bin folders before the others, so that `node` on the PATH may be any Node.
  const usersNode = process.env.npm_node_execpath ?? "node";
  const own = await nodeRuntime(ownNode);
  const users = await nodeRuntime(usersNode);
  const bun = { name: `Bun ${Bun.version}`, program: process.execPath, isCurrent: true, readsTypeScript: true };
  return users.name === own.name ? [bun, own] : [bun, own, users];
}

async function nodeRuntime(program: string): Promise<Runtime> {
  const { stdout } = await run(program, ["--version"]);
  const version = stdout.trim().replace(/^v/, "");
  const isCurrent = Number.parseInt(version, 10) >= 22;
  return { name: `Node ${version}`, program, isCurrent, readsTypeScript: false };
}
