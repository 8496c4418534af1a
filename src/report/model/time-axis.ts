import type { ReportedPeriod } from "./run-report-page.ts";

/** A time in which nothing worked, drawn shorter than it was. Positions are fractions of the axis, 0 to 1. */
export interface TimeGap {
  readonly start: number;
  readonly end: number;
  readonly durationMs: number;
}

/** The axis of a timeline. */
export interface TimeAxis {
  /** The position of a moment, 0 to 1. */
  positionOf(at: number): number;
  /** The moment at a position. */
  momentAt(position: number): number;
  readonly gaps: readonly TimeGap[];
}

/** The width of a gap on the axis, as a fraction of the time in which something worked. */
const GAP_WIDTH = 0.04;

/** Shorter gaps are drawn as long as they are. */
const MIN_GAP_MS = 2_000;

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly isGap: boolean;
}

/** Makes room for the times in which something worked: a night of waiting takes a little of the axis only. */
export function createTimeAxis(periods: readonly ReportedPeriod[], startedAt: number, lastAt: number): TimeAxis {
  const stretches = findStretches(periods, startedAt, lastAt);
  const busy = stretches.reduce((sum, { from, to, isGap }) => sum + (isGap ? 0 : to - from), 0);
  const gapLength = Math.max(1, busy * GAP_WIDTH);
  // Only what is longer than its place is drawn shorter.
  const lengthOf = ({ from, to, isGap }: Stretch): number =>
    isGap && to - from >= MIN_GAP_MS ? Math.min(gapLength, to - from) : to - from;
  const total = Math.max(
    1,
    stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0),
  );
  const placed: (Stretch & { readonly start: number; readonly end: number })[] = [];
  let length = 0;
  for (const stretch of stretches) {
    const start = length / total;
    length += lengthOf(stretch);
    placed.push({ ...stretch, start, end: length / total });
  }
  return {
    positionOf(at) {
      const place = placed.find(({ to }) => at <= to) ?? placed.at(-1);
      if (place === undefined || place.to === place.from) return 0;
      const share = Math.min(1, Math.max(0, (at - place.from) / (place.to - place.from)));
      return place.start + share * (place.end - place.start);
    },
    momentAt(position) {
      const place = placed.find(({ end }) => position <= end) ?? placed.at(-1);
      if (place === undefined || place.end === place.start) return startedAt;
      return place.from + ((position - place.start) / (place.end - place.start)) * (place.to - place.from);
    },
    gaps: placed
      .filter((stretch) => stretch.isGap && lengthOf(stretch) < stretch.to - stretch.from)
      .map(({ from, to, start, end }) => ({ start, end, durationMs: to - from })),
  };
}

/** The times in which something worked, and those in between. */
function findStretches(periods: readonly ReportedPeriod[], startedAt: number, lastAt: number): readonly Stretch[] {
  const busy = periods
    .filter(({ type }) => type !== "wait" && type !== "sleep")
    .toSorted((left, right) => left.from - right.from);
  const stretches: Stretch[] = [];
  let end = startedAt;
  for (const { from, to } of busy) {
    if (from > end) stretches.push({ from: end, to: from, isGap: true });
    if (to > end) stretches.push({ from: Math.max(from, end), to, isGap: false });
    end = Math.max(end, to);
  }
  if (lastAt > end) stretches.push({ from: end, to: lastAt, isGap: true });
  return stretches;
}
