import { expect, test } from "bun:test";
import { NO_USAGE } from "../../contracts/index.ts";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { type EntryLayout, entryToLines, hasGapBefore } from "./entry-to-lines.ts";
import {
  AT,
  CART,
  editTool,
  notice,
  readTool,
  runningShell,
  shellTool,
  subagent,
  text,
  thinking,
  turnEnd,
  user,
  userShell,
} from "./fixtures/entries.ts";

function shown(entry: ChatEntry, layout: Partial<EntryLayout> = {}): readonly string[] {
  const options = { columns: 60, glyphs: UNICODE_GLYPHS, workingDirectory: "/work/shop", ...layout };
  return entryToLines(entry, options).map((line) => line.text.trimEnd());
}

function conversation(entries: readonly ChatEntry[], layout: Partial<EntryLayout> = {}): readonly string[] {
  return entries.flatMap((entry, index) => [
    ...(hasGapBefore(entries[index - 1], entry) ? [""] : []),
    ...shown(entry, layout),
  ]);
}

test("a conversation reads from top to bottom, tools as a group", () => {
  expect(conversation(CART)).toEqual([
    "> The price of two items is wrong. Find out why.",
    "",
    "I'll look at the cart first.",
    "",
    "▸ Read src/cart.ts                                      0.1s",
    "✗ Shell npm test -- cart                      exit 1    2.4s",
    "    Exit code 1",
    "    1 test failed",
    "▾ Edit src/cart.ts                             +1 −1    0.3s",
    "    41 -   return sum + item.price;",
    "    41 +   return sum + item.price * item.quantity;",
    "",
    "total() ignored the quantity. With the change all 14 tests",
    "pass.",
    "",
    "1m 15s · 12.4k tokens · $0.11",
  ]);
});

test("no line is wider than the screen, at any width", () => {
  const wide = [
    ...CART,
    user("a".repeat(500)),
    text(
      "# Überschrift\n\n- 日本語日本語日本語日本語日本語日本語日本語\n\n```ts\nconst x = 'a long line of code that does not fit';\n```\n| a | b |\n|---|---|\n| one cell that is long | 2 |",
    ),
    notice("Something happened that takes a long sentence to say.", { tone: "warning" }),
    editTool("a/very/long/path/to/some/file/that/nobody/can/read.ts", ["x".repeat(300), `y${"日".repeat(200)}`]),
    subagent("Explore ".repeat(20)),
    userShell("ls", { output: "o".repeat(200) }),
  ];
  for (const columns of [36, 76, 116]) {
    for (const isOpen of [true, false]) {
      const lines = wide.flatMap((entry) => entryToLines(entry, { columns, isOpen, glyphs: UNICODE_GLYPHS }));
      expect(lines.filter((line) => Bun.stringWidth(line.text) > columns)).toEqual([]);
    }
  }
});

test.each<{ title: string; entry: ChatEntry; layout?: Partial<EntryLayout>; lines: readonly string[] }>([
  {
    title: "a running command shows the last three lines of its output",
    entry: runningShell("make", "1\n2\n3\n4\n5\n"),
    layout: { now: AT + 12_000 },
    lines: ["● ! make                                                 12s", "    3", "    4", "    5"],
  },
  {
    title: "a command of the user that did not run has no exit code",
    entry: { ...runningShell("rm x", ""), ending: "not-run", endedAt: AT },
    lines: ["⊘ ! rm x                                 did not run"],
  },
  {
    title: "a command that the user stopped shows its output so far",
    entry: { ...runningShell("sleep 9", "1\n"), ending: "stopped", endedAt: AT + 2_000 },
    lines: ["✗ ! sleep 9                                  stopped    2.0s", "    1"],
  },
  {
    title: "a denied call says why",
    entry: shellTool("rm -rf /", { status: "denied", reason: "Not in this project.", endedAt: AT + 90_000 }),
    lines: ["⊘ Shell rm -rf /                              denied", "    Not in this project."],
  },
  {
    title: "a thought is one line",
    entry: thinking("The cart sums prices."),
    lines: ["▸ thinking                                              8.0s"],
  },
  {
    title: "an open thought is read",
    entry: thinking("The cart sums prices."),
    layout: { isOpen: true },
    lines: ["▾ thinking                                              8.0s", "    The cart sums prices."],
  },
  {
    title: "a sub-agent opens to its task and its result",
    entry: subagent("Look at the tests", {
      subagentType: "Explore",
      task: "Which tests fail?",
      result: "Only **one**.",
    }),
    layout: { isOpen: true },
    lines: [
      "▾ Explore Look at the tests                           1m 05s",
      "    Which tests fail?",
      "",
      "    Only one.",
    ],
  },
  {
    title: "a tool of an MCP server has a readable name",
    entry: readTool("x", { toolName: "mcp__github__list_issues", kind: "mcp", input: { query: "is:open" } }),
    lines: ["▸ github/list_issues is:open                            0.1s"],
  },
  {
    title: "a search names its pattern",
    entry: readTool("x", { toolName: "Grep", input: { pattern: "total\\(" } }),
    lines: ["▸ Search total\\(                                        0.1s"],
  },
  {
    title: "a path loses its middle",
    entry: readTool("/work/shop/src/a/very/deep/folder/structure/inside/it/retry-policy.ts"),
    lines: ["▸ Read src/a/very/deep/folder/…/retry-policy.ts         0.1s"],
  },
  { title: "a short turn ends without a line", entry: turnEnd({ durationMs: 9_000 }), lines: [] },
  {
    title: "a stopped turn says so",
    entry: turnEnd({ durationMs: 900, outcome: "aborted" }),
    lines: ["stopped · 900ms · 12.4k tokens · $0.11"],
  },
  {
    title: "an unknown cost is left out",
    entry: turnEnd({ usage: { ...NO_USAGE, inputTokens: 12_400 } }),
    lines: ["1m 15s · 12.4k tokens"],
  },
  {
    title: "a cost of zero is shown",
    entry: turnEnd({ usage: { ...NO_USAGE, inputTokens: 12_400, costUsd: 0 } }),
    lines: ["1m 15s · 12.4k tokens · $0.00"],
  },
  {
    title: "a warning has a sign",
    entry: notice("The agent has been silent for 30s.", { tone: "warning" }),
    lines: ["! The agent has been silent for 30s."],
  },
  {
    title: "attachments that the text does not name are below it",
    entry: user("Look at [image 1]", { attachments: ["[image 1]", "@src/cart.ts"] }),
    lines: ["> Look at [image 1]", "  @src/cart.ts"],
  },
  {
    title: "nothing of a card needs Unicode there",
    entry: editTool("/work/shop/src/a/very/long/path/to/some/file/in/it/cart.ts", ["a", "b"], { endedAt: AT }),
    layout: { glyphs: ASCII_GLYPHS, isOpen: false },
    lines: ["> Edit src/a/very/long/path/to/.../cart.ts     +1 -1    0.0s"],
  },
  {
    title: "a command loses its end",
    entry: shellTool("npm test -- --coverage --reporter=verbose src/cart"),
    layout: { columns: 40, glyphs: ASCII_GLYPHS },
    lines: ["> Shell npm test -- --cover...      2.4s"],
  },
  {
    title: "a message that was sent into a turn says so",
    entry: user("Use yarn", { isSteering: true }),
    lines: ["> Use yarn", "  sent during the turn"],
  },
  {
    title: "a terminal without Unicode has signs of its own",
    entry: readTool("src/cart.ts"),
    layout: { glyphs: ASCII_GLYPHS },
    lines: ["> Read src/cart.ts                                      0.1s"],
  },
  {
    title: "control sequences and invisible characters are gone",
    entry: text("\u001b[31mred\u001b[0m \u202eevil\u200b\u2066 a\u0007b\u0000"),
    lines: ["red evil ab"],
  },
  {
    title: "what a progress bar of a command overwrote is gone",
    entry: userShell("curl", { output: "10%\r50%\r100%\r\ndone\n" }),
    lines: ["▾ ! curl                                                0.3s", "    100%", "    done"],
  },
])("$title", ({ entry, layout, lines }) => {
  expect(shown(entry, layout)).toEqual([...lines]);
});

test("a long output shows its start, and how much more there is", () => {
  const entry = shellTool("seq 100000", { output: Array.from({ length: 5_000 }, (_, index) => index).join("\n") });
  const lines = shown(entry, { isOpen: true });
  expect(lines.length).toBe(202);
  expect(lines.slice(-2)).toEqual(["    199", "    … 23.2 kB more"]);
});

test("a line of a megabyte costs no more than what is shown of it", () => {
  const lines = shown(shellTool("cat", { output: "x".repeat(1_200_000) }), { isOpen: true });
  expect(lines.at(-1)).toBe("    … 1.2 MB more");
  expect(lines.length).toBeLessThan(400);
});

test("the lines of a diff say which line of which file they are", () => {
  const edit = CART[4];
  if (edit === undefined) throw new Error("The conversation has an edit.");
  expect(
    entryToLines(edit, { columns: 60, glyphs: UNICODE_GLYPHS }).map(({ tone, change }) => ({ tone, change })),
  ).toEqual([
    { tone: "text", change: undefined },
    {
      tone: "removed",
      change: { path: "/work/shop/src/cart.ts", number: 41, text: "  return sum + item.price;", isRemoved: true },
    },
    {
      tone: "added",
      change: {
        path: "/work/shop/src/cart.ts",
        number: 41,
        text: "  return sum + item.price * item.quantity;",
        isRemoved: false,
      },
    },
  ]);
});

test("emoji of several characters are shown so that columns stay right", () => {
  const layout = { columns: 40, glyphs: UNICODE_GLYPHS };
  const entry = {
    type: "text",
    id: "e1",
    at: 0,
    text: "| a | b |\n|---|---|\n| 👩\u200d👧 | 🇩🇪 |",
    isStreaming: false,
  } as const;
  expect(entryToLines(entry, layout).map((line) => line.text)).toEqual(["a     b", "────  ──", "👩👧  DE"]);
});
