import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

/** Identifies a process among all others, as far as the system allows. */
export interface ProcessIdentity {
  /** 0 when unknown. */
  readonly processId: number;
  /** When it started, in the system's own unit; "" when unknown. Distinguishes it from a later process with the same id. */
  readonly startedAt: string;
  /** Equal for processes whose ids can be compared: one host, one boot of it, one container. */
  readonly machine: string;
}

/**
 * The identity of this process.
 *
 * @param processId its id, required except on Linux
 */
export async function identifyThisProcess(processId = 0): Promise<ProcessIdentity> {
  try {
    const [stat, bootId, namespace] = await Promise.all([
      readFile("/proc/self/stat", "latin1"),
      readFile("/proc/sys/kernel/random/boot_id", "latin1"),
      readlink("/proc/self/ns/pid"),
    ]);
    const machine = digestOf(hostname(), bootId.trim(), namespace);
    return { processId: Number.parseInt(stat, 10), startedAt: parseStat(stat).startedAt, machine };
  } catch {
    // Not Linux, or a Linux without /proc.
    return { processId, startedAt: "", machine: digestOf(hostname()) };
  }
}

function digestOf(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 12);
}

/** Whether the process `other` is running, as far as the process `own` can see. */
export async function findProcess(
  other: ProcessIdentity,
  own: ProcessIdentity,
): Promise<"running" | "ended" | "unknown"> {
  if (other.machine !== own.machine || other.processId <= 0) return "unknown";
  if (!canBeSignalled(other.processId)) return "ended";
  if (other.startedAt === "") return "unknown";
  try {
    const { state, startedAt } = parseStat(await readFile(`/proc/${other.processId}/stat`, "latin1"));
    const isEnded = startedAt !== other.startedAt || state === "Z" || state === "X";
    return isEnded ? "ended" : "running";
  } catch {
    // It just ended, or /proc hides the processes of other users: the next check, or the heartbeat, will decide.
    return "unknown";
  }
}

/**
 * Whether the process `own` was started by the process `other`, or by one that it started. False where the system does not
 * say who started a process, as outside Linux without `ps`.
 */
export async function isStartedBy(other: ProcessIdentity, own: ProcessIdentity): Promise<boolean> {
  if ((await findProcess(other, own)) === "ended" || other.machine !== own.machine) return false;
  const seen = new Set<number>();
  for (let id = await findParent(own.processId); id > 1 && !seen.has(id); id = await findParent(id)) {
    if (id === other.processId) return true;
    seen.add(id);
  }
  return false;
}

/** The process that started another one; 0 when unknown. */
async function findParent(processId: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${processId}/stat`, "latin1").catch(() => undefined);
    if (stat !== undefined) return parseStat(stat).parentId;
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=", "-p", String(processId)]);
    return Number.parseInt(stdout, 10) || 0;
  } catch {
    // It ended, or there is no such program.
    return 0;
  }
}

function canBeSignalled(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // EPERM means that the process exists.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** What the system says of a process. */
export interface ProcessStat {
  readonly state: string;
  readonly parentId: number;
  readonly groupId: number;
  readonly startedAt: string;
}

/** Fields 3, 4, 5 and 22 of /proc/PID/stat. The second field, in parentheses, may contain anything, spaces included. */
export function parseStat(stat: string): ProcessStat {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    state: fields[0] ?? "",
    parentId: Number(fields[1] ?? 0),
    groupId: Number(fields[2] ?? 0),
    startedAt: fields[19] ?? "",
  };
}
