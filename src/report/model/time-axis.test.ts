import { expect, test } from "bun:test";
import { createTimeAxis } from "./time-axis.ts";

test("work without a pause has an axis of equal parts", () => {
  const axis = createTimeAxis([{ type: "work", from: 0, to: 100 }], 0, 100);
  expect([0, 25, 100, 200].map((at) => axis.positionOf(at))).toEqual([0, 0.25, 1, 1]);
  expect([0, 0.5, 1].map((position) => axis.momentAt(position))).toEqual([0, 50, 100]);
  expect(axis.gaps).toEqual([]);
});

test("a long wait takes little of the axis, and is named with its length", () => {
  const night = 10 * 3_600_000;
  const axis = createTimeAxis(
    [
      { type: "work", from: 0, to: 50_000 },
      { type: "wait", from: 50_000, to: 50_000 + night },
      { type: "failed", from: 50_000 + night, to: 100_000 + night },
    ],
    0,
    100_000 + night,
  );
  expect(axis.gaps).toEqual([{ start: 50 / 104, end: 54 / 104, durationMs: night }]);
  expect(axis.momentAt(0.25)).toBeCloseTo(26_000, 5);
  expect(axis.positionOf(100_000 + night)).toBe(1);
});

test("a short pause is drawn as long as it was; a run without any time has an axis, too", () => {
  const periods = [
    { type: "work", from: 0, to: 100 },
    { type: "work", from: 1_100, to: 1_200 },
  ] as const;
  expect(createTimeAxis(periods, 0, 1_200)).toMatchObject({ gaps: [] });
  const empty = createTimeAxis([], 5, 5);
  expect([empty.positionOf(5), empty.momentAt(0.5)]).toEqual([0, 5]);
});
