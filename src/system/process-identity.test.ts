import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findProcess, identifyThisProcess } from "./process-identity.ts";

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
