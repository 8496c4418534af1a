import type { OpencodeClient } from "@opencode-ai/sdk/v2/client";
import {
  type ContextUsage,
  type ModelDisplayInfo,
  type ReasoningEffort,
  recordOf,
  stringOf,
} from "../../../contracts/index.ts";
import type { OpenCodeModel } from "../opencode-settings/opencode-model.ts";
import { effortsOf, variantFor } from "./opencode-effort.ts";
import { listOf, numberOf, type OpenCodeMessage, parseMessage } from "./server/opencode-wire.ts";

/** The server and folder to query. */
interface ModelQuery {
  readonly sdk: OpencodeClient;
  readonly directory: string;
}

/** A model as OpenCode shows it; only its name if OpenCode does not know it. */
export async function loadModelDisplayInfo(query: ModelQuery, model: OpenCodeModel): Promise<ModelDisplayInfo> {
  return toDisplayInfo(model, await loadModel(query, model));
}

/** All models of the providers that the user has set up. */
export async function loadModels({ sdk, directory }: ModelQuery): Promise<readonly ModelDisplayInfo[]> {
  const { data } = await sdk.config.providers({ directory }, { throwOnError: true });
  return listOf(recordOf(data).providers).flatMap((provider) => {
    const { id, models } = recordOf(provider);
    return Object.entries(recordOf(models)).map(([modelID, known]) =>
      toDisplayInfo({ providerID: stringOf(id), modelID }, known),
    );
  });
}

/** The model's variant for an effort; undefined if it has none. */
export async function loadVariant(
  query: ModelQuery,
  { model, effort }: { readonly model: OpenCodeModel; readonly effort: ReasoningEffort },
): Promise<string | undefined> {
  return variantFor(effort, variantsOf(await loadModel(query, model)));
}

/** The model that OpenCode would choose: the configured one, else the default of its first provider. */
export async function loadDefaultModel({ sdk, directory }: ModelQuery): Promise<OpenCodeModel | undefined> {
  const config = await sdk.config.get({ directory }, { throwOnError: true });
  const configured = stringOf(recordOf(config.data).model);
  const slash = configured.indexOf("/");
  if (slash > 0) return { providerID: configured.slice(0, slash), modelID: configured.slice(slash + 1) };
  const { data } = await sdk.config.providers({ directory }, { throwOnError: true });
  const first = Object.entries(recordOf(recordOf(data).default))[0];
  return first === undefined ? undefined : { providerID: first[0], modelID: stringOf(first[1]) };
}

/** The last answer of a session that cost tokens. */
export async function loadLastAnswer(query: ModelQuery, sessionId: string): Promise<OpenCodeMessage | undefined> {
  const { data } = await query.sdk.session.messages(
    { sessionID: sessionId, directory: query.directory },
    { throwOnError: true },
  );
  const messages = listOf(data).map((item) => parseMessage(recordOf(item).info));
  return messages.findLast((message) => message.role === "assistant" && message.tokens.outputTokens > 0);
}

/** How full the context window is after an answer. A summary replaces everything before it, so only its own text counts. */
export function toContextUsage(answer: OpenCodeMessage | undefined, maxTokens: number): ContextUsage {
  const usedTokens = answer === undefined ? 0 : answer.isSummary ? answer.tokens.outputTokens : totalTokens(answer);
  return { usedTokens, maxTokens, fraction: maxTokens > 0 ? Math.min(1, usedTokens / maxTokens) : 0 };
}

async function loadModel({ sdk, directory }: ModelQuery, model: OpenCodeModel): Promise<unknown> {
  const { data } = await sdk.config.providers({ directory }, { throwOnError: true });
  const provider = listOf(recordOf(data).providers).find((item) => recordOf(item).id === model.providerID);
  return recordOf(recordOf(provider).models)[model.modelID];
}

function toDisplayInfo({ providerID, modelID }: OpenCodeModel, raw: unknown): ModelDisplayInfo {
  const known = recordOf(raw);
  const contextWindowTokens = numberOf(recordOf(known.limit).context);
  return {
    model: `${providerID}/${modelID}`,
    displayName: stringOf(known.name) || modelID,
    ...(contextWindowTokens > 0 ? { contextWindowTokens } : {}),
    ...(raw === undefined ? {} : { reasoningEfforts: effortsOf(variantsOf(raw)) }),
  };
}

function variantsOf(raw: unknown): readonly string[] {
  return Object.keys(recordOf(recordOf(raw).variants));
}

function totalTokens({ tokens }: OpenCodeMessage): number {
  return tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
}
