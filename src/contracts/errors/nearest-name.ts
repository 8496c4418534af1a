/** The edit distance of two words: letters to insert, delete, replace or swap with their neighbour. */
function editDistance(left: string, right: string): number {
  const width = right.length + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: width }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column < width; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const replaced = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      const inserted = (current[column - 1] ?? 0) + 1;
      const deleted = (last[column] ?? 0) + 1;
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, inserted, deleted, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[width - 1] ?? 0;
}

/**
 * The candidate most similar to a misspelled name, or undefined when none is close. Case is ignored; about one letter in
 * three may be wrong; of equally close candidates the first wins.
 *
 * @param options `maxDistance`: how many letters may be wrong at most. @default no further limit
 */
export function nearestName(
  name: string,
  candidates: Iterable<string>,
  { maxDistance = Number.POSITIVE_INFINITY }: { readonly maxDistance?: number } = {},
): string | undefined {
  const wanted = name.toLowerCase();
  let nearest: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const longest = Math.max(wanted.length, candidate.length);
    const limit = Math.min(maxDistance, Math.max(1, Math.floor(longest / 3)));
    if (Math.abs(wanted.length - candidate.length) > limit) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    // A word with every letter wrong is not a misspelling.
    if (distance > limit || distance >= longest) continue;
    if (nearest === undefined || distance < nearest.distance) nearest = { candidate, distance };
  }
  return nearest?.candidate;
}
