/** The arguments that say what a call is about, however a vendor spells them. */
const TELLING_NAMES = /^(command|file_?path|path|pattern|query|url|description)$/i;

/**
 * What a person wants to know of a tool call's input: its command, its file or the like, the first one of the input; else
 * all of it as JSON. As the agent wrote it: of any length, with line breaks, and not safe for a terminal. Empty when there
 * is no input.
 */
export function describeToolInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return String(input ?? "");
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === "string" && TELLING_NAMES.test(name)) return value;
  }
  return JSON.stringify(input);
}
