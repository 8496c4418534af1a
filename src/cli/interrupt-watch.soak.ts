import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { waitUntil } from "../testkit/conformance/wait-until.ts";
import { findProcesses, waitForNoProcess } from "./e2e/fixtures/processes.ts";

/** Starts a process that never returns in a terminal of its own, and waits until it is watched. */
async function startInTerminal(hangupSeconds: number) {
  const mark = randomUUID();
  let screen = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dirname, "fixtures/spin-process.ts"), String(hangupSeconds)],
    {
      env: { ...process.env, MARK: mark },
      terminal: {
        data: (_terminal, bytes) => {
          screen += decoder.decode(bytes, { stream: true });
        },
      },
    },
  );
  await waitUntil(
    async () => {
      const found = await findProcesses(mark);
      return screen.includes("watched") && found.some(({ command }) => command === "cat");
    },
    () => `Nothing watches: ${screen}`,
  );
  return { child, mark };
}

test("closing the terminal ends a process whose code never returns, and what watches it", async () => {
  const { child, mark } = await startInTerminal(1);
  child.terminal?.close();
  await child.exited;
  expect({ signal: child.signalCode, left: await waitForNoProcess(mark, 5_000) }).toEqual({
    signal: "SIGKILL",
    left: [],
  });
});

test("SIGTERM to the whole group ends it too", async () => {
  const { child, mark } = await startInTerminal(1);
  process.kill(-child.pid, "SIGTERM");
  await child.exited;
  expect({ signal: child.signalCode, left: await waitForNoProcess(mark, 5_000) }).toEqual({
    signal: "SIGKILL",
    left: [],
  });
});

test("a process that ends in time is not killed, and its watch ends with it", async () => {
  const { child, mark } = await startInTerminal(600);
  child.terminal?.close();
  await waitUntil(
    async () => (await findProcesses(mark)).filter(({ command }) => command === "sleep 1").length === 1,
    () => "The watch does not wait",
  );
  child.kill("SIGKILL");
  await child.exited;
  expect(await waitForNoProcess(mark, 10_000)).toEqual([]);
});
