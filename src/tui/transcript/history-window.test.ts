import { expect, test } from "bun:test";
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

test.each([
  { count: 0, range: { start: 0, end: 0 } },
  { count: 100, range: { start: 0, end: 100 } },
  { count: 120, range: { start: 0, end: 120 } },
  { count: 121, range: { start: 20, end: 121 } },
  { count: 10_000, range: { start: 9_880, end: 10_000 } },
])("of $count entries the last are mounted", ({ count, range }) => {
  expect(rangeOf(FOLLOWING, count)).toEqual(range);
});

test("scrolling up loads forty more at a time, and never mounts more than 240", () => {
  let window: HistoryWindow = browse(FOLLOWING, 1_000);
  expect(window).toEqual({ type: "browsing", start: 880, end: 1_000, seenCount: 1_000 });
  const ranges: EntryRange[] = [];
  for (let count = 0; count < 5; count++) {
    window = loadEarlier(window, 1_000);
    ranges.push(rangeOf(window, 1_000));
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
  const later = loadLater(browsing, 262);
  expect(later).toEqual({ type: "browsing", start: 22, end: 262, seenCount: 260 });
  expect(newCount(later, 262)).toBe(2);
  expect(loadLater(later, 262)).toBe(FOLLOWING);
});

test("at the start of the conversation nothing more is loaded", () => {
  const window: HistoryWindow = { type: "browsing", start: 0, end: 40, seenCount: 40 };
  expect(loadEarlier(window, 40)).toBe(window);
});

test("a window outlives the entries that a rewind removed", () => {
  const window: HistoryWindow = { type: "browsing", start: 500, end: 600, seenCount: 600 };
  expect([rangeOf(window, 10), newCount(window, 10)]).toEqual([{ start: 10, end: 10 }, 0]);
  expect(loadEarlier(window, 10)).toEqual({ type: "browsing", start: 0, end: 10, seenCount: 600 });
});
