import type { ModelDisplayInfo } from "../../contracts/index.ts";
import type { EndpointModel } from "./client-options.ts";

/** The default context window of an endpoint's model, in tokens. */
export const DEFAULT_CONTEXT_TOKENS = 128_000;

/** The default output limit of an endpoint's model, in tokens. */
export const DEFAULT_OUTPUT_TOKENS = 16_384;

/** A model of the user's endpoint as a person sees it, with the context window that its agent assumes. Pure. */
export function endpointModelInfo({
  id,
  contextWindowTokens = DEFAULT_CONTEXT_TOKENS,
}: EndpointModel): ModelDisplayInfo {
  return { model: id, displayName: id, contextWindowTokens };
}
