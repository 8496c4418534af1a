import type { ModelDisplayInfo } from "../../contracts/index.ts";
import type { EndpointModel } from "./client-options.ts";

/** The context window of an endpoint's model that says nothing about it, in tokens. */
export const DEFAULT_CONTEXT_TOKENS = 128_000;

/** How many tokens an endpoint's model writes at the most that says nothing about it. */
export const DEFAULT_OUTPUT_TOKENS = 16_384;

/** A model of the user's endpoint as a person sees it: with the context window that its agent goes by. Pure. */
export function endpointModelInfo({
  id,
  contextWindowTokens = DEFAULT_CONTEXT_TOKENS,
}: EndpointModel): ModelDisplayInfo {
  return { model: id, displayName: id, contextWindowTokens };
}
