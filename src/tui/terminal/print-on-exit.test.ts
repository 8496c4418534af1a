import { describe, expect, test } from "bun:test";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { type EndingOptions, formatEnding } from "./print-on-exit.ts";

function notices(...texts: readonly string[]): readonly ChatEntry[] {
  return texts.map((text, index) => ({
    type: "notice",
    id: `e${index}`,
    at: 0,
    tone: "info",
    text,
    isMarkdown: false,
  }));
}

function ending(entries: readonly ChatEntry[], options: Partial<EndingOptions> = {}): readonly string[] {
  const text = formatEnding(entries, {
    columns: 20,
    rows: 3,
    formatEntry: (entry, columns) => ("text" in entry ? entry.text.slice(0, columns).split("\n") : []),
    ...options,
  });
  return text.split("\n");
}

describe("formatEnding", () => {
  test("prints a short conversation whole, and how to continue it", () => {
    expect(ending(notices("one", "two\nlines"), { continueCommand: "atomic --session 1" })).toEqual([
      "  one",
      "",
      "  two",
      "  lines",
      "",
      "To continue this conversation: atomic --session 1",
      "",
    ]);
  });

  test("prints the last two screens of a long one", () => {
    const texts = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    expect(ending(notices(...texts), { hasGapBefore: () => false })).toEqual([
      "  …",
      ...[95, 96, 97, 98, 99, 100].map((number) => `  line ${number}`),
      "",
    ]);
  });

  test("prints the end of an entry that is longer than two screens", () => {
    expect(ending(notices("1\n2\n3\n4\n5\n6\n7\n8"), { ellipsis: "..." })).toEqual([
      ...["  ...", "  3", "  4", "  5", "  6", "  7", "  8", ""],
    ]);
  });

  test("does not start with an empty line", () => {
    expect(ending(notices("one", "2\n3\n4\n5\n6"))).toEqual(["  …", "  2", "  3", "  4", "  5", "  6", ""]);
  });

  test("keeps to the width", () => {
    expect(ending(notices("a".repeat(30)))).toEqual([`  ${"a".repeat(18)}`, ""]);
  });

  test("prints nothing when nothing was said", () => {
    expect(ending([])).toEqual([""]);
    expect(ending([], { continueCommand: "atomic -c" })).toEqual(["To continue this conversation: atomic -c", ""]);
  });
});
