import { expect, test } from "bun:test";
import { type MemoryReader, type WatchedWork, watchMemory } from "./watch-memory.ts";
import { counterSteps } from "./workload.ts";

/** A process whose memory grows with each look at it. */
function growingMemory(): { readonly looks: string[]; readonly memory: MemoryReader } {
  const looks: string[] = [];
  const look = (what: string): number => looks.push(what) * 100_000;
  return { looks, memory: { rss: () => look("rss"), usedHeap: () => look("heap") } };
}

/** Does a number of steps as an engine does. */
async function doSteps({ work }: WatchedWork, stepCount: number): Promise<void> {
  for (let count = 0; count < stepCount; count++) await work.body({ ...work.firstState, count });
}

test("collects no garbage before the last memory that a goal is about was read", async () => {
  const { looks, memory } = growingMemory();
  const watched = watchMemory(counterSteps("loop", 200_000), memory);
  await doSteps(watched, 200_000);
  expect(looks).toEqual(["rss", "rss", "rss", "heap", "rss", "heap"]);
  expect(watched.values()).toEqual({
    rssBytesAt10k: 100_000,
    rssBytesAt50k: 200_000,
    rssBytesAt100k: 300_000,
    rssBytesAt200k: 500_000,
    heapGrowthBytes: 2,
  });
});

test("a run that ends early is an error, not a growth of nothing", async () => {
  const watched = watchMemory(counterSteps("loop", 100_000), growingMemory().memory);
  await doSteps(watched, 100_000);
  expect(() => watched.values()).toThrow(new Error("The run was too short for watching its memory."));
});
