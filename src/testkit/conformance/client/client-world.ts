import { test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { kill } from "node:process";
import type { AgentCapability, PermissionPolicy } from "../../../contracts/index.ts";
import { type ClientBench, can } from "./client-bench.ts";

/** Allows everything without asking. */
export const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

/** A test for agents with a capability. For others it is skipped, and its title says why. */
export function testIfAble(
  bench: ClientBench,
  capability: AgentCapability,
): (title: string, run: () => Promise<void>) => void {
  const isAble = can(bench, capability);
  return (title, run) => test.skipIf(!isAble)(isAble ? title : `${title} [no capability "${capability}"]`, run);
}

/** A file in the working directory. */
export function fileIn(bench: ClientBench, name: string): BenchFile {
  return benchFile(join(bench.workFolder, name));
}

/** A file next to the working directory. */
export function fileBeside(bench: ClientBench, name: string): BenchFile {
  return benchFile(join(dirname(bench.workFolder), name));
}

/** A file that an agent may have made. */
export interface BenchFile {
  readonly path: string;
  exists(): boolean;
}

function benchFile(path: string): BenchFile {
  return { path, exists: () => existsSync(path) };
}

/** Whether a process is running. Only on Linux is a zombie recognised as ended. */
export function isAlive(pid: number): boolean {
  try {
    kill(pid, 0);
    if (!existsSync("/proc/self/stat")) return true;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The state comes after the name, which is in parentheses.
    return !stat.startsWith("Z", stat.lastIndexOf(")") + 2);
  } catch {
    return false;
  }
}
