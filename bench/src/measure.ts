import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { PrepareCase, PreparedCase, StorageFacts } from "./engine.ts";
import { measureHeap } from "./measure-heap.ts";
import type { MetricValues } from "./metrics.ts";
import { type BenchCase, findCase } from "./scenarios.ts";
import { watchMemory } from "./watch-memory.ts";
import { assertFinished, type StepsWork } from "./workload.ts";

/** What one process has measured. */
export interface Measurement {
  readonly values: MetricValues;
  readonly storage?: StorageFacts;
}

/** The measured part takes at least this long … */
const MEASURED_MS = 600;
/** … after so much running that is not measured. */
const WARM_UP_MS = 500;
/** A single run that takes this long needs no warming up. */
const LONG_RUN_MS = 3_000;

// This file is a program of its own, run once per measurement: `node measure.js <case> <engine's file>`. It prints one
// line of JSON.
const [caseId = "", engineFile = ""] = process.argv.slice(2);
// The cast is true: every engine's file exports `prepare`.
const { prepare } = (await import(engineFile)) as { readonly prepare: PrepareCase };
const folder = await mkdtemp(join(import.meta.dirname, "data-"));
try {
  console.log(JSON.stringify(await measure(findCase(caseId), prepare)));
} finally {
  await rm(folder, { recursive: true, force: true });
}
// A run that waits would keep the process alive.
process.exit();

async function measure(benchCase: BenchCase, prepareCase: PrepareCase): Promise<Measurement> {
  const { method, work } = benchCase;
  if (method === "memory" && work.type === "steps") return await measureMemory(benchCase, work, prepareCase);
  if (method === "heap") return { values: { heapBytes: await measureHeap(benchCase, prepareCase, folder) } };
  const prepared = await prepareCase(benchCase, folder);
  const ran = await measureTime(prepared, benchCase);
  return await finish(prepared, ran);
}

/** Runs of a case, and the time that the measured ones of them took. */
interface Ran {
  readonly values: MetricValues;
  /** All runs that left something on the disk. */
  readonly runs: number;
}

async function finish(prepared: PreparedCase, { values, runs }: Ran): Promise<Measurement> {
  const storage = prepared.storageFacts();
  await prepared.close();
  if (storage === undefined) return { values };
  return { values: { ...values, diskBytes: (await folderBytes()) / runs }, storage };
}

async function measureTime(prepared: PreparedCase, benchCase: BenchCase): Promise<Ran> {
  const isOnce = benchCase.method === "once";
  const first = await measureRuns(prepared, benchCase, isOnce ? 0 : WARM_UP_MS);
  if (isOnce || (first.runs === 1 && first.wallMillis > LONG_RUN_MS)) return first;
  const second = await measureRuns(prepared, benchCase, MEASURED_MS);
  return { values: second.values, runs: first.runs + second.runs };
}

/** Runs a case for so long, and at least once. */
async function measureRuns(
  prepared: PreparedCase,
  { work }: BenchCase,
  minimumMs: number,
): Promise<Ran & { readonly wallMillis: number }> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let runs = 0;
  do {
    assertFinished(work, await prepared.run());
    runs++;
  } while (performance.now() < startedAt + minimumMs);
  const wallMillis = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const steps = runs * work.stepCount;
  return { values: { cpuMicros: (user + system) / steps, wallMicros: (wallMillis * 1000) / steps }, runs, wallMillis };
}

/** Runs a case once and looks at the memory of the process on the way. */
async function measureMemory(benchCase: BenchCase, work: StepsWork, prepareCase: PrepareCase): Promise<Measurement> {
  const memory = watchMemory(work);
  const watched = { ...benchCase, work: memory.work };
  const prepared = await prepareCase(watched, folder);
  const { values, runs } = await measureRuns(prepared, watched, 0);
  return await finish(prepared, { values: { ...values, ...memory.values() }, runs });
}

/** What all files in the case's folder take. */
async function folderBytes(): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((total, size) => total + size, 0);
}
