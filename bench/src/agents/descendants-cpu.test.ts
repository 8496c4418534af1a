import { expect, test } from "bun:test";
import { parseProcessTimes, sumDescendants } from "./descendants-cpu.ts";

test("a line of /proc contains the parent and the processor time, whatever the program's name", () => {
  const line = "41 (a) b (c) S 7 41 41 0 -1 4194560 900 0 0 0 25 5 100 200 20 0 1 0 100\n";
  expect(parseProcessTimes(line)).toEqual({ pid: 41, parentPid: 7, cpuMillis: 300 });
  expect(parseProcessTimes("")).toBeUndefined();
});

test("children and their children count, the process itself and others do not", () => {
  const processes = [
    { pid: 1, parentPid: 0, cpuMillis: 1_000 },
    { pid: 2, parentPid: 1, cpuMillis: 20 },
    { pid: 3, parentPid: 2, cpuMillis: 30 },
    { pid: 4, parentPid: 0, cpuMillis: 5_000 },
  ];
  expect(sumDescendants(processes, 1)).toBe(50);
});
