import type { ModelInfo } from "@anthropic-ai/claude-agent-sdk";
import type { ModelDisplayInfo, ReasoningEffort } from "../../../contracts/index.ts";

/** The name under which Claude Code lists its default model. */
export const DEFAULT_MODEL = "default";

/** One of Claude Code's models in Atomic's form. Pure. */
export function toModelDisplayInfo(model: ModelInfo): ModelDisplayInfo {
  const { value, displayName, supportsEffort, supportedEffortLevels = [] } = model;
  const levels: readonly string[] = supportedEffortLevels;
  const efforts = (["low", "medium", "high", "max"] as const).filter((effort) => levels.includes(effort));
  const canBeOff = "supportsThinkingOff" in model && model.supportsThinkingOff === true;
  const reasoningEfforts: readonly ReasoningEffort[] = canBeOff ? ["none", ...efforts] : efforts;
  return { model: value, displayName, ...(supportsEffort === true ? { reasoningEfforts } : {}) };
}

/** Finds the model that a hint names. An unlisted model is returned under the hint's name. Pure. */
export function findModel(models: readonly ModelDisplayInfo[], hint: string): ModelDisplayInfo {
  return models.find(({ model }) => model === hint) ?? { model: hint, displayName: hint };
}
