import type { PrepareCase, PreparedCase } from "./engine.ts";
import type { BenchCase } from "./scenarios.ts";

/** How many runs are in progress when the heap is measured. */
const RUN_COUNT = 1_000;
/** How many runs come first, for what is compiled and cached once. */
const WARM_UP_COUNT = 100;

/** The heap of a run in progress, in bytes. */
export async function measureHeap(benchCase: BenchCase, prepareCase: PrepareCase, folder: string): Promise<number> {
  const { work } = benchCase;
  // Keeps the runs from being collected, as the resource that a node waits for would.
  const waiting: (() => void)[] = [];
  const body = (): Promise<never> => new Promise((_resolve, reject) => waiting.push(() => reject(new Error("Over"))));
  const watched = work.type === "steps" ? { ...benchCase, work: { ...work, body } } : benchCase;
  const prepared = await prepareCase(watched, folder);
  const begin = (count: number): Promise<readonly unknown[]> =>
    work.type === "steps" ? beginRuns(prepared, count, waiting) : finishRuns(prepared, count);
  const warmUp = await begin(WARM_UP_COUNT);
  const before = await usedHeap();
  const held = await begin(RUN_COUNT);
  const bytes = (await usedHeap()) - before;
  const isComplete = warmUp.length === WARM_UP_COUNT && held.length === RUN_COUNT;
  if (!isComplete || waiting.length !== (work.type === "steps" ? WARM_UP_COUNT + RUN_COUNT : 0)) {
    throw new Error(`${waiting.length} runs wait where ${WARM_UP_COUNT + RUN_COUNT} were begun.`);
  }
  return bytes / RUN_COUNT;
}

/** Starts runs, one after the other, each up to its wait. */
async function beginRuns(
  prepared: PreparedCase,
  count: number,
  waiting: readonly unknown[],
): Promise<readonly unknown[]> {
  const held: unknown[] = [];
  const target = waiting.length + count;
  while (waiting.length < target) {
    const before = waiting.length;
    held.push(prepared.run());
    while (waiting.length === before) await turn();
  }
  return held;
}

/** Runs up to their question, and keeps what their caller has of them. */
async function finishRuns(prepared: PreparedCase, count: number): Promise<readonly unknown[]> {
  const held: unknown[] = [];
  while (held.length < count) held.push(await prepared.run());
  return held;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function usedHeap(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("The heap can only be measured where --expose-gc is set.");
  for (let round = 0; round < 3; round++) {
    gc();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
