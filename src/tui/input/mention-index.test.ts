import { describe, expect, test } from "bun:test";
import { MentionIndex, mentionAt } from "./mention-index.ts";

test.each([
  { text: "@", cursor: 1, token: { from: 0, query: "" } },
  { text: "see @src/ca", cursor: 11, token: { from: 4, query: "src/ca" } },
  { text: "see @src/ca now", cursor: 8, token: { from: 4, query: "src" } },
  { text: "line\n@a", cursor: 7, token: { from: 5, query: "a" } },
  { text: "(@a", cursor: 3, token: { from: 1, query: "a" } },
  { text: "me@example.com", cursor: 14, token: undefined },
  { text: "@a b", cursor: 4, token: undefined },
  { text: "@", cursor: 0, token: undefined },
])("the mention in $text at $cursor", ({ text, cursor, token }) => {
  expect(mentionAt(text, cursor)).toEqual(token);
});

describe("a search", () => {
  const index = new MentionIndex(
    [".github/ci.yml", "README.md", "docs/cart.md", "src/cart.ts", "src/tui/input/prompt-input.tsx"],
    [{ name: "reviewer", description: "Reviews changes" }],
  );
  const find = (query: string): readonly string[] => index.search(query).map(({ type, value }) => `${type} ${value}`);

  test("without letters lists agents, then what is near", () => {
    expect(find("")).toEqual([
      "agent reviewer",
      "file README.md",
      "folder docs/",
      "folder src/",
      "folder .github/",
      "file docs/cart.md",
      "file src/cart.ts",
      "folder src/tui/",
      "file .github/ci.yml",
      "folder src/tui/input/",
      "file src/tui/input/prompt-input.tsx",
    ]);
  });

  test("finds files, their folders and agents", () => {
    expect(find("cart")).toEqual(["file src/cart.ts", "file docs/cart.md"]);
    expect(find("RE")).toEqual(["agent reviewer", "file README.md"]);
    expect(find("input/")).toEqual(["folder src/tui/input/", "file src/tui/input/prompt-input.tsx"]);
    expect(find("nothing")).toEqual([]);
  });

  test("returns what is safe to show, and the matched letters", () => {
    const hostile = new MentionIndex(["src/\u202ecart.ts", "src/cart\n\u001b[31m.ts"]);
    expect(hostile.search("cart")).toEqual([
      {
        type: "file",
        value: "src/\u202ecart.ts",
        shown: "src/cart.ts",
        description: "",
        positions: [4, 5, 6, 7],
      },
      {
        type: "file",
        value: "src/cart\n\u001b[31m.ts",
        shown: '"src/cart\\n\\u001b[31m.ts"',
        description: "",
        positions: [5, 6, 7, 8],
      },
    ]);
  });
});
