import { expect, test } from "bun:test";
import { shortHint, suggestionColumns, visibleRows } from "./prompt-list.ts";

test.each([
  { columns: 120, room: 116, widths: { name: 20, hint: 25, description: 71 } },
  { columns: 80, room: 76, widths: { name: 20, hint: 25, description: 31 } },
  { columns: 60, room: 56, widths: { name: 20, hint: 25, description: 11 } },
  { columns: 59, room: 55, widths: { name: 20, hint: 35, description: 0 } },
  { columns: 49, room: 45, widths: { name: 20, hint: 25, description: 0 } },
  { columns: 48, room: 44, widths: { name: 44, hint: 0, description: 0 } },
  { columns: 40, room: 36, widths: { name: 36, hint: 0, description: 0 } },
])("a terminal of $columns columns shows $widths", ({ columns, room, widths }) => {
  expect(suggestionColumns(columns, room)).toEqual(widths);
});

test.each([
  { hint: "<prompt|spec>", shown: "<prompt|spec>" },
  { hint: "12345678901234567890123", shown: "12345678901234567890123" },
  { hint: "123456789012345678901234", shown: "12345678901234567890..." },
])("the hint $hint is shown as $shown", ({ hint, shown }) => {
  expect(shortHint(hint)).toBe(shown);
});

test.each([
  { count: 3, selected: 2, first: 0, rows: [0, 1, 2] },
  { count: 20, selected: 0, first: 0, rows: [0, 1, 2, 3, 4, 5, 6, 7] },
  { count: 20, selected: 10, first: 6, rows: [6, 7, 8, 9, 10, 11, 12, 13] },
  { count: 20, selected: 19, first: 12, rows: [12, 13, 14, 15, 16, 17, 18, 19] },
])("of $count rows with row $selected selected, those from $first are visible", ({ count, selected, first, rows }) => {
  const all = Array.from({ length: count }, (_, index) => index);
  expect(visibleRows(all, { selected, maxRows: 8 })).toEqual({ first, rows });
});
