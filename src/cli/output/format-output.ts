import { safeJson, safeText } from "../../view/index.ts";
import { toJsonValue } from "./format-json.ts";

/** What a run has come to, for a person: a text as it is, with its lines; everything else as JSON. */
export function formatOutput(output: unknown): string {
  return typeof output === "string" ? safeText(output) : safeJson(JSON.stringify(output, toJsonValue, 2));
}
