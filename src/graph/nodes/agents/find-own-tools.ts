import type { ToolDefinition } from "../../../contracts/index.ts";
import type { NamedServices } from "../../model/named-services.ts";

/**
 * The run's own tools among those in a list, by their names in the list, in lower case. Ignores a suffix in parentheses.
 * `*` matches none of them: it only removes the limit.
 */
export async function findOwnTools(
  names: readonly string[],
  tools: NamedServices<ToolDefinition> | undefined,
): Promise<ReadonlyMap<string, ToolDefinition>> {
  const found = new Map<string, ToolDefinition>();
  if (tools === undefined) return found;
  for (const name of names.map(bareNameOf)) {
    const tool = name === "*" ? undefined : await tools.find(name);
    if (tool !== undefined) found.set(name.toLowerCase(), tool);
  }
  return found;
}

/** The name of a tool without a suffix in parentheses: `Bash(git:*)` becomes `Bash`. */
export function bareNameOf(tool: string): string {
  return tool.replace(/\(.*$/s, "").trim();
}
