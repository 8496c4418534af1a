import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PrepareCase, PreparedCase, StorageFacts } from "./engine.ts";
import { findCase } from "./scenarios.ts";
import { assertFinished, NODE_COUNT } from "./workload.ts";

/** What one process has measured. */
export interface Measurement {
  readonly cpuMicrosPerNode: number;
  readonly wallMicrosPerNode: number;
  /** Runs of the whole chain that were measured. */
  readonly runs: number;
  readonly storage?: StorageFacts;
}

/** The measured part takes at least this long … */
const MEASURED_MS = 600;
/** … after so much running that is not measured. */
const WARM_UP_MS = 500;

// This file is a program of its own, run once per measurement: `node measure.js <case> <engine's file>`. It prints one
// line of JSON.
const [caseId = "", engineFile = ""] = process.argv.slice(2);
// The cast is true: every engine's file exports `prepare`.
const { prepare } = (await import(engineFile)) as { readonly prepare: PrepareCase };
const folder = await mkdtemp(join(import.meta.dirname, "data-"));
try {
  const prepared = await prepare(findCase(caseId), folder);
  console.log(JSON.stringify(await measure(prepared)));
  prepared.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(prepared: PreparedCase): Promise<Measurement> {
  await repeat(prepared, WARM_UP_MS);
  const cpuBefore = process.cpuUsage();
  const wallBefore = performance.now();
  const runs = await repeat(prepared, MEASURED_MS);
  const { user, system } = process.cpuUsage(cpuBefore);
  const wallMicros = (performance.now() - wallBefore) * 1000;
  const nodes = runs * NODE_COUNT;
  const storage = prepared.storageFacts();
  return {
    cpuMicrosPerNode: (user + system) / nodes,
    wallMicrosPerNode: wallMicros / nodes,
    runs,
    ...(storage === undefined ? {} : { storage }),
  };
}

async function repeat(prepared: PreparedCase, minimumMs: number): Promise<number> {
  const endsAt = performance.now() + minimumMs;
  let runs = 0;
  while (performance.now() < endsAt) {
    assertFinished(await prepared.run());
    runs++;
  }
  return runs;
}
