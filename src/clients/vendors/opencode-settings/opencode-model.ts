import type { JsonObject } from "../../../contracts/index.ts";
import type { ClientOptions, EndpointModel, ModelEndpoint } from "../../options/client-options.ts";

/** A model as OpenCode's API names it. */
export interface OpenCodeModel {
  readonly providerID: string;
  readonly modelID: string;
}

/** The provider that stands for {@link ClientOptions.endpoint}. */
const ENDPOINT_PROVIDER = "atomic";

/** The provider packages that OpenCode includes. */
const PROTOCOL_PACKAGES: Readonly<Record<ModelEndpoint["protocol"], string>> = {
  "openai-chat": "@ai-sdk/openai-compatible",
  "openai-responses": "@ai-sdk/openai",
  "anthropic-messages": "@ai-sdk/anthropic",
};

/** Parses `provider/model`, or the id of one of the endpoint's models; the endpoint's first model if none is named. */
export function resolveModel(
  { endpoint }: Pick<ClientOptions, "endpoint">,
  name: string | undefined,
): OpenCodeModel | undefined {
  const wanted = name ?? endpoint?.models[0]?.id;
  if (wanted === undefined) return undefined;
  if (endpoint?.models.some((model) => model.id === wanted)) return { providerID: ENDPOINT_PROVIDER, modelID: wanted };
  const slash = wanted.indexOf("/");
  if (slash > 0) return { providerID: wanted.slice(0, slash), modelID: wanted.slice(slash + 1) };
  return endpoint === undefined ? undefined : { providerID: ENDPOINT_PROVIDER, modelID: wanted };
}

/** The OpenCode settings that make an endpoint its only provider. Pure. */
export function endpointConfig(endpoint: ModelEndpoint): JsonObject {
  const models = Object.fromEntries(endpoint.models.map((model) => [model.id, endpointModel(model)]));
  const first = endpoint.models[0];
  return {
    enabled_providers: [ENDPOINT_PROVIDER],
    ...(first === undefined ? {} : { small_model: `${ENDPOINT_PROVIDER}/${first.id}` }),
    provider: {
      [ENDPOINT_PROVIDER]: {
        name: "Atomic",
        npm: PROTOCOL_PACKAGES[endpoint.protocol],
        options: { baseURL: endpoint.baseUrl, apiKey: endpoint.apiKey ?? "none" },
        models,
      },
    },
  };
}

function endpointModel(model: EndpointModel): JsonObject {
  return {
    name: model.id,
    tool_call: true,
    reasoning: true,
    attachment: true,
    modalities: { input: ["text", "image"], output: ["text"] },
    limit: { context: model.contextWindowTokens ?? 128_000, output: model.outputTokens ?? 16_384 },
    cost: { input: model.costPerMillionInputUsd ?? 0, output: model.costPerMillionOutputUsd ?? 0 },
  };
}
