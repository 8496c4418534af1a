import { expect, test } from "bun:test";
import { createEventQueue } from "./event-queue.ts";

async function readAll<T>(queue: AsyncIterable<T>): Promise<readonly T[]> {
  const events: T[] = [];
  for await (const event of queue) events.push(event);
  return events;
}

test("a reader gets everything in order, whether it came before or while it reads", async () => {
  const queue = createEventQueue<number>();
  queue.push(1);
  queue.push(2);
  const reading = readAll(queue);
  await Promise.resolve();
  queue.push(3);
  queue.close();
  queue.push(4);
  expect(await reading).toEqual([1, 2, 3]);
});

test("a closed, empty queue ends at once", async () => {
  const queue = createEventQueue<number>();
  queue.close();
  expect(await readAll(queue)).toEqual([]);
});

test("what a reader causes while it reads is read, too", async () => {
  const queue = createEventQueue<number>();
  queue.push(1);
  const seen: number[] = [];
  for await (const event of queue) {
    seen.push(event);
    if (event < 5) queue.push(event + 1);
    else queue.close();
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});
