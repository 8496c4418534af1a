import { findMisspelledTools, type PermissionPolicy, type ToolDefinition } from "../../../contracts/index.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
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

/**
 * Warns about names in a node's list that are most likely misspelled. The run continues: the agent may have a tool of that
 * name that Atomic does not know.
 *
 * @param ownNames the tools of the run and of the session
 */
export function warnAboutTools(
  names: readonly string[],
  ownNames: readonly string[],
  { nodeId, emit }: Pick<ExecutionContext, "nodeId" | "emit">,
): void {
  for (const { message, remedy } of describeMisspelledTools(names, ownNames, nodeId))
    emit({ type: "warning", message: `${message}. ${remedy}` });
}

/** What to say about each name in a node's list that is most likely misspelled. */
export function describeMisspelledTools(
  names: readonly string[],
  ownNames: readonly string[],
  nodeId: string,
): readonly { readonly message: string; readonly remedy: string }[] {
  return findMisspelledTools(names, ownNames).map(({ name, nearest }) => ({
    message: `The tools of the node "${nodeId}" include "${name}", which Atomic does not know`,
    remedy: `Did you mean "${nearest}"?`,
  }));
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
