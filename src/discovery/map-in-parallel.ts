/** Settings of {@link mapInParallel}. */
export interface MapInParallelOptions<Item, Result> {
  /** How many items are mapped at the same time. */
  readonly maxParallel: number;
  readonly map: (item: Item) => Promise<Result>;
}

/** Maps a list, some items at a time, and returns the results in its order. Rejects as soon as `map` does. */
export async function mapInParallel<Item, Result>(
  items: readonly Item[],
  { maxParallel, map }: MapInParallelOptions<Item, Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const mapRest = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, items.length) }, mapRest));
  return results;
}
