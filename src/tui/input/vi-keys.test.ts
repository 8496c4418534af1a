import { describe, expect, test } from "bun:test";
import type { PressedKey } from "../keys/keymap.ts";
import { INITIAL_VI, pressViKey, type ViState } from "./vi-keys.ts";

function keyOf(sign: string): PressedKey {
  if (sign === "\u001b") return { name: "escape", ctrl: false, shift: false, meta: false };
  const isCapital = /[A-Z]/.test(sign);
  return { name: sign.toLowerCase(), ctrl: false, shift: isCapital, meta: false, sequence: sign };
}

const NORMAL: ViState = { mode: "normal", pending: "" };

/** Presses keys; `|` in the texts is the cursor. */
function press(start: string, keys: string, from: ViState = NORMAL) {
  let state = { vi: from, text: start.replace("|", ""), cursor: start.indexOf("|") };
  const effects: string[] = [];
  for (const sign of keys) {
    const result = pressViKey(state.vi, keyOf(sign), state);
    if (result?.effect !== undefined) effects.push(result.effect);
    if (result !== undefined) state = { vi: result.vi, text: result.text, cursor: result.cursor };
  }
  const shown = `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}`;
  return { shown, mode: state.vi.mode, effects };
}

test.each([
  { keys: "h", from: "on|e", to: "o|ne" },
  { keys: "hhhh", from: "a\non|e", to: "a\n|one" },
  { keys: "l", from: "|one", to: "o|ne" },
  { keys: "llll", from: "|one\nb", to: "on|e\nb" },
  { keys: "l", from: "|日本", to: "日|本" },
  { keys: "l", from: "|👨‍👩‍👧x", to: "👨‍👩‍👧|x" },
  { keys: "j", from: "on|e\ntwo", to: "one\ntw|o" },
  { keys: "j", from: "lon|g\nb", to: "long\n|b" },
  { keys: "k", from: "日本語\nab|c", to: "日本|語\nabc" },
  { keys: "w", from: "|one two", to: "one |two" },
  { keys: "w", from: "|cart.ts now", to: "cart|.ts now" },
  { keys: "ww", from: "|one\n  two", to: "one\n  tw|o" },
  { keys: "b", from: "one tw|o", to: "one |two" },
  { keys: "bb", from: "one tw|o", to: "|one two" },
  { keys: "0", from: "a\none t|wo", to: "a\n|one two" },
  { keys: "$", from: "o|ne two\nb", to: "one tw|o\nb" },
  { keys: "$", from: "|", to: "|" },
  { keys: "x", from: "o|ne", to: "o|e" },
  { keys: "x", from: "on|e", to: "o|n" },
  { keys: "xx", from: "|👍🏽a", to: "|" },
  { keys: "x", from: "|\nb", to: "|\nb" },
  { keys: "dd", from: "one\nt|wo\nthree", to: "one\n|three" },
  { keys: "dd", from: "one\nt|wo", to: "|one" },
  { keys: "dd", from: "on|e", to: "|" },
  { keys: "dxx", from: "|one", to: "|ne" },
  { keys: "dw", from: "|one two", to: "|two" },
  { keys: "dw", from: "one tw|o\nb", to: "one t|w\nb" },
  { keys: "gg", from: "  one\ntw|o", to: "  |one\ntwo" },
  { keys: "G", from: "|one\n two", to: "one\n |two" },
  { keys: "gx", from: "on|e", to: "on|e" },
  { keys: "yyp", from: "o|ne\ntwo", to: "one\n|one\ntwo" },
  { keys: "yyjp", from: "|one\ntwo", to: "one\ntwo\n|one" },
  { keys: "ddp", from: "|one\ntwo", to: "two\n|one" },
  { keys: "p", from: "o|ne", to: "o|ne" },
  { keys: "J", from: "o|ne\n  two\nthree", to: "one| two\nthree" },
  { keys: "J", from: "one\nt|wo", to: "one\nt|wo" },
  { keys: "qzZ;", from: "o|ne", to: "o|ne" },
])("normal mode: $keys changes $from to $to", ({ keys, from, to }) => {
  expect(press(from, keys)).toEqual({ shown: to, mode: "normal", effects: [] });
});

test.each([
  { keys: "i", from: "o|ne", to: "o|ne" },
  { keys: "a", from: "on|e\nb", to: "one|\nb" },
  { keys: "A", from: "|one\nb", to: "one|\nb" },
  { keys: "I", from: "a\n  on|e", to: "a\n  |one" },
  { keys: "o", from: "o|ne\ntwo", to: "one\n|\ntwo" },
  { keys: "cw", from: "|one two", to: "| two" },
  { keys: "cw", from: "one tw|o\nb", to: "one tw|\nb" },
  { keys: "cc", from: "a\no|ne\nb", to: "a\n|\nb" },
])("normal mode: $keys starts to insert at $to", ({ keys, from, to }) => {
  expect(press(from, keys)).toEqual({ shown: to, mode: "insert", effects: [] });
});

describe("other keys", () => {
  test("Escape leaves the insert mode, one character to the left", () => {
    expect(press("one|", "\u001b", INITIAL_VI)).toEqual({ shown: "on|e", mode: "normal", effects: [] });
    expect(press("a\n|b", "\u001b", INITIAL_VI)).toEqual({ shown: "a\n|b", mode: "normal", effects: [] });
  });

  test("up from the first line and down from the last walk through the history, u undoes", () => {
    expect(press("o|ne", "kju").effects).toEqual(["history-previous", "history-next", "undo"]);
  });

  test.each<Partial<PressedKey>>([
    { name: "return" },
    { name: "up" },
    { name: "escape" },
    { name: "r", ctrl: true },
    { name: "m", meta: true },
  ])("the normal mode leaves %p to others", (key) => {
    const pressed = { name: "", ctrl: false, shift: false, meta: false, ...key };
    expect(pressViKey(NORMAL, pressed, { text: "one", cursor: 1 })).toBeUndefined();
  });

  test("the insert mode leaves letters to the input", () => {
    expect(pressViKey(INITIAL_VI, keyOf("x"), { text: "one", cursor: 1 })).toBeUndefined();
  });
});
