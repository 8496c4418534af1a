import {
  AtomicError,
  findMisspelledTools,
  type PermissionPolicy,
  type ToolDefinition,
} from "../../../contracts/index.ts";
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

/** An exclusion in a list of tools is misspelled, so it would leave the agent a tool that its author took away. */
export class MisspelledExclusionError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    readonly problems: readonly ToolListProblem[],
  ) {
    super("TOOL_EXCLUSION_UNKNOWN", problems.map(({ message, remedy }) => `${message}. ${remedy}`).join(" "));
  }
}

/**
 * Warns about names in a list that are most likely misspelled. The run continues: the agent may have a tool of that name
 * that Atomic does not know.
 *
 * @param ownNames the tools of the run and of the session
 * @throws MisspelledExclusionError
 */
export function checkToolNames(
  names: readonly string[],
  ownNames: readonly string[],
  { nodeId, emit }: Pick<ExecutionContext, "nodeId" | "emit">,
): void {
  const problems = describeMisspelledTools(names, ownNames, nodeId);
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new MisspelledExclusionError(nodeId, errors);
  for (const { message, remedy } of problems) emit({ type: "warning", message: `${message}. ${remedy}` });
}

/** A name in a list of tools that is most likely misspelled. An exclusion that excludes nothing is an error. */
export interface ToolListProblem {
  readonly message: string;
  readonly remedy: string;
  readonly severity: "error" | "warning";
}

/** What to say about each name in a node's list that is most likely misspelled. */
export function describeMisspelledTools(
  names: readonly string[],
  ownNames: readonly string[],
  nodeId: string,
): readonly ToolListProblem[] {
  const isExcluded = (name: string): boolean => name.trim().startsWith("!");
  const find = (some: readonly string[]) => findMisspelledTools(some, ownNames, { minLength: 3 });
  return [
    ...find(names.filter(isExcluded)).map(({ name, nearest }) => ({
      message: `The tools of the node "${nodeId}" exclude "${name}", which Atomic does not know, so nothing is excluded`,
      remedy: `Did you mean "!${nearest}"?`,
      severity: "error" as const,
    })),
    ...find(names.filter((name) => !isExcluded(name))).map(({ name, nearest }) => ({
      message: `The tools of the node "${nodeId}" include "${name}", which Atomic does not know`,
      remedy: `Did you mean "${nearest}"?`,
      severity: "warning" as const,
    })),
  ];
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
