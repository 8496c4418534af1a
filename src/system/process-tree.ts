import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { kill } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type ProcessStat, parseStat } from "./process-identity.ts";

/** How often processes that may still clean up are looked at, in milliseconds. */
const POLL_MS = 50;

/** A process, and when it started, which distinguishes it from a later one with its id. */
export interface TreeProcess {
  readonly processId: number;
  readonly startedAt: string;
}

/**
 * What the leader of a process group has started, directly or not, that is in another group, as after `setsid`. A process
 * whose parent has ended is not found: the system has given it another parent. Empty where nothing says who started a
 * process, as outside Linux without `ps`. Never rejects.
 */
export async function findOutsideGroup(leaderId: number): Promise<readonly TreeProcess[]> {
  const all = await listProcesses();
  const children = new Map<number, number[]>();
  for (const [id, { parentId }] of all) children.set(parentId, [...(children.get(parentId) ?? []), id]);
  const found = new Set([leaderId]);
  // Children are added while they are read.
  for (const id of found) for (const child of children.get(id) ?? []) found.add(child);
  return [...found].flatMap((processId) => {
    const stat = all.get(processId);
    return stat === undefined || stat.groupId === leaderId ? [] : [{ processId, startedAt: stat.startedAt }];
  });
}

/** Signals those of the processes that are still running. Never rejects. */
export async function signalProcesses(processes: readonly TreeProcess[], signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  for (const { processId } of await listRunning(processes)) {
    try {
      kill(processId, signal);
    } catch {
      // It has just ended, or is another user's.
    }
  }
}

/** Waits until the processes have ended, then ends those that take longer than the grace period. Never rejects. */
export async function endProcesses(
  processes: readonly TreeProcess[],
  { graceMs }: { readonly graceMs: number },
): Promise<void> {
  const end = Date.now() + graceMs;
  for (let left = processes; ; await sleep(POLL_MS)) {
    left = await listRunning(left);
    if (left.length === 0) return;
    if (Date.now() >= end) return await signalProcesses(left, "SIGKILL");
  }
}

async function listRunning(processes: readonly TreeProcess[]): Promise<readonly TreeProcess[]> {
  if (processes.length === 0) return [];
  const all = await listProcesses();
  return processes.filter(({ processId, startedAt }) => {
    const now = all.get(processId);
    return now?.startedAt === startedAt && now.state !== "Z" && now.state !== "X";
  });
}

/** All processes by their ids. */
async function listProcesses(): Promise<ReadonlyMap<number, ProcessStat>> {
  try {
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    if (ids.length > 0) return new Map((await Promise.all(ids.map(readProcess))).flat());
  } catch {
    // Not Linux.
  }
  try {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="], {
      maxBuffer: 64 * 1_048_576,
    });
    const lines = [...stdout.matchAll(/^ *(\d+) +(\d+) +(\d+) +(\S)\S* +(\S.*)$/gm)];
    return new Map(
      lines.map(([, id, parentId, groupId, state = "", startedAt = ""]) => [
        Number(id),
        { parentId: Number(parentId), groupId: Number(groupId), state, startedAt },
      ]),
    );
  } catch {
    return new Map();
  }
}

/** Empty for one that has just ended. */
async function readProcess(id: number): Promise<readonly (readonly [number, ProcessStat])[]> {
  try {
    return [[id, parseStat(await readFile(`/proc/${id}/stat`, "latin1"))]];
  } catch {
    return [];
  }
}
