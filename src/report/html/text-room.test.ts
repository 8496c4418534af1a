import { expect, test } from "bun:test";
import { html } from "./markup.ts";
import { shareOf, TextCutter, TextMeter } from "./text-room.ts";

test.each([
  { title: "all have room", sizes: [10, 20], room: 30, expected: Number.POSITIVE_INFINITY },
  { title: "the longest is shortened first", sizes: [100, 10_000, 300], room: 5_400, expected: 4_880 },
  { title: "several long ones share what is left", sizes: [5_000, 5_000, 100], room: 4_100, expected: 1_880 },
  { title: "there is no room", sizes: [50, 50], room: 20, expected: 0 },
  { title: "there is no text", sizes: [], room: 0, expected: Number.POSITIVE_INFINITY },
])("where $title, each text may have that much", ({ sizes, room, expected }) => {
  expect(shareOf(sizes, room)).toBe(expected);
});

test.each([
  { keep: "start", text: "ab<defg", expected: 'ab&lt;… <span class="cut">4 characters are left out here</span>' },
  { keep: "end", text: "a<cdefg", expected: '<span class="cut">2 characters are left out here</span> …cdefg' },
] as const)("a text that is too long keeps its $keep, counted as it is written", ({ keep, text, expected }) => {
  expect(new TextCutter(8).text(text, keep).markup).toBe(expected);
});

test("a pair of units is never cut in half", () => {
  expect(new TextCutter(5).text("😀😀", "start").markup).toStartWith("😀… ");
  expect(new TextCutter(5).text("😀😀", "end").markup).toEndWith(" …😀");
});

test("lines that do not fit are counted", () => {
  const lines = ["one", "two", "three"].map((text) => html`<i>${text}</i>`);
  expect(new TextCutter(21).lines(lines).markup).toBe(
    '<i>one</i><i>two</i><span class="cut">1 line is left out here</span>',
  );
});

test("a meter notes how long texts are as they are written, and shows none", () => {
  const meter = new TextMeter();
  expect(meter.text("a<é").markup + meter.lines([html`<i></i>`]).markup).toBe("");
  expect(meter.sizes).toEqual([7, 7]);
});
