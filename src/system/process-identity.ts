import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

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

function canBeSignalled(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // EPERM means that the process exists.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Fields 3 and 22 of /proc/PID/stat. The second field, in parentheses, may contain anything, spaces included. */
function parseStat(stat: string): { readonly state: string; readonly startedAt: string } {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
}
