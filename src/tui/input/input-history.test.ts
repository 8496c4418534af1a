import { describe, expect, test } from "bun:test";
import {
  draftOf,
  foldDuplicates,
  type HistoryWalk,
  lineOfMatch,
  searchHistory,
  startWalk,
  stepWalk,
} from "./input-history.ts";

const HISTORY = ["fix the total", "/model", "fix the total", "Write\na test", " "].map((text) => draftOf(text));
const textsOf = (drafts: readonly { readonly text: string }[]): readonly string[] => drafts.map(({ text }) => text);

/** What is shown while the keys are pressed; a text is typed over what is shown. */
function walkThrough(start: string, keys: readonly (-1 | 1 | string)[]): readonly string[] {
  let walk: HistoryWalk | undefined = startWalk(HISTORY, draftOf(start));
  let current = draftOf(start);
  return keys.map((key) => {
    if (typeof key === "string") current = draftOf(key);
    else {
      const next: HistoryWalk | undefined = walk && stepWalk(walk, { by: key, current });
      if (next === undefined) return "end";
      walk = next;
      current = next.drafts[next.index] ?? current;
    }
    return current.text;
  });
}

test("equal messages are folded to the last one, blank ones are left out", () => {
  expect(textsOf(foldDuplicates(HISTORY))).toEqual(["/model", "fix the total", "Write\na test"]);
});

describe("a walk", () => {
  test("shows the messages from the newest to the oldest and returns to what was typed", () => {
    expect(walkThrough("draft", [-1, -1, -1, -1, 1, 1, 1, 1])).toEqual([
      "Write\na test",
      "fix the total",
      "/model",
      "end",
      "fix the total",
      "Write\na test",
      "draft",
      "end",
    ]);
  });

  test("keeps what was changed on the way", () => {
    expect(walkThrough("", [-1, "Write two tests", -1, 1, 1])).toEqual([
      "Write\na test",
      "Write two tests",
      "fix the total",
      "Write two tests",
      "",
    ]);
  });
});

describe("a search", () => {
  test.each([
    { query: "", texts: ["Write\na test", "fix the total", "/model"] },
    { query: "T", texts: ["Write\na test", "fix the total"] },
    { query: "the total", texts: ["fix the total"] },
    { query: "xyz", texts: [] },
  ])('for "$query" finds $texts', ({ query, texts }) => {
    expect(textsOf(searchHistory(HISTORY, query).map(({ draft }) => draft))).toEqual(texts);
  });

  test("shows the match in its line, also when it is far from the start", () => {
    const show = (text: string): string =>
      searchHistory([draftOf(text)], "cart")
        .flatMap((match) => lineOfMatch(match, { maxColumns: 40, ellipsis: "…" }))
        .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
        .join("");
    expect([show("Repair the Cart now"), show(`${"word ".repeat(10)}of the cart now`)]).toEqual([
      "Repair the [Cart] now",
      "…word of the [cart] now",
    ]);
  });
});
