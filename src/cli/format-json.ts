/** Characters JSON allows but a terminal may act on: C1 controls, and marks of the direction of writing. */
const UNSAFE_CHARACTERS = /[\p{Control}\p{Bidi_Control}]/gu;

/** A value as one line of JSON that is harmless in a terminal, too: what a terminal may act on is escaped, not lost. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
