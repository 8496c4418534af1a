/**
 * The list of tools of an agent that carries out a prompt or a node, both in the syntax of `PermissionRule.exceptTools`.
 * Undefined if neither limits anything. Pure.
 *
 * 1. A list that names tools takes the place of those that the agent's names.
 * 2. One that only takes tools off, such as `["*", "!write"]`, is added to the agent's: both apply.
 * 3. What the agent's list takes off stays off.
 *
 * @param own the list of the prompt or the node
 */
export function mergeToolLists(
  ofAgent: readonly string[] | undefined,
  own: readonly string[] | undefined,
): readonly string[] | undefined {
  if (ofAgent === undefined || own === undefined) return own ?? ofAgent;
  const onlyExcludes = own.some(isExcluded) && own.every((name) => isExcluded(name) || name.trim() === "*");
  const base = onlyExcludes ? ofAgent : own;
  // Exclusions alone would mean all other tools.
  if (base.length === 0) return [];
  return [...new Set([...base, ...[...ofAgent, ...own].filter(isExcluded)])];
}

function isExcluded(name: string): boolean {
  return name.trim().startsWith("!");
}
