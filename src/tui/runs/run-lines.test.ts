import { describe, expect, test } from "bun:test";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { usageOf } from "./fixtures/run-events.ts";
import { textOf } from "./line.ts";
import { headerLine, keysLine, taskLine, tasksLine } from "./run-lines.ts";

const style = { glyphs: UNICODE_GLYPHS, now: 0 };
const HEADER = {
  ...{ workflow: "ralph", id: "0vr8z8579gzr", prompt: "Repair the cart", elapsedMs: 250_000 },
  ...{ progress: { done: 3, total: 12 }, usage: usageOf(182_400, 1.32) },
} as const;

test.each([
  [90, 'ralph  0vr8z8579gzr  "Repair the cart"                 ● 3 of 12  4m 10s  182.4k  $1.32'],
  [70, 'ralph  0vr8z8579gzr  "Repair the car… ● 3 of 12  4m 10s  182.4k  $1.32'],
  [38, 'ralph  "Repair the…  ● 3 of 12  4m 10s'],
])("the first line of a run has room for what matters in %d columns", (columns, text) => {
  const line = textOf(headerLine({ ...HEADER, state: "running" }, { columns, glyphs: UNICODE_GLYPHS }));
  expect(line.replace(/ +(?=●)/, " ")).toBe(text.replace(/ +(?=●)/, " "));
  expect(line).toHaveLength(columns);
});

test.each([
  { title: "is left out where the agent reports none", costUsd: undefined, end: "182.4k" },
  { title: "of zero is shown", costUsd: 0, end: "182.4k  $0.00" },
])("a cost $title", ({ costUsd, end }) => {
  const header = { ...HEADER, usage: usageOf(182_400, costUsd), state: "running" } as const;
  expect(textOf(headerLine(header, { columns: 100, glyphs: UNICODE_GLYPHS })).replace(/.*4m 10s {2}/, "")).toBe(end);
});

test("numbers that are nonsense are left out or bounded", () => {
  const lines = [Number.NaN, 1e300].map((elapsedMs) => {
    const header = { ...HEADER, elapsedMs, usage: usageOf(elapsedMs, elapsedMs), state: "running" } as const;
    return textOf(headerLine(header, { columns: 120, glyphs: UNICODE_GLYPHS })).replace(/.*● /, "");
  });
  expect(lines).toEqual(["3 of 12", "3 of 12  10000h 00m  1000000.0M  $1000000.00"]);
});

test.each([
  ["paused", "‖ paused, 3 of 12"],
  ["suspended", "? suspended, 3 of 12"],
  ["completed", "✓ completed, 3 of 12"],
  ["interrupted", "✗ interrupted, 3 of 12"],
] as const)("the first line says that a run is %s", (state, text) => {
  expect(textOf(headerLine({ ...HEADER, state }, { columns: 100, glyphs: UNICODE_GLYPHS }))).toContain(text);
});

describe("tasks", () => {
  const tasks = [
    { id: "1", name: "Names", status: "passing" },
    { id: "2", name: "Totals", status: "pending", dependsOn: ["1", "3"] },
    { id: "3", name: "Currency", status: "in_progress" },
    { id: "4", name: "Old", status: "skipped" },
    { id: "5", name: "Bad", status: "failing" },
  ] as const;

  test("are counted by state", () => {
    expect(textOf(tasksLine(tasks, style))).toBe("Tasks  ✓ 1  ● 1  ✗ 1  ⊘ 1  ○ 1");
    expect(textOf(tasksLine(tasks, { glyphs: ASCII_GLYPHS }))).toBe("Tasks  v 1  * 1  x 1  - 1  o 1");
  });

  test("say what they still need", () => {
    expect(tasks.map((task) => textOf(taskLine(task, tasks, { ...style, columns: 32 })).trimEnd())).toEqual([
      "  ✓ 1  Names",
      "  ○ 2  Totals            needs 3",
      "  ● 3  Currency",
      "  ⊘ 4  Old",
      "  ✗ 5  Bad",
    ]);
  });
});

test.each([
  [60, "a one · b two · c three · esc leave"],
  [30, "a one · b two · esc leave"],
  [20, "a one · esc leave"],
])("in %d columns the keys are as many as fit, and how to leave", (columns, text) => {
  expect(
    textOf(keysLine(["a one", "b two", "c three", "esc leave"], { columns, glyphs: UNICODE_GLYPHS })).trimEnd(),
  ).toBe(text);
});
