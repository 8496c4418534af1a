import { describe, expect, test } from "bun:test";
import { PendingOpenings } from "./pending-openings.ts";

const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

test("returns what was opened, or throws its error", async () => {
  const openings = new PendingOpenings();
  expect(await openings.run(async () => 7)).toBe(7);
  const failed = openings.run(() => Promise.reject(new Error("locked")));
  expect(await failure(failed)).toEqual(new Error("locked"));
});

test("a stop is reported instead of the error that it causes, and does not affect later openings", async () => {
  const openings = new PendingOpenings();
  const { promise, reject } = Promise.withResolvers<never>();
  const pending = failure(openings.run(() => promise));
  openings.stop(new Error("stopped"));
  reject(new Error("connection reset"));
  expect(await pending).toEqual(new Error("stopped"));
  expect(await openings.run(async (signal) => signal.aborted)).toBe(false);
});

describe("a conversation that is opened by several at once", () => {
  test("is opened one after the other, whatever became of the one before; another one meanwhile", async () => {
    const openings = new PendingOpenings();
    const log: string[] = [];
    const first = Promise.withResolvers<void>();
    const open = (name: string, until?: Promise<void>) => async () => {
      log.push(`${name} begins`);
      await until;
      log.push(`${name} ends`);
    };
    const failed = failure(openings.runInTurn("a", open("first", first.promise)));
    const second = openings.runInTurn("a", open("second"));
    await openings.runInTurn("b", open("other"));
    first.reject(new Error("locked"));
    expect(await failed).toEqual(new Error("locked"));
    await second;
    expect(log).toEqual(["first begins", "other begins", "other ends", "second begins", "second ends"]);
  });

  test("is not begun any more by who waited when a stop came", async () => {
    const openings = new PendingOpenings();
    const first = Promise.withResolvers<number>();
    const begun = Promise.withResolvers<void>();
    const opened = openings.runInTurn("a", () => {
      begun.resolve();
      return first.promise;
    });
    await begun.promise;
    let hasBegun = false;
    const waiting = failure(
      openings.runInTurn("a", async () => {
        hasBegun = true;
      }),
    );
    openings.stop(new Error("stopped"));
    first.resolve(7);
    expect([await opened, await waiting, hasBegun]).toEqual([7, new Error("stopped"), false]);
  });
});
