import { expect, test } from "bun:test";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { sizeOf } from "./entry-size.ts";
import { text, user } from "./fixtures/entries.ts";
import {
  browse,
  type EntryRange,
  FOLLOWING,
  type HistoryWindow,
  loadEarlier,
  loadLater,
  newCount,
  rangeOf,
} from "./history-window.ts";

/** The height of the view. */
const ROWS = 40;

function questions(count: number): readonly ChatEntry[] {
  return Array.from({ length: count }, (_, index) => user(`${index}`));
}

/** Answers of so many lines each. */
function answers(count: number, lineCount: number): readonly ChatEntry[] {
  return Array.from({ length: count }, (_, index) => text("- item\n\n".repeat(lineCount), { id: `${index}` }));
}

test.each([
  { count: 0, range: { start: 0, end: 0 } },
  { count: 80, range: { start: 0, end: 80 } },
  { count: 101, range: { start: 21, end: 101 } },
  { count: 10_000, range: { start: 9_920, end: 10_000 } },
])("of $count entries the last are mounted", ({ count, range }) => {
  expect(rangeOf(FOLLOWING, questions(count), ROWS)).toEqual(range);
});

test("a view of 100 rows has 200 entries of one row", () => {
  expect(rangeOf(FOLLOWING, answers(1_000, 1), 100)).toEqual({ start: 780, end: 1_000 });
});

test.each([
  { lineCount: 1, range: { start: 900, end: 1_000 } },
  { lineCount: 10, range: { start: 984, end: 1_000 } },
  { lineCount: 100, range: { start: 996, end: 1_000 } },
  { lineCount: 1_000, range: { start: 996, end: 1_000 } },
])("of answers of $lineCount lines fewer are mounted the longer they are, at least four", ({ lineCount, range }) => {
  expect(rangeOf(FOLLOWING, answers(1_000, lineCount), ROWS)).toEqual(range);
});

test.each([
  { title: "an answer that fits", entry: text("One line"), size: 1 },
  { title: "empty lines", entry: text("\n\n\n"), size: 1 },
  { title: "a line of 250 characters", entry: text(`${"x".repeat(250)}\n\nend`), size: 4 },
  { title: "what is not Markdown", entry: user("a\nb\nc\nd"), size: 2 },
])("$title counts as $size", ({ entry, size }) => {
  expect(sizeOf(entry)).toBe(size);
});

test("scrolling through long answers loads a few at a time, and keeps those that are visible", () => {
  const entries = answers(1_000, 200);
  let window: HistoryWindow = browse(FOLLOWING, entries, ROWS);
  const ranges: EntryRange[] = [rangeOf(window, entries, ROWS)];
  for (let count = 0; count < 5; count++) {
    window = loadEarlier(window, entries);
    ranges.push(rangeOf(window, entries, ROWS));
  }
  window = loadLater(window, entries);
  ranges.push(rangeOf(window, entries, ROWS));
  expect(ranges).toEqual([
    { start: 996, end: 1_000 },
    { start: 995, end: 1_000 },
    { start: 994, end: 1_000 },
    { start: 993, end: 1_000 },
    { start: 992, end: 999 },
    { start: 991, end: 998 },
    { start: 992, end: 999 },
  ]);
});

test("an earlier answer as long as a whole window does not replace what is visible", () => {
  const entries = [...answers(3, 2_000), ...questions(20)];
  const window: HistoryWindow = { type: "browsing", start: 3, end: 23, seenCount: 23 };
  expect(loadEarlier(window, entries)).toEqual({ ...window, start: 2, end: 7 });
});

test("scrolling up loads forty more at a time, and never mounts more than 240", () => {
  const entries = questions(1_000);
  let window: HistoryWindow = browse(FOLLOWING, entries, ROWS);
  expect(window).toEqual({ type: "browsing", start: 920, end: 1_000, seenCount: 1_000 });
  const ranges: EntryRange[] = [];
  for (let count = 0; count < 5; count++) {
    window = loadEarlier(window, entries);
    ranges.push(rangeOf(window, entries, ROWS));
  }
  expect(ranges).toEqual([
    { start: 880, end: 1_000 },
    { start: 840, end: 1_000 },
    { start: 800, end: 1_000 },
    { start: 760, end: 1_000 },
    { start: 720, end: 960 },
  ]);
});

test("scrolling down loads later entries, then follows", () => {
  const browsing: HistoryWindow = { type: "browsing", start: 0, end: 240, seenCount: 260 };
  const later = loadLater(browsing, questions(262));
  expect(later).toEqual({ type: "browsing", start: 22, end: 262, seenCount: 260 });
  expect(newCount(later, 262)).toBe(2);
  expect(loadLater(later, questions(262))).toBe(FOLLOWING);
});

test("at the start of the conversation nothing more is loaded", () => {
  const window: HistoryWindow = { type: "browsing", start: 0, end: 40, seenCount: 40 };
  expect(loadEarlier(window, questions(40))).toBe(window);
});

test("a window outlives the entries that a rewind removed", () => {
  const window: HistoryWindow = { type: "browsing", start: 500, end: 600, seenCount: 600 };
  expect([rangeOf(window, questions(10), ROWS), newCount(window, 10)]).toEqual([{ start: 10, end: 10 }, 0]);
  expect(loadEarlier(window, questions(10))).toEqual({ type: "browsing", start: 0, end: 10, seenCount: 600 });
});
