/** The arguments that describe a call best, in the vendors' spellings. */
const TELLING_NAMES = /^(command|file_?path|path|pattern|query|url|description)$/i;

/**
 * The part of a tool call's input that matters to a person: its command, file, pattern or similar, whichever comes first;
 * otherwise the whole input as JSON. The text is the agent's: of any length, with line breaks, and not safe for a
 * terminal. Empty when there is no input.
 */
export function describeToolInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return String(input ?? "");
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === "string" && TELLING_NAMES.test(name)) return value;
  }
  return JSON.stringify(input);
}
