import { toJsonValue } from "./format-json.ts";
import { safeText } from "./safe-text.ts";

/** What a run has come to, for a person: a text as it is, with its lines; everything else as JSON. */
export function formatOutput(output: unknown): string {
  return safeText(typeof output === "string" ? output : JSON.stringify(output, toJsonValue, 2));
}
