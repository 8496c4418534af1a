/** The `index`-th of `count` parts of the files of a tier; `index` starts at 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** All files. */
export const WHOLE: Shard = { index: 1, count: 1 };

/**
 * Takes `--shard=K/N` out of the arguments; the last one counts.
 * @throws {RangeError} It is not K/N with whole numbers and 1 ≤ K ≤ N.
 */
export function readShard(flags: readonly string[]): { readonly shard?: Shard; readonly flags: readonly string[] } {
  const isShard = (flag: string): boolean => flag.startsWith("--shard=") || flag === "--shard";
  const given = flags.findLast(isShard);
  if (given === undefined) return { flags };
  const [, index = 0, count = 0] = (/^--shard=(\d+)\/(\d+)$/.exec(given) ?? []).map(Number);
  if (index < 1 || index > count)
    throw new RangeError(`Write --shard=K/N with 1 ≤ K ≤ N, for example --shard=1/2: ${given}`);
  return { shard: { index, count }, flags: flags.filter((flag) => !isShard(flag)) };
}

/** The files of a part. Neighbours are often equally slow, so that they are in different parts. */
export function filesOfShard(files: readonly string[], { index, count }: Shard): readonly string[] {
  return files.filter((_file, position) => position % count === index - 1);
}
