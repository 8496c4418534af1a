import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Bundle } from "./bundle.ts";
import type { Measurement } from "./measure.ts";
import { measureStart } from "./measure-start.ts";
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

const TIMEOUT_MS = 180_000;

const run = promisify(execFile);

/** Measures a case once and notes the outcome in its result. */
export async function runMeasurement(result: CaseResult, runtime: Runtime, bundle: Bundle): Promise<void> {
  try {
    result.measurements.push(await measure(result.benchCase, runtime, bundle));
  } catch (error) {
    result.problem = nameProblem(error);
  }
}

async function measure(benchCase: BenchCase, runtime: Runtime, bundle: Bundle): Promise<Measurement> {
  if (benchCase.method !== "start") return await measureInProcess(benchCase, runtime, bundle);
  const command = [runtime.program, ...bundle.startArguments(benchCase.engine, runtime)];
  return { values: await measureStart(command, { timeoutMs: TIMEOUT_MS }) };
}

/** A process of its own for each measurement. */
async function measureInProcess(
  { id, engine, method }: BenchCase,
  runtime: Runtime,
  bundle: Bundle,
): Promise<Measurement> {
  const flags = method === "heap" || method === "memory" ? ["--expose-gc"] : [];
  const { stdout } = await run(runtime.program, [...flags, bundle.measureFile, id, bundle.engineFile(engine)], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", NODE_NO_WARNINGS: "1" },
    timeout: TIMEOUT_MS,
  });
  // The cast is true: measure.ts prints a measurement as its last line.
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measurement;
}

/** The line that names the error, out of all that a runtime prints when a program fails. */
export function nameProblem(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split("\n").map((line) => line.trim());
  return lines.find((line) => /^(\w*Error|error)\b.*:/.test(line)) ?? lines.join(" ");
}
