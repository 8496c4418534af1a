import { type Json, nearestName, type WorkflowMetadata } from "../contracts/index.ts";
import { UsageError } from "./usage-error.ts";

/** What a workflow's function is given over its `defaultConfig`. */
export type WorkflowConfig = Readonly<Record<string, Json>>;

/**
 * Reads `--config name=value` options. Values are JSON where they can be, unless the workflow's own value is a text.
 *
 * @throws UsageError for what is no option, or a name that the workflow's `defaultConfig` does not have
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
    if (defaultConfig !== undefined && !Object.hasOwn(defaultConfig, name)) {
      throw new UsageError(`The workflow "${workflow}" has no setting "${name}". ${adviceOn(name, defaultConfig)}`);
    }
    config.set(name, typeof defaultConfig?.[name] === "string" ? value : readJson(value));
  }
  return Object.fromEntries(config);
}

function adviceOn(name: string, defaultConfig: object): string {
  const known = Object.keys(defaultConfig);
  const nearest = nearestName(name, known);
  return nearest === undefined ? `Its settings: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
}

function readJson(text: string): Json {
  try {
    // The cast is true: nothing else comes out of JSON.
    return JSON.parse(text) as Json;
  } catch {
    // A text without quotes, as people type it.
    return text;
  }
}
