import type { PrepareCase, PreparedCase } from "./engine.ts";
import type { BenchCase } from "./scenarios.ts";

/** So many runs are under way when the heap is measured. */
const RUN_COUNT = 1_000;
/** What is compiled and cached once, in so many runs before, is no run's. */
const WARM_UP_COUNT = 100;

/** The heap that one run under way takes, in bytes. */
export async function measureHeap(benchCase: BenchCase, prepareCase: PrepareCase, folder: string): Promise<number> {
  const { work } = benchCase;
  // As whatever a node waits for would, this holds on to the runs: otherwise the garbage collector takes them.
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

/** Begins runs, one after the other, until each has come to where it waits. */
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

/** Runs until they ask, and holds what their caller has of them. */
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
