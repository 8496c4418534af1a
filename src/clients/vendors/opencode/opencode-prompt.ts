import {
  type AgentPrompt,
  type JsonSchema,
  mentionOf,
  type PromptPart,
  promptPartsOf,
  type SystemPrompt,
} from "../../../contracts/index.ts";
import { withoutDialect } from "../../turn/structured/structured-output.ts";
import type { OpenCodeModel } from "../opencode-settings/opencode-model.ts";
import { REPLACING_PROMPT_MARK } from "../opencode-settings/opencode-plugin.ts";

/** A message in the format of OpenCode's API. */
export interface OpenCodePrompt {
  readonly parts: OpenCodePromptPart[];
  readonly model?: OpenCodeModel;
  readonly variant?: string;
  readonly system?: string;
  readonly format?: {
    readonly type: "json_schema";
    readonly schema: { [name: string]: unknown };
    readonly retryCount: number;
  };
}

type OpenCodePromptPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly mime: string; readonly url: string; readonly filename: string };

/** The settings that go with every message of a turn. */
export interface OpenCodePromptOptions {
  readonly model: OpenCodeModel | undefined;
  readonly variant: string | undefined;
  readonly systemPrompt: SystemPrompt | undefined;
  readonly outputSchema: JsonSchema | undefined;
}

/** Builds the message. Pure. */
export function buildOpenCodePrompt(message: AgentPrompt, options: OpenCodePromptOptions): OpenCodePrompt {
  const { model, variant, systemPrompt, outputSchema } = options;
  const system = systemText(systemPrompt);
  return {
    parts: promptPartsOf(message).map(toPart),
    ...(model === undefined ? {} : { model }),
    ...(variant === undefined ? {} : { variant }),
    ...(system === undefined ? {} : { system }),
    // Atomic itself requests another answer if one is invalid: OpenCode does not validate answers.
    ...(outputSchema === undefined
      ? {}
      : { format: { type: "json_schema", schema: withoutDialect(outputSchema), retryCount: 0 } as const }),
  };
}

/** A file is only named, because OpenCode would read an attached file without asking. */
function toPart(part: PromptPart, index: number): OpenCodePromptPart {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "file":
      return { type: "text", text: mentionOf(part.path) };
    case "image": {
      const { mimeType, data } = part;
      return { type: "file", mime: mimeType, url: `data:${mimeType};base64,${data}`, filename: `image-${index + 1}` };
    }
  }
}

function systemText(systemPrompt: SystemPrompt | undefined): string | undefined {
  if (systemPrompt === undefined || typeof systemPrompt === "string") return systemPrompt;
  return systemPrompt.mode === "append" ? systemPrompt.text : REPLACING_PROMPT_MARK + systemPrompt.text;
}
