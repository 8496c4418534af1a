import { expect, test } from "bun:test";
import { matchFuzzy } from "./fuzzy-match.ts";

/** The text with the matched letters in brackets. */
function show(text: string, query: string): string | undefined {
  const match = matchFuzzy(text, query);
  if (match === undefined) return undefined;
  const marked = [...text].map((letter, at) => (match.positions.includes(at) ? `[${letter}]` : letter)).join("");
  return marked.replaceAll("][", "");
}

test.each([
  { query: "cart", text: "src/cart/total-cart.ts", shown: "src/cart/total-[cart].ts" },
  { query: "CART", text: "src/Cart.ts", shown: "src/[Cart].ts" },
  { query: "pi", text: "src/tui/prompt-input.tsx", shown: "src/tui/[p]rompt-[i]nput.tsx" },
  { query: "srcpi", text: "src/tui/prompt-input.tsx", shown: "[src]/tui/[p]rompt-[i]nput.tsx" },
  { query: "tui/pr", text: "src/tui/prompt-input.tsx", shown: "src/[tui/pr]ompt-input.tsx" },
  { query: "ci", text: "CartItem.ts", shown: "[C]art[I]tem.ts" },
  { query: "tui", text: "src/tui/", shown: "src/[tui]/" },
  { query: "итог", text: "docs/Итог.md", shown: "docs/[Итог].md" },
  { query: "xyz", text: "src/cart.ts", shown: undefined },
  { query: "trac", text: "src/cart.ts", shown: undefined },
])("$query in $text is $shown", ({ query, text, shown }) => {
  expect(show(text, query)).toBe(shown);
});

test("the last name counts more than folders, the start more than the middle, whole words more than letters", () => {
  const best = [
    "cart.ts",
    "src/cart.ts",
    "src/cart/index.ts",
    "a/my-cart.ts",
    "a/scarted.ts",
    "src/c-a-r-t.ts",
    "cold/are/to.md",
  ];
  const ranked = best.toReversed().toSorted((one, other) => {
    const scoreOf = (text: string): number => matchFuzzy(text, "cart")?.score ?? 0;
    return scoreOf(other) - scoreOf(one);
  });
  expect(ranked).toEqual([
    "cart.ts",
    "src/cart.ts",
    "a/my-cart.ts",
    "a/scarted.ts",
    "src/cart/index.ts",
    "src/c-a-r-t.ts",
    "cold/are/to.md",
  ]);
});
