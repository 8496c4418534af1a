import { type Json, nearestName, type WorkflowMetadata } from "../contracts/index.ts";
import { UsageError } from "./usage-error.ts";

/** What a workflow's function is given over its `defaultConfig`. */
export type WorkflowConfig = Readonly<Record<string, Json>>;

/**
 * Reads `--config name=value` options. Each value must be of the kind that the workflow's own is.
 *
 * @throws UsageError for what is no option, a name that the workflow's `defaultConfig` does not have, or another kind
 */
export function parseConfigFlags(
  texts: readonly string[] | undefined,
  { name: workflow, defaultConfig }: Pick<WorkflowMetadata, "name" | "defaultConfig">,
): WorkflowConfig | undefined {
  if (texts === undefined) return undefined;
  const config = new Map<string, Json>();
  for (const text of texts) {
    const separator = text.indexOf("=");
    if (separator < 1) throw new UsageError(`"${text}" configures nothing. Write --config NAME=VALUE.`);
    const [name, value] = [text.slice(0, separator), text.slice(separator + 1)];
    if (defaultConfig === undefined) {
      throw new UsageError(
        `The workflow "${workflow}" has no settings for --config. Declare them in its file: export const defaultConfig = { … }.`,
      );
    }
    if (!Object.hasOwn(defaultConfig, name)) {
      throw new UsageError(`The workflow "${workflow}" has no setting "${name}". ${adviceOn(name, defaultConfig)}`);
    }
    config.set(name, readSetting(name, value, defaultConfig[name]));
  }
  return Object.fromEntries(config);
}

function adviceOn(name: string, defaultConfig: object): string {
  const known = Object.keys(defaultConfig);
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  return known.length === 0 ? "It has no settings." : `Its settings: ${known.join(", ")}.`;
}

/** @throws UsageError for a value of another kind than the workflow's own */
function readSetting(name: string, text: string, standard: unknown): Json {
  if (typeof standard === "string") return text;
  const value = readJson(text);
  // Where the workflow's own value is none, nothing is known of the others.
  if (standard === undefined || standard === null) return value === undefined ? text : value;
  if (value !== undefined && kindOf(value) === kindOf(standard)) return value;
  throw new UsageError(
    `The setting "${name}" is ${kindOf(standard)}, for example ${JSON.stringify(standard)}; "${text}" is not.`,
  );
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return "true or false";
  if (typeof value === "object") return value === null ? "null" : "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

/** `undefined` for what is no JSON: a text without quotes, as people type it. */
function readJson(text: string): Json | undefined {
  try {
    // The cast is true: nothing else comes out of JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
