import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";

test("keys pressed before are discarded", async () => {
  const input = new PassThrough();
  input.write("y\r");
  expect(await waitForQuietKeyboard(input)).toBe(true);
  expect(input.read()).toBeNull();
});

test("keys pressed between two questions are discarded, too", async () => {
  const input = new PassThrough();
  await waitForQuietKeyboard(input);
  input.write("y\r");
  expect(await waitForQuietKeyboard(input)).toBe(true);
  expect(input.read()).toBeNull();
});

test("no question is shown while a key is held", async () => {
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

test("Ctrl+C ends the wait", async () => {
  const input = new PassThrough();
  input.write("\u0003");
  expect(await waitForQuietKeyboard(input)).toBe(false);
});

test("a withdrawn question and a closed input end the wait", async () => {
  expect(await waitForQuietKeyboard(new PassThrough(), AbortSignal.abort())).toBe(true);
  const ended = new PassThrough();
  ended.end();
  expect(await waitForQuietKeyboard(ended)).toBe(true);
});

test.each(["", "\u0003"])("raw mode is disabled after %j", async (typed) => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  if (typed !== "") input.write(typed);
  expect(await waitForQuietKeyboard(input)).toBe(typed === "");
  expect(modes).toEqual([true, false]);
});
