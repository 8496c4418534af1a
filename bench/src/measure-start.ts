import type { MetricValues } from "./metrics.ts";
import { spreadOf } from "./summary.ts";

/** So many starts make one measurement. */
const START_COUNT = 5;

/** What it takes from the start of a process to its end: the middle of several. */
export async function measureStart(command: readonly string[]): Promise<MetricValues> {
  const wallMillis: number[] = [];
  const cpuMillis: number[] = [];
  for (let count = 0; count < START_COUNT; count++) {
    const startedAt = performance.now();
    const child = Bun.spawn([...command], {
      env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", NODE_NO_WARNINGS: "1" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const code = await child.exited;
    wallMillis.push(performance.now() - startedAt);
    if (code !== 0)
      throw new Error(`Error: ${command.join(" ")} ended with exit code ${code}: ${await child.stderr.text()}`);
    cpuMillis.push(Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000);
  }
  return {
    startWallMillis: spreadOf(wallMillis)?.median ?? Number.NaN,
    startCpuMillis: spreadOf(cpuMillis)?.median ?? Number.NaN,
  };
}
