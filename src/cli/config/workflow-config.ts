import { type Json, nearestName, type WorkflowMetadata } from "../../contracts/index.ts";
import { parseAssignments, parseValue } from "./parse-assignment.ts";
import { UsageError } from "./usage-error.ts";

/** Settings for a workflow's function; they override its `defaultConfig`. */
export type WorkflowConfig = Readonly<Record<string, Json>>;

/**
 * Parses `--config name=value` options. Each value must be of the same kind as its default.
 *
 * @throws UsageError for a malformed option, a name that `defaultConfig` does not have, or a value of another kind
 */
export function parseConfigFlags(
  texts: readonly string[] | undefined,
  { name: workflow, defaultConfig }: Pick<WorkflowMetadata, "name" | "defaultConfig">,
): WorkflowConfig | undefined {
  if (texts === undefined) return undefined;
  const assignments = [...parseAssignments(texts, "--config NAME=VALUE")];
  if (defaultConfig === undefined) {
    throw new UsageError(
      `The workflow "${workflow}" has no settings for --config. Declare them in its file: export const defaultConfig = { … }.`,
    );
  }
  return Object.fromEntries(
    assignments.map(([name, text]) => {
      if (!Object.hasOwn(defaultConfig, name)) {
        throw new UsageError(
          `The workflow "${workflow}" has no setting "${name}". ${adviceOnSetting(name, defaultConfig)}`,
        );
      }
      const parsed = parseValue(text, { noun: "setting", name, standard: defaultConfig[name] });
      if ("problem" in parsed) throw new UsageError(parsed.problem);
      // The cast is true: text, booleans, numbers and parsed JSON are JSON values.
      return [name, parsed.value as Json];
    }),
  );
}

/** Which setting was meant, or all that a workflow has. */
export function adviceOnSetting(name: string, defaultConfig: object): string {
  const known = Object.keys(defaultConfig);
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  return known.length === 0 ? "It has no settings." : `Its settings: ${known.join(", ")}.`;
}
