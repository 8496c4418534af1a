import type { ModelInfo } from "@github/copilot-sdk";
import type { ModelDisplayInfo, ReasoningEffort } from "../../../contracts/index.ts";

/** Copilot's efforts in Atomic's spelling; two of them are `max`. */
const EFFORTS: ReadonlyMap<string, ReasoningEffort> = new Map<string, ReasoningEffort>([
  ["none", "none"],
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "max"],
  ["max", "max"],
]);

/** A GitHub model as people see it. Pure. */
export function toModelDisplayInfo(model: ModelInfo): ModelDisplayInfo {
  const contextWindowTokens = model.capabilities?.limits?.max_context_window_tokens;
  const efforts = (model.supportedReasoningEfforts ?? []).flatMap((effort) => EFFORTS.get(effort) ?? []);
  return {
    model: model.id,
    displayName: model.name || model.id,
    ...(contextWindowTokens === undefined ? {} : { contextWindowTokens }),
    ...(efforts.length === 0 ? {} : { reasoningEfforts: [...new Set(efforts)] }),
  };
}
