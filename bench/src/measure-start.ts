import type { MetricValues } from "./metrics.ts";
import { spreadOf } from "./spread.ts";

/** How many starts make one measurement. */
const START_COUNT = 5;

/** The time from the start of a process to its end: the median of several. Each one has a time limit. */
export async function measureStart(
  command: readonly string[],
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<MetricValues> {
  const wallMillis: number[] = [];
  const cpuMillis: number[] = [];
  for (let count = 0; count < START_COUNT; count++) {
    const startedAt = performance.now();
    const child = Bun.spawn([...command], {
      env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", NODE_NO_WARNINGS: "1" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    const code = await child.exited;
    wallMillis.push(performance.now() - startedAt);
    if (child.signalCode !== null) {
      const limit = `it has ${timeoutMs} ms to start and to end`;
      throw new Error(`Error: ${command.join(" ")} was ended by ${child.signalCode}; ${limit}.`);
    }
    if (code !== 0)
      throw new Error(`Error: ${command.join(" ")} ended with exit code ${code}: ${await child.stderr.text()}`);
    cpuMillis.push(Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000);
  }
  return {
    startWallMillis: spreadOf(wallMillis)?.median ?? Number.NaN,
    startCpuMillis: spreadOf(cpuMillis)?.median ?? Number.NaN,
  };
}
