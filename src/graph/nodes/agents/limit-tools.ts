import type { PermissionPolicy, ToolDefinition } from "../../../contracts/index.ts";
import { bareNameOf } from "./find-own-tools.ts";

/**
 * A policy that denies the call of every tool that a list does not name, and leaves calls of those it names to the given
 * policy. Names are those of `PermissionRule.exceptTools`. `*` alone changes nothing.
 *
 * @param registered the run's own tools among them, by their own names
 */
export function limitTools(
  policy: PermissionPolicy | undefined,
  tools: readonly string[],
  registered: readonly string[] = [],
): PermissionPolicy | undefined {
  if (tools.length > 0 && tools.every((tool) => tool.trim() === "*")) return policy;
  const exceptTools = [...new Set([...tools, ...registered])];
  return { ...policy, rules: [...(policy?.rules ?? []), { effect: "deny", exceptTools }] };
}

/** Of the session's own tools, those that a list may name. A list with a `*` in it may name any. */
export function withoutUnnamed(
  tools: readonly ToolDefinition[],
  names: readonly string[] | undefined,
): readonly ToolDefinition[] {
  if (names === undefined || names.some((name) => name.includes("*") && !name.includes("("))) return tools;
  const named = new Set(names.map((name) => bareNameOf(name).toLowerCase()));
  return tools.filter(({ name }) => named.has(name.toLowerCase()));
}
