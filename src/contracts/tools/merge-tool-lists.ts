/**
 * The list of tools for a prompt that an agent carries out, both in the syntax of `PermissionRule.exceptTools`. Undefined if
 * neither limits anything. Pure.
 *
 * 1. A prompt's list that names tools takes the place of the agent's.
 * 2. One that only takes tools off, such as `["*", "!write"]`, is added to the agent's: both apply.
 */
export function mergeToolLists(
  ofAgent: readonly string[] | undefined,
  ofPrompt: readonly string[] | undefined,
): readonly string[] | undefined {
  if (ofPrompt === undefined) return ofAgent;
  const excluded = ofPrompt.filter((name) => name.trim().startsWith("!"));
  const onlyExcludes = excluded.length > 0 && ofPrompt.every((name) => excluded.includes(name) || name.trim() === "*");
  if (ofAgent === undefined || !onlyExcludes) return ofPrompt;
  // Exclusions alone would mean all other tools, and the agent has none.
  return ofAgent.length === 0 ? [] : [...new Set([...ofAgent, ...excluded])];
}
