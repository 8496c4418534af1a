import { expect, test } from "bun:test";
import { measureStart } from "./measure-start.ts";

const HANGING = "setInterval(() => undefined, 1_000_000)";

test("a program that does not end is ended, and named", async () => {
  const command = [process.execPath, "-e", HANGING];
  await expect(measureStart(command, { timeoutMs: 50 })).rejects.toThrow(
    `Error: ${command.join(" ")} was ended by SIGKILL; it has 50 ms to start and to end.`,
  );
});

test("the error of a program that fails contains the reason", async () => {
  const command = [process.execPath, "-e", 'console.error("no engine"); process.exit(3)'];
  await expect(measureStart(command, { timeoutMs: 60_000 })).rejects.toThrow(
    `Error: ${command.join(" ")} ended with exit code 3: no engine\n`,
  );
});

test("a program that ends is measured", async () => {
  const { startWallMillis, startCpuMillis } = await measureStart([process.execPath, "-e", ""], { timeoutMs: 60_000 });
  expect([Number(startWallMillis) > 0, Number(startCpuMillis) > 0]).toEqual([true, true]);
});
