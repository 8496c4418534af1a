import { expect, test } from "bun:test";
import { columnsOf } from "../../view/index.ts";
import { cutMiddle } from "./cut-middle.ts";

test.each([
  { title: "a line that fits stays whole", line: "Repair", columns: 6, text: "Repair" },
  { title: "copies differ", line: "Repair the price of the cart (fork)", columns: 20, text: "Repair the p… (fork)" },
  { title: "wide characters count as two", line: "日本語の会話の名前です", columns: 10, text: "日本語…す" },
  { title: "no room is the sign alone", line: "Repair", columns: 1, text: "…" },
])("$title", ({ line, columns, text }) => {
  const cut = cutMiddle(line, columns);
  expect(cut.text).toBe(text);
  expect(columnsOf(cut.text)).toBeLessThanOrEqual(columns);
});

test("the places of the characters that are left are known", () => {
  const line = "0123456789abcdef";
  const { text, placeOf } = cutMiddle(line, 9);
  expect(text).toBe("01234…def");
  const places = Array.from(line, (_, at) => placeOf(at));
  expect(places.map((at) => (at === undefined ? "-" : text[at])).join("")).toBe("01234--------def");
});
