import type { Json } from "../contracts/index.ts";
import { formatJson } from "./output/format-json.ts";

/** The prompt among the inputs of a run. */
export function promptOf(input: Json): string | undefined {
  return inputFieldsOf(input).find(([name]) => name === "prompt")?.[1];
}

/** The inputs of a run, by name; strings as they are. */
export function inputFieldsOf(input: Json): readonly (readonly [name: string, text: string])[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  return Object.entries(input).map(([name, value]) => [name, typeof value === "string" ? value : formatJson(value)]);
}
