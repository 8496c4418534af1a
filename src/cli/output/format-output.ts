import { safeJson, safeText } from "../../view/index.ts";
import { toJsonValue } from "./format-json.ts";

/** Formats the output of a run for people: text with its line breaks, everything else as JSON. */
export function formatOutput(output: unknown): string {
  return typeof output === "string" ? safeText(output) : safeJson(JSON.stringify(output, toJsonValue, 2));
}
