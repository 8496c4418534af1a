import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";

test("keys that were pressed before are forgotten", async () => {
  const input = new PassThrough();
  input.write("y\r");
  expect(await waitForQuietKeyboard(input)).toBe(true);
  expect(input.read()).toBeNull();
});

test("keys that were pressed between two questions are forgotten, too", async () => {
  const input = new PassThrough();
  await waitForQuietKeyboard(input);
  input.write("y\r");
  expect(await waitForQuietKeyboard(input)).toBe(true);
  expect(input.read()).toBeNull();
});

test("as long as a key is held, nothing is asked", async () => {
  const input = new PassThrough();
  const presses = { count: 0 };
  const timer = setInterval(() => {
    presses.count += 1;
    input.write("\r");
    if (presses.count === 20) clearInterval(timer);
  }, 30);
  expect(await waitForQuietKeyboard(input)).toBe(true);
  expect(presses.count).toBe(20);
});

test("Ctrl+C is heard meanwhile", async () => {
  const input = new PassThrough();
  input.write("\u0003");
  expect(await waitForQuietKeyboard(input)).toBe(false);
});

test("a question that is taken back, and an input that has ended, are not waited for", async () => {
  expect(await waitForQuietKeyboard(new PassThrough(), AbortSignal.abort())).toBe(true);
  const ended = new PassThrough();
  ended.end();
  expect(await waitForQuietKeyboard(ended)).toBe(true);
});

test.each(["", "\u0003"])("the terminal is not left in raw mode after %j", async (typed) => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  if (typed !== "") input.write(typed);
  expect(await waitForQuietKeyboard(input)).toBe(typed === "");
  expect(modes).toEqual([true, false]);
});
