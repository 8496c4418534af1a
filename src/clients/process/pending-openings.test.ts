import { expect, test } from "bun:test";
import { PendingOpenings } from "./pending-openings.ts";

const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

test("what is opened is returned, and what fails tells why", async () => {
  const openings = new PendingOpenings();
  expect(await openings.run(async () => 7)).toBe(7);
  const failed = openings.run(() => Promise.reject(new Error("locked")));
  expect(await failure(failed)).toEqual(new Error("locked"));
});

test("a stop is told in the place of what it brings about, and does not concern what is opened later", async () => {
  const openings = new PendingOpenings();
  const { promise, reject } = Promise.withResolvers<never>();
  const pending = failure(openings.run(() => promise));
  openings.stop(new Error("stopped"));
  reject(new Error("connection reset"));
  expect(await pending).toEqual(new Error("stopped"));
  expect(await openings.run(async (signal) => signal.aborted)).toBe(false);
});
