import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import path from "node:path";
import { openOddAgentBench } from "./fixtures/odd-agent-bench.ts";
import { processesWith } from "./fixtures/running-processes.ts";

setDefaultTimeout(30_000);

const bench = await openOddAgentBench(process.env.PATH ?? "");
afterAll(() => bench.stop());

async function waitUntil(isTrue: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!isTrue() && Date.now() < deadline) await Bun.sleep(20);
}

test("an agent and the commands that run for it end with Atomic, though it is killed", async () => {
  const marker = `marker-${crypto.randomUUID()}`;
  const program = path.join(import.meta.dir, "fixtures");
  const request = {
    options: {
      agentType: "odd",
      command: process.execPath,
      args: [path.join(program, "odd-agent.ts")],
      workingDirectory: bench.workFolder,
      env: { PATH: process.env.PATH ?? "", MARKER: marker },
    },
    prompt: `run ${JSON.stringify({ command: "sleep 300" })}`,
  };
  const child = Bun.spawn([process.execPath, path.join(program, "start-and-wait.ts"), JSON.stringify(request)], {
    env: { PATH: process.env.PATH ?? "" },
    stdout: "ignore",
  });
  // The shells that watch over the processes sleep for a while themselves.
  const left = () =>
    processesWith(marker).filter(({ commandLine: [file, ...args] }) => file !== "sh" && args.join(" ") !== "2");
  const isSleeping = () => left().some(({ commandLine }) => commandLine[0] === "sleep");
  await waitUntil(isSleeping, 10_000);
  expect(isSleeping()).toBe(true);
  child.kill("SIGKILL");
  await waitUntil(() => left().length === 0, 2_000);
  expect(left()).toEqual([]);
});
