/** Texts that differ from run to run, with the names that a recording has instead, such as `<folder>`. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Replaces what differs from run to run by its name. Longer texts first, so that a folder within another one is named. Pure. */
export function hidePlaces(text: string, places: readonly Place[]): string {
  return sorted(places).reduce((hidden, { name, text: place }) => hidden.replaceAll(place, name), text);
}

/** Replaces the names by the texts of this run. Pure. */
export function showPlaces(text: string, places: readonly Place[]): string {
  return places.reduce((shown, { name, text: place }) => shown.replaceAll(name, place), text);
}

/** Applies a function to the strings in plain data. Pure. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapStrings(item, change)]));
}

function sorted(places: readonly Place[]): readonly Place[] {
  return places.filter(({ text }) => text.length > 1).toSorted((a, b) => b.text.length - a.text.length);
}

const CHANCE: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/<atomic>\/worktrees\/[^/\s]+/g, "<worktrees>"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b/g, "<hash>"],
  [/\b\d+(?:\.\d+)?\s?(?:ms|s|µs)\b/g, "<duration>"],
];

/** A prompt without what may differ between equal runs: times, durations, and hashes such as those of commits. Pure. */
export function withoutChance(prompt: string): string {
  return CHANCE.reduce((text, [pattern, name]) => text.replace(pattern, name), prompt);
}
