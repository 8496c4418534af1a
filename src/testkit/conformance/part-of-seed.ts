/**
 * Every nth of some tests, where all of them would take too long. Each seed in a row begins with another one, so that after
 * n of them all were made. In a file of its own, so that its test starts no agent.
 */
export function partOfSeed<Part>(parts: readonly Part[], step: number, seed: number): readonly Part[] {
  return parts.filter((_, index) => index % step === seed % step);
}

/** The seed of a call: another one each day, unless `TEST_SEED` repeats one that a failed test names. */
export function readSeed({ TEST_SEED: given }: Readonly<Record<string, string | undefined>>): number {
  const seed = Number(given ?? Math.floor(Date.now() / 86_400_000));
  if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`TEST_SEED is no number of a seed: ${given}`);
  return seed;
}
