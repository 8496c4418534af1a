import { matchFuzzy } from "./fuzzy-match.ts";

/** An item that fits a query. */
export interface FilteredItem<Item> {
  readonly item: Item;
  /** The matched UTF-16 units of its text, ascending. */
  readonly positions: readonly number[];
}

/**
 * The items that fit a query, best first, with their matched characters; all of them in their order without a query. Spaces
 * of the query may be missing in the text.
 */
export function filterItems<Item>(
  items: readonly Item[],
  { query, textOf }: { readonly query: string; readonly textOf: (item: Item) => string },
): readonly FilteredItem<Item>[] {
  const wanted = query.trim();
  if (wanted === "") return items.map((item) => ({ item, positions: [] }));
  const withoutSpaces = wanted.replace(/\s+/g, "");
  return items
    .flatMap((item) => {
      const match = matchFuzzy(textOf(item), wanted) ?? matchFuzzy(textOf(item), withoutSpaces);
      return match === undefined ? [] : [{ item, ...match }];
    })
    .toSorted((one, other) => other.score - one.score)
    .map(({ item, positions }) => ({ item, positions }));
}
