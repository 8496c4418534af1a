import { expect, test } from "bun:test";
import { contextParts } from "./context-parts.ts";

test.each([
  { usedTokens: 50, maxTokens: 100, systemTokens: 10, tokens: [10, 40, 50], cells: [2, 8, 10] },
  { usedTokens: 50, maxTokens: 100, systemTokens: 0, tokens: [0, 50, 50], cells: [0, 10, 10] },
  { usedTokens: 5, maxTokens: 100, systemTokens: 90, tokens: [5, 0, 95], cells: [1, 0, 19] },
  { usedTokens: 120, maxTokens: 100, systemTokens: 20, tokens: [20, 100, 0], cells: [3, 17, 0] },
  { usedTokens: 0, maxTokens: 0, systemTokens: 0, tokens: [0, 0, 0], cells: [0, 0, 20] },
])(
  "$usedTokens of $maxTokens tokens fill a bar completely",
  ({ usedTokens, maxTokens, systemTokens, tokens, cells }) => {
    const parts = contextParts({ usedTokens, maxTokens, fraction: 0 }, { systemTokens, cells: 20 });
    expect(parts.map((part) => part.tokens)).toEqual([...tokens]);
    expect(parts.map((part) => part.cells)).toEqual([...cells]);
  },
);
