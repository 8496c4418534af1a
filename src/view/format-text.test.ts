import { expect, test } from "bun:test";
import { NO_USAGE } from "../contracts/index.ts";
import {
  formatAge,
  formatCost,
  formatCount,
  formatDuration,
  formatTable,
  formatUsage,
  formatUsageByAgent,
  wrapWords,
} from "./format-text.ts";

test.each([
  [-5, "0ms"],
  [0, "0ms"],
  [850, "850ms"],
  [999.6, "999ms"],
  [1_000, "1s"],
  [59_999, "59s"],
  [60_000, "1m 00s"],
  [185_000, "3m 05s"],
  [3_599_999, "59m 59s"],
  [3_600_000, "1h 00m"],
  [7_620_000, "2h 07m"],
  [360_000_000, "100h 00m"],
])("%d milliseconds are %s", (milliseconds, expected) => {
  expect(formatDuration(milliseconds)).toBe(expected);
});

test.each([
  [0, "0"],
  [980, "980"],
  [12_400, "12.4k"],
  [1_240_000, "1.2M"],
])("%d tokens are %s", (count, expected) => {
  expect(formatCount(count)).toBe(expected);
});

test.each([
  { usage: NO_USAGE, expected: "" },
  { usage: { ...NO_USAGE, costUsd: 0.5 }, expected: "" },
  { usage: { ...NO_USAGE, inputTokens: 840 }, expected: "840 tokens" },
  { usage: { ...NO_USAGE, inputTokens: 999 }, expected: "999 tokens" },
  { usage: { ...NO_USAGE, inputTokens: 1_000 }, expected: "1.0k tokens" },
  {
    usage: { inputTokens: 10_000, outputTokens: 2_000, cacheReadTokens: 300, cacheWriteTokens: 40 },
    expected: "12.3k tokens",
  },
  { usage: { ...NO_USAGE, inputTokens: 999_949 }, expected: "999.9k tokens" },
  { usage: { ...NO_USAGE, inputTokens: 999_950 }, expected: "1.0M tokens" },
  { usage: { ...NO_USAGE, cacheReadTokens: 4_560_000 }, expected: "4.6M tokens" },
  { usage: { ...NO_USAGE, outputTokens: 1, costUsd: 0 }, expected: "1 tokens" },
  { usage: { ...NO_USAGE, outputTokens: 500, costUsd: 0.01234 }, expected: "500 tokens, $0.0123" },
])("usage reads as: $expected", ({ usage, expected }) => {
  expect(formatUsage(usage)).toBe(expected);
});

test.each([
  [0, "0"],
  [980, "980"],
  [12_400, "12.4k"],
  [1_200_000, "1.2M"],
])("%d tokens are %s", (count, expected) => {
  expect(formatCount(count)).toBe(expected);
});

test.each([
  [0, "$0.00"],
  [0.004, "<$0.01"],
  [0.005, "$0.01"],
  [0.42, "$0.42"],
  [12.345, "$12.35"],
])("%d dollars are %s", (costUsd, expected) => {
  expect(formatCost(costUsd)).toBe(expected);
});

test("the usage of several agents has a line for each, with the cost of those that report one", () => {
  const usageByAgent = {
    opencode: { ...NO_USAGE, inputTokens: 2_000 },
    claude: { ...NO_USAGE, outputTokens: 12_340, costUsd: 0.42 },
    "my\u001b[2J agent": { ...NO_USAGE, inputTokens: 5, costUsd: 0 },
    silent: NO_USAGE,
  };
  expect(formatUsageByAgent(usageByAgent)).toEqual([
    "  claude    12.3k tokens, $0.4200",
    "  my agent  5 tokens",
    "  opencode  2.0k tokens",
  ]);
});

test.each([
  { title: "no agent is known", usageByAgent: undefined },
  { title: "one agent has used all", usageByAgent: { claude: { ...NO_USAGE, inputTokens: 1 } } },
  { title: "only one has used tokens", usageByAgent: { claude: { ...NO_USAGE, inputTokens: 1 }, silent: NO_USAGE } },
])("the total says enough where $title", ({ usageByAgent }) => {
  expect(formatUsageByAgent(usageByAgent)).toEqual([]);
});

test("a table aligns columns by their width on the screen, and its lines have no spaces at the end", () => {
  const rows = [
    ["日本", "ok", "a long last column"],
    ["plan", "failed", ""],
  ];
  expect(formatTable(["NODE", "STATUS", "ERROR"], rows)).toBe(
    ["NODE  STATUS  ERROR", "日本  ok      a long last column", "plan  failed"].join("\n"),
  );
});

test("a table without rows is its header", () => {
  expect(formatTable(["RUN", "STATUS"], [])).toBe("RUN  STATUS");
});

test("cells cannot break out of their line or act on the terminal", () => {
  expect(formatTable(["A", "B"], [["x\ny\u001b[2J", "\u202ez"]])).toBe("A    B\nx y  z");
});

const RUNS_HEADER = ["RUN", "STATUS", "STARTED", "PROMPT"];
const RUNS = [
  ["0vr97bfjp8qb", "suspended", "2026-11-21 22:53:47", "Fix what is broken in the list"],
  ["0vr91", "completed", "2026-11-21 22:53:47", ""],
];

test.each([
  {
    columns: 79,
    lines: [
      "RUN           STATUS     STARTED              PROMPT",
      "0vr97bfjp8qb  suspended  2026-11-21 22:53:47  Fix what is broken in the list",
      "0vr91         completed  2026-11-21 22:53:47",
    ],
  },
  {
    columns: 74,
    lines: [
      "RUN           STATUS     STARTED",
      "  PROMPT",
      "0vr97bfjp8qb  suspended  2026-11-21 22:53:47",
      "  Fix what is broken in the list",
      "0vr91         completed  2026-11-21 22:53:47",
    ],
  },
  {
    columns: 24,
    lines: [
      "RUN           STATUS",
      "  STARTED",
      "  PROMPT",
      "0vr97bfjp8qb  suspended",
      "  2026-11-21 22:53:47",
      "  Fix what is broken in",
      "  the list",
      "0vr91         completed",
      "  2026-11-21 22:53:47",
    ],
  },
])("in $columns columns a row continues on further lines, column by column", ({ columns, lines }) => {
  expect(formatTable(RUNS_HEADER, RUNS, { columns }).split("\n")).toEqual([...lines]);
});

test("the last column of a table breaks between words where it has room for some", () => {
  const rows = [["git", "ok", "git version 2.39.5 of the package manager, at /usr/lib/git-core/a/long/path/to/git"]];
  expect(formatTable(["CHECK", "STATUS", "DETAIL"], rows, { columns: 45 }).split("\n")).toEqual([
    "CHECK  STATUS  DETAIL",
    "git    ok      git version 2.39.5 of the",
    "               package manager, at",
    "               /usr/lib/git-core/a/long/path/to/git",
  ]);
});

test.each([
  { line: "  fits", columns: 6, expected: ["  fits"] },
  { line: "  one two three", columns: 9, expected: ["  one two", "  three"] },
  { line: "a  b  c  d", columns: 4, expected: ["a  b", "c  d"] },
  { line: "/a/path/that/is/longer is whole", columns: 10, expected: ["/a/path/that/is/longer", "is whole"] },
  { line: "Trust it: atomic trust add", columns: 20, expected: ["Trust it:", "atomic trust add"] },
  { line: "wide enough", columns: Number.POSITIVE_INFINITY, expected: ["wide enough"] },
])("$line breaks between words in $columns columns", ({ line, columns, expected }) => {
  expect(wrapWords(line, columns)).toEqual(expected);
});

test.each([
  [-5, "0s"],
  [59_999, "59s"],
  [60_000, "1m"],
  [3_599_000, "59m"],
  [3 * 3_600_000, "3h"],
  [49 * 3_600_000, "2d"],
])("%d milliseconds ago are %s", (milliseconds, expected) => {
  expect(formatAge(milliseconds)).toBe(expected);
});
