/**
 * Characters JSON allows but a terminal may act on, a person cannot see, or a program that reads lines takes for the end
 * of one: C1 controls, marks of the direction of writing, what has no form, U+2028 and U+2029.
 */
const UNSAFE_CHARACTERS = /[\p{Control}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2028\u2029]/gu;

/** A value as one line of JSON that is harmless in a terminal, too: what a terminal may act on is escaped, not lost. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, toJsonValue).replace(UNSAFE_CHARACTERS, escapeCharacter);
}

/** What JSON would lose, in the form that comes nearest. */
export function toJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return [...value];
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}

/** One escape for each half of a character beyond the first 65,536. */
function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
