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

function questions(count: number): readonly ChatEntry[] {
  return Array.from({ length: count }, (_, index) => user(`${index}`));
}

/** Answers of so many lines each. */
function answers(count: number, lineCount: number): readonly ChatEntry[] {
  return Array.from({ length: count }, (_, index) => text("- item\n\n".repeat(lineCount), { id: `${index}` }));
}

test.each([
  { count: 0, range: { start: 0, end: 0 } },
  { count: 100, range: { start: 0, end: 100 } },
  { count: 120, range: { start: 0, end: 120 } },
  { count: 121, range: { start: 20, end: 121 } },
  { count: 10_000, range: { start: 9_880, end: 10_000 } },
])("of $count entries the last are mounted", ({ count, range }) => {
  expect(rangeOf(FOLLOWING, questions(count))).toEqual(range);
});

test.each([
  { lineCount: 1, range: { start: 880, end: 1_000 } },
  { lineCount: 10, range: { start: 950, end: 1_000 } },
  { lineCount: 100, range: { start: 995, end: 1_000 } },
  { lineCount: 1_000, range: { start: 996, end: 1_000 } },
])("of answers of $lineCount lines fewer are mounted the longer they are, at least four", ({ lineCount, range }) => {
  expect(rangeOf(FOLLOWING, answers(1_000, lineCount))).toEqual(range);
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
  let window: HistoryWindow = browse(FOLLOWING, entries);
  const ranges: EntryRange[] = [rangeOf(window, entries)];
  for (let count = 0; count < 5; count++) {
    window = loadEarlier(window, entries);
    ranges.push(rangeOf(window, entries));
  }
  window = loadLater(window, entries);
  ranges.push(rangeOf(window, entries));
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
  let window: HistoryWindow = browse(FOLLOWING, entries);
  expect(window).toEqual({ type: "browsing", start: 880, end: 1_000, seenCount: 1_000 });
  const ranges: EntryRange[] = [];
  for (let count = 0; count < 5; count++) {
    window = loadEarlier(window, entries);
    ranges.push(rangeOf(window, entries));
  }
  expect(ranges).toEqual([
    { start: 840, end: 1_000 },
    { start: 800, end: 1_000 },
    { start: 760, end: 1_000 },
    { start: 720, end: 960 },
    { start: 680, end: 920 },
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
  expect([rangeOf(window, questions(10)), newCount(window, 10)]).toEqual([{ start: 10, end: 10 }, 0]);
  expect(loadEarlier(window, questions(10))).toEqual({ type: "browsing", start: 0, end: 10, seenCount: 600 });
});
