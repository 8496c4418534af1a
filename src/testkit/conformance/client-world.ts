import { test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { kill } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentCapability, PermissionPolicy } from "../../contracts/index.ts";
import { type ClientBench, can } from "./client-bench.ts";

/** Lets the agent do everything without asking. */
export const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

/** A test of what only agents with a capability do; for the others it is skipped, and its title says why. */
export function testIfAble(
  bench: ClientBench,
  capability: AgentCapability,
): (title: string, run: () => Promise<void>) => void {
  const isAble = can(bench, capability);
  return (title, run) => test.skipIf(!isAble)(isAble ? title : `${title} [no capability "${capability}"]`, run);
}

/** What a promise rejects with; rejects itself when the promise does not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );
}

/** A file in the working directory. */
export function fileIn(bench: ClientBench, name: string): BenchFile {
  return benchFile(join(bench.workFolder, name));
}

/** A file beside the working directory. */
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

/** How often a state outside of this process is looked at, in milliseconds. */
const LOOK_INTERVAL_MS = 20;

/** As long as a busy machine may need, and less than a case may take, so that the case fails with what was waited for. */
const WAIT_TIMEOUT_MS = 20_000;

/** Waits for what tells nobody when it happens, such as the end of another's process. Rejects when it does not. */
export async function waitUntil(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + WAIT_TIMEOUT_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Waited ${WAIT_TIMEOUT_MS} ms in vain: ${what}.`);
    await sleep(LOOK_INTERVAL_MS);
  }
}

/** Whether a process is there and has not ended. Only Linux tells of one that has, and that nobody has waited for. */
export function isAlive(pid: number): boolean {
  try {
    kill(pid, 0);
    if (!existsSync("/proc/self/stat")) return true;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The state stands behind the name, which is in parentheses.
    return !stat.startsWith("Z", stat.lastIndexOf(")") + 2);
  } catch {
    return false;
  }
}
