import { expect, test } from "bun:test";
import { rejectionOf } from "./rejection-of.ts";
import { waitUntil } from "./wait-until.ts";

test("a condition that becomes true in time is awaited, synchronous or not", async () => {
  const answers = [false, false, true];
  await waitUntil(async () => answers.shift() ?? false, "it is false");
  expect(answers).toEqual([]);
});

test("a condition that stays false is an error that says what was wrong at the end", async () => {
  const looks: number[] = [];
  const isTrue = () => looks.push(looks.length) < 0;
  expect(await rejectionOf(waitUntil(isTrue, "it is false", { timeoutMs: 0 }))).toEqual(
    new Error("Waited 0 ms in vain: it is false."),
  );
  expect(await rejectionOf(waitUntil(isTrue, () => `${looks.length} looks`, { timeoutMs: 1 }))).toEqual(
    new Error(`Waited 1 ms in vain: ${looks.length} looks.`),
  );
});
