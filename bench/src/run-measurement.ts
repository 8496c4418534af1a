import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Bundle } from "./bundle.ts";
import type { Measurement } from "./measure.ts";
import type { Runtime } from "./runtimes.ts";
import type { BenchCase } from "./scenarios.ts";

/** All measurements of one case on one runtime. */
export interface CaseResult {
  readonly scenarioId: string;
  readonly benchCase: BenchCase;
  readonly runtime: string;
  readonly measurements: Measurement[];
  /** What went wrong the last time that it did. */
  problem: string | undefined;
}

const run = promisify(execFile);

/** Measures a case once, in a process of its own, and notes the outcome in its result. */
export async function runMeasurement(result: CaseResult, runtime: Runtime, bundle: Bundle): Promise<void> {
  const { id, engine } = result.benchCase;
  try {
    const { stdout } = await run(runtime.program, [bundle.measureFile, id, bundle.engineFile(engine)], {
      env: { PATH: process.env.PATH, NODE_ENV: "production", NODE_NO_WARNINGS: "1" },
      timeout: 60_000,
    });
    // The cast is true: measure.ts prints a measurement as its last line.
    result.measurements.push(JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measurement);
  } catch (error) {
    result.problem = nameProblem(error);
  }
}

/** The line that names the error, out of all that a runtime prints when a program fails. */
function nameProblem(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split("\n").map((line) => line.trim());
  return lines.find((line) => /^(\w*Error|error)\b.*:/.test(line)) ?? lines.join(" ");
}
