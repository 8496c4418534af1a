/** The middle of several measurements and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The spread of some numbers; undefined when there are none. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = (sorted.length - 1) / 2;
  const [min, max] = [sorted[0], sorted.at(-1)];
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  if (min === undefined || max === undefined || low === undefined || high === undefined) return undefined;
  return { median: (low + high) / 2, min, max };
}
