import { UsageError } from "./usage-error.ts";

/** The names in the value of an option, separated by commas; none without the option. @throws UsageError if it names nobody */
export function listOf(text: string | undefined, option: string): readonly string[] {
  if (text === undefined) return [];
  const names = [...new Set(text.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  if (names.length === 0) throw new UsageError(`${option} names nobody. Separate names with commas.`);
  return names;
}
