/** An object of unknown content, as `JSON.parse` returns it. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object that is neither an array nor `null`. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a string. */
export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Whether a value is an array whose entries are all valid. */
export function isListOf<T>(value: unknown, isValid: (entry: unknown) => entry is T): value is readonly T[] {
  return Array.isArray(value) && value.every((entry) => isValid(entry));
}

/** The value when it is an object, an empty object otherwise. */
export function recordOf(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}

/** The objects in a value when it is an array, an empty list otherwise. */
export function recordsOf(value: unknown): readonly UnknownRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The value when it is a finite number above zero, 0 otherwise. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** The value when it is a string, an empty string otherwise. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The entries whose text is not empty. */
export function filledTexts<Name extends string>(texts: Readonly<Record<Name, string>>): Partial<Record<Name, string>> {
  // The cast is true: omitted entries are optional in the result, and the names are those of `texts`.
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")) as Partial<Record<Name, string>>;
}
