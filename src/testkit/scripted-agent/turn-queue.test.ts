import { expect, test } from "bun:test";
import { TurnQueue } from "./turn-queue.ts";

/** Work that ends when it is told to, and notes that it began. */
function createWork(name: string, begun: string[]) {
  const { promise: done, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const begin = () => {
    begun.push(name);
    return { done };
  };
  return { begin, end, fail };
}

test("work that waits begins in the order of the calls, each after the one before has ended", async () => {
  const queue = new TurnQueue();
  const begun: string[] = [];
  const [one, two, three] = [createWork("one", begun), createWork("two", begun), createWork("three", begun)];
  queue.begin(one.begin);
  const second = queue.beginLater(two.begin, undefined);
  const third = queue.beginLater(three.begin, undefined);
  expect([begun, queue.isFree]).toEqual([["one"], false]);
  one.end();
  await second;
  expect(begun).toEqual(["one", "two"]);
  two.end();
  const last = await third;
  expect(begun).toEqual(["one", "two", "three"]);
  three.end();
  await last.done;
  expect(queue.isFree).toBe(true);
});

test("work that fails makes room as well", async () => {
  const queue = new TurnQueue();
  const begun: string[] = [];
  const [one, two] = [createWork("one", begun), createWork("two", begun)];
  queue.begin(one.begin);
  const second = queue.beginLater(two.begin, undefined);
  one.fail(new Error("broken"));
  await second;
  expect(begun).toEqual(["one", "two"]);
});

test("who gives up waiting lets nobody begin too early", async () => {
  const queue = new TurnQueue();
  const begun: string[] = [];
  const [one, two, three] = [createWork("one", begun), createWork("two", begun), createWork("three", begun)];
  queue.begin(one.begin);
  const second = queue.beginLater(two.begin, AbortSignal.abort(new Error("no patience")));
  const third = queue.beginLater(three.begin, undefined);
  expect(await second.catch((error: unknown) => error)).toEqual(new Error("no patience"));
  expect(begun).toEqual(["one"]);
  one.end();
  await third;
  expect(begun).toEqual(["one", "three"]);
});

test("what throws instead of beginning makes room", async () => {
  const queue = new TurnQueue();
  const refuse = (): never => {
    throw new Error("refused");
  };
  expect(await queue.beginLater(refuse, undefined).catch((error: unknown) => error)).toEqual(new Error("refused"));
  expect(queue.isFree).toBe(true);
});
