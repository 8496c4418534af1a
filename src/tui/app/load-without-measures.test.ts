import { expect, test } from "bun:test";
import { loadWithoutMeasures, type TimeStamping } from "./load-without-measures.ts";

function timeStamp(): void {}

test("modules that are loaded find no function for measures, and it is back afterwards", async () => {
  const target: TimeStamping = { timeStamp };
  expect(await loadWithoutMeasures(async () => typeof target.timeStamp, target)).toBe("undefined");
  expect(target).toEqual({ timeStamp });
});

test("the function is back when the modules cannot be loaded", async () => {
  const target: TimeStamping = { timeStamp };
  const failed = loadWithoutMeasures(() => Promise.reject(new Error("no native library")), target);
  await expect(failed).rejects.toThrow("no native library");
  expect(target).toEqual({ timeStamp });
});

test("a console without the function stays as it is", async () => {
  const target: TimeStamping = {};
  await loadWithoutMeasures(() => Promise.resolve(), target);
  expect(Object.getOwnPropertyNames(target)).toEqual([]);
});

test("two loads at once leave the function", async () => {
  const target: TimeStamping = { timeStamp };
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const loads = [loadWithoutMeasures(() => first.promise, target), loadWithoutMeasures(() => second.promise, target)];
  first.resolve();
  await loads[0];
  second.resolve();
  await loads[1];
  expect(target).toEqual({ timeStamp });
});
