import { readdir, readFile } from "node:fs/promises";

/** A process as `/proc` shows it. */
export interface ProcessTimes {
  readonly pid: number;
  readonly parentPid: number;
  /** Processor time of all its threads, in milliseconds. */
  readonly cpuMillis: number;
}

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const MILLIS_PER_TICK = 10;

/** Reads `/proc/PID/stat`; undefined for anything else. The program's name may hold blanks and brackets. Pure. */
export function parseProcessTimes(stat: string): ProcessTimes | undefined {
  const [, pid, rest] = /^(\d+) \(.*\) (.*)$/s.exec(stat) ?? [];
  const fields = rest?.trim().split(" ").map(Number);
  // Indexes from the state, which comes after the name: parent 1, user time 11, system time 12.
  const [parentPid, userTicks, systemTicks] = [fields?.[1], fields?.[11], fields?.[12]];
  if (parentPid === undefined || userTicks === undefined || systemTicks === undefined) return undefined;
  return { pid: Number(pid), parentPid, cpuMillis: (userTicks + systemTicks) * MILLIS_PER_TICK };
}

/** The processor time of all descendants of a process. Pure. */
export function sumDescendants(processes: readonly ProcessTimes[], rootPid: number): number {
  const children = processes.filter(({ parentPid }) => parentPid === rootPid);
  return children.reduce((total, { pid, cpuMillis }) => total + cpuMillis + sumDescendants(processes, pid), 0);
}

/**
 * The processor time that the living descendants of a process have taken so far, in milliseconds; 0 on systems without
 * `/proc`.
 */
export async function readDescendantsCpu(rootPid: number): Promise<number> {
  const names = await readdir("/proc").catch(() => []);
  const stats = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => readFile(`/proc/${name}/stat`, "utf8").catch(() => "")),
  );
  return sumDescendants(
    stats.flatMap((stat) => parseProcessTimes(stat) ?? []),
    rootPid,
  );
}
