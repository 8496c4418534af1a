import { expect, test } from "bun:test";
import { AwaitableLog } from "./awaitable-log.ts";

test("entries, past and future, can be waited for", async () => {
  const log = new AwaitableLog<string>();
  log.add("a");
  const future = log.waitFor((entry) => entry === "b");
  log.add("b");
  expect([await log.waitFor((entry) => entry === "a"), await future]).toEqual(["a", "b"]);
});

test("forgotten entries are counted but not found, and waiters miss no later entry", async () => {
  const log = new AwaitableLog<string>();
  log.add("a");
  log.add("b");
  const seen: [string, number][] = [];
  const waiting = log.waitFor((entry, index) => {
    seen.push([entry, index]);
    return entry === "d";
  });
  log.forget();
  log.add("c");
  expect({ entries: log.entries, count: log.count }).toEqual({ entries: ["c"], count: 3 });
  log.forget();
  log.add("d");
  expect(await waiting).toBe("d");
  expect(seen).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["d", 3],
  ]);
  expect(await log.waitFor(() => true)).toBe("d");
});

test("a waiter without a match receives the reason", async () => {
  const log = new AwaitableLog<string>();
  const stopped = new Error("stopped");
  const aborted = new AbortController();
  const waits = [log.waitFor(() => false, aborted.signal), log.waitFor(() => false)];
  const reasons = Promise.all(waits.map((wait) => wait.catch((error: unknown) => error)));
  aborted.abort("enough");
  log.close(stopped);
  expect(await reasons).toEqual(["enough", stopped]);
  await expect(log.waitFor(() => false)).rejects.toBe(stopped);
});
