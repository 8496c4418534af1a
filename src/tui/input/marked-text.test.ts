import { expect, test } from "bun:test";
import { markText } from "./marked-text.ts";

/** The parts as one text, matches in brackets. */
function show(text: string, positions: readonly number[], maxColumns: number, cut: "end" | "path" = "end"): string {
  return markText(text, { positions, maxColumns, ellipsis: "…", cut })
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join("");
}

test.each([
  { text: "src/cart.ts", positions: [4, 5, 8], columns: 20, cut: "path", shown: "src/[ca]rt[.]ts" },
  { text: "src/cart/items/cart-total.ts", positions: [], columns: 20, cut: "path", shown: "src/…/cart-total.ts" },
  {
    text: "src/cart/items/cart-total.ts",
    positions: [0, 15],
    columns: 20,
    cut: "path",
    shown: "[s]rc/…/[c]art-total.ts",
  },
  { text: "a/very-long-name-of-a-file.ts", positions: [], columns: 12, cut: "path", shown: "…f-a-file.ts" },
  { text: "src/components/", positions: [], columns: 13, cut: "path", shown: "…/components/" },
  { text: "fix the total", positions: [4], columns: 8, cut: "end", shown: "fix [t]he…" },
  { text: "修正する", positions: [1], columns: 6, cut: "end", shown: "修[正]…" },
  { text: "👍🏽 ok", positions: [0], columns: 9, cut: "end", shown: "[👍🏽] ok" },
  { text: "", positions: [], columns: 5, cut: "end", shown: "" },
] as const)("$text in $columns columns is $shown", ({ text, positions, columns, cut, shown }) => {
  expect(show(text, positions, columns, cut)).toBe(shown);
});
