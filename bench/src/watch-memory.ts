import type { MetricName, MetricValues } from "./metrics.ts";
import type { BenchState, StepsWork } from "./workload.ts";

/** The steps at which the memory of the process is measured. */
const RSS_METRICS: ReadonlyMap<number, MetricName> = new Map([
  [10_000, "rssBytesAt10k"],
  [50_000, "rssBytesAt50k"],
  [100_000, "rssBytesAt100k"],
  [200_000, "rssBytesAt200k"],
]);

/**
 * The growth of the heap is measured between these steps, after warm-up. Measuring the heap collects its garbage, so it
 * starts at the last step whose RSS has a goal, after that RSS was read.
 */
const FIRST_HEAP_STEP = 100_000;
const LAST_HEAP_STEP = 200_000;

/** A long run that is watched. */
export interface WatchedWork {
  /** The same work; its steps look at the memory. */
  readonly work: StepsWork;
  /** What was seen. Called when the work is done. */
  values(): MetricValues;
}

/** Looks at a process, in bytes. */
export interface MemoryReader {
  rss(): number;
  /** What is left of the heap without garbage. */
  usedHeap(): number;
}

/** Watches the memory of this process from within the steps of a run; `values()` throws when the run was too short. */
export function watchMemory(work: StepsWork, memory: MemoryReader = OWN_MEMORY): WatchedWork {
  const seen: { [Name in MetricName]?: number } = {};
  const heaps = new Map<number, number>();
  const body = (state: BenchState) => {
    // The last step is measured before it is done: no step follows it.
    const step = state.count + 1;
    const metric = RSS_METRICS.get(step);
    if (metric !== undefined) seen[metric] = memory.rss();
    if (step === FIRST_HEAP_STEP || step === LAST_HEAP_STEP) heaps.set(step, memory.usedHeap());
    return work.body(state);
  };
  const values = () => {
    const [first, last] = [heaps.get(FIRST_HEAP_STEP), heaps.get(LAST_HEAP_STEP)];
    if (first === undefined || last === undefined) throw new Error("The run was too short for watching its memory.");
    return { ...seen, heapGrowthBytes: (last - first) / (LAST_HEAP_STEP - FIRST_HEAP_STEP) };
  };
  return { work: { ...work, body }, values };
}

const OWN_MEMORY: MemoryReader = { rss: () => process.memoryUsage.rss(), usedHeap };

function usedHeap(): number {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("The heap can only be measured where --expose-gc is set.");
  for (let round = 0; round < 3; round++) gc();
  return process.memoryUsage().heapUsed;
}
