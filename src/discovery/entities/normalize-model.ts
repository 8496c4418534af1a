import type { AgentModel } from "./entity.ts";

const FAMILIES = ["opus", "sonnet", "haiku"] as const;

/**
 * The family of a model, in any vendor's spelling: `opus`, `claude-opus-4-5`, `anthropic/claude-3-5-haiku`,
 * `Claude Sonnet 4.5 (copilot)`. Models of other families are `inherit`: another vendor may not have them. Pure.
 */
export function normalizeModel(model: string): AgentModel {
  const text = model.trim().toLowerCase();
  const plain = FAMILIES.find((family) => text === family || text.startsWith(`${family}[`));
  if (plain !== undefined) return plain;
  return (text.includes("claude") ? FAMILIES.find((family) => text.includes(family)) : undefined) ?? "inherit";
}
