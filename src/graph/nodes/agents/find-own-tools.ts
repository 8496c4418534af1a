import type { ToolDefinition } from "../../../contracts/index.ts";
import type { NamedServices } from "../../model/named-services.ts";

/**
 * The run's own tools among those that a list names, each by the name it has there, in lower case. What stands in
 * parentheses behind a name does not count. `*` names none: it only lifts the limit.
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

/** The name of a tool without what stands in parentheses behind it: `Bash(git:*)` is `Bash`. */
export function bareNameOf(tool: string): string {
  return tool.replace(/\(.*$/s, "").trim();
}
