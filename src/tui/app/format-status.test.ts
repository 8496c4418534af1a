import { expect, test } from "bun:test";
import { IDLE_CHAT } from "../fixtures/fake-chat.ts";
import { Keymap } from "../keys/keymap.ts";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { UiStore } from "../ui/ui-store.ts";
import { formatFacts, formatPlace, keyHelpFor } from "./format-status.ts";

const USAGE = { inputTokens: 12_000, outputTokens: 400, cacheReadTokens: 0, cacheWriteTokens: 0 };

test.each([
  { fraction: 0, maxTokens: 200_000, expected: "ctx 0% of 200k" },
  { fraction: 0.384, maxTokens: 128_500, expected: "ctx 38% of 128.5k" },
  { fraction: 1, maxTokens: 1_000_000, expected: "ctx 100% of 1M" },
])("a context of $maxTokens tokens reads $expected, without the tokens that all calls have used", (each) => {
  const contextUsage = { usedTokens: 1, maxTokens: each.maxTokens, fraction: each.fraction };
  const state = { ...IDLE_CHAT, contextUsage, model: { ...IDLE_CHAT.model, usage: USAGE } };
  expect(formatFacts(state, { glyphs: UNICODE_GLYPHS })).toBe(each.expected);
});

test("tokens and cost are shown once they are known", () => {
  const glyphs = UNICODE_GLYPHS;
  const withUsage = (usage: object) => ({ ...IDLE_CHAT, model: { ...IDLE_CHAT.model, usage: { ...USAGE, ...usage } } });
  expect(formatFacts(IDLE_CHAT, { glyphs })).toBe("");
  expect(formatFacts(withUsage({}), { glyphs })).toBe("12.4k tokens");
  expect(formatFacts(withUsage({ costUsd: 0.114 }), { glyphs })).toBe("12.4k tokens · $0.11");
  expect(formatFacts(withUsage({ costUsd: 0 }), { glyphs })).toBe("12.4k tokens · $0.00");
  const unknown = { ...IDLE_CHAT, contextUsage: { usedTokens: 1, maxTokens: 0, fraction: 0 } };
  expect(formatFacts(unknown, { glyphs })).toBe("");
});

test("the keys are those of the settings, and a view or a dialog has its own", () => {
  const ui = new UiStore();
  const keys = { keymap: new Keymap({ transcript: "f2" }), glyphs: UNICODE_GLYPHS };
  expect(keyHelpFor(IDLE_CHAT, ui.snapshot(), keys)).toBe("? keys · / commands · f2 transcript · ctrl+c twice quits");
  ui.open({ type: "model" });
  expect(keyHelpFor(IDLE_CHAT, ui.snapshot(), keys)).toBe("");
});

test.each([
  { columns: 40, facts: "ctx 38% of 200k · $0.11 · esc stop", keys: "? keys · / commands · ctrl+o transcript" },
  { columns: 30, facts: "ctx 38% of 200k · esc stop", keys: "? keys · / commands" },
  { columns: 22, facts: "esc stop", keys: "? keys · / commands" },
  { columns: 12, facts: "esc stop", keys: "? keys" },
])("what does not fit into $columns columns is left out as a whole", ({ columns, facts, keys }) => {
  const style = { glyphs: UNICODE_GLYPHS, columns };
  const state = {
    ...IDLE_CHAT,
    contextUsage: { usedTokens: 76_000, maxTokens: 200_000, fraction: 0.38 },
    model: { ...IDLE_CHAT.model, usage: { ...USAGE, costUsd: 0.11 } },
  };
  expect(formatFacts(state, { ...style, stop: "esc stop" })).toBe(facts);
  expect(keyHelpFor(state, new UiStore().snapshot(), { ...style, keymap: new Keymap() })).toBe(keys);
});

test.each([
  { columns: 40, expected: "…/work/shop  main ±3" },
  { columns: 16, expected: "shop  main ±3" },
  { columns: 12, expected: "…/work/shop" },
  { columns: 8, expected: "shop" },
  { columns: 3, expected: "" },
])("a place in $columns columns is $expected", ({ columns, expected }) => {
  expect(formatPlace("/home/work/shop", { branch: "main ±3", columns, glyphs: UNICODE_GLYPHS })).toBe(expected);
});

test("a place without its start has signs of ASCII where the terminal has no others", () => {
  const place = formatPlace("/home/work/shop", { branch: undefined, columns: 40, glyphs: ASCII_GLYPHS });
  expect(place).toBe(".../work/shop");
});
