import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findProcess, identifyThisProcess, isStartedBy } from "./process-identity.ts";

const own = await identifyThisProcess();

describe.skipIf(process.platform !== "linux")("a process", () => {
  test("knows its own number, when it started, and that it runs", async () => {
    expect(own).toEqual({
      processId: process.pid,
      startedAt: expect.stringMatching(/^\d+$/),
      machine: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(await findProcess(own, own)).toBe("running");
  });

  test("that started at another time than the one with its number has ended", async () => {
    expect(await findProcess({ ...own, startedAt: "1" }, own)).toBe("ended");
  });

  test("that is no more has ended", async () => {
    const child = spawn("true");
    await once(child, "exit");
    expect(await findProcess({ ...own, processId: child.pid ?? 0 }, own)).toBe("ended");
  });

  test.each([
    { title: "numbered by another machine or container", changes: { machine: "000000000000" } },
    { title: "without a number", changes: { processId: 0 } },
    { title: "whose start is unknown", changes: { startedAt: "" } },
  ])("$title may run or not", async ({ changes }) => {
    expect(await findProcess({ ...own, ...changes }, own)).toBe("unknown");
  });
});

describe.skipIf(process.platform !== "linux")("isStartedBy", () => {
  /** The identity of a process that was started by the one that this process starts. */
  async function withGrandchild(check: (child: number, grandchild: number) => Promise<void>): Promise<void> {
    const shell = spawn("sh", ["-c", "sleep 60 & echo $!; wait"], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = await once(shell.stdout, "data");
    const grandchild = Number(String(line));
    try {
      await check(shell.pid ?? 0, grandchild);
    } finally {
      process.kill(grandchild);
      await once(shell, "exit");
    }
  }

  test("knows the processes that started a process, over all generations, and no others", async () => {
    await withGrandchild(async (child, grandchild) => {
      const of = (processId: number) => ({ ...own, processId });
      expect(await isStartedBy(own, of(grandchild))).toBe(true);
      expect(await isStartedBy(own, of(child))).toBe(true);
      expect(await isStartedBy(of(grandchild), own)).toBe(false);
      expect(await isStartedBy(own, own)).toBe(false);
      expect(await isStartedBy({ ...own, startedAt: "1" }, of(grandchild))).toBe(false);
      expect(await isStartedBy({ ...own, machine: "000000000000" }, of(grandchild))).toBe(false);
    });
  });
});
