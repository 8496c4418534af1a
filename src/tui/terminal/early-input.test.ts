import { expect, test } from "bun:test";
import { EarlyInput } from "./early-input.ts";

test("text is kept until it is taken; keys and the terminal's answers are not", () => {
  const early = new EarlyInput();
  const kept = [
    "h",
    "i!",
    "\u007f",
    "\r",
    "\r",
    "\u001b[?62c",
    "\u001b]11;rgb:0/0/0\u001b\\",
    "\u0003",
    "é漢",
    "\r",
  ].map(early.receive);
  expect(kept).toEqual([true, true, true, true, true, false, false, false, true, true]);
  expect(early.take()).toBe("hi\n\né漢");
  expect([early.receive("x"), early.take()]).toEqual([false, ""]);
});

test("it keeps a bounded amount", () => {
  const early = new EarlyInput();
  for (let count = 0; count < 12; count++) early.receive("a".repeat(1_000));
  expect(early.take()).toHaveLength(10_000);
});
