import { createHash } from "node:crypto";
import {
  type AgentEvent,
  type AgentReply,
  AtomicError,
  addUsage,
  messageOf,
  NO_USAGE,
  promptPartsOf,
  promptTextOf,
  type SessionConfig,
  type TurnOptions,
  type Usage,
} from "../../contracts/index.ts";
import type { RecordedCall, RecordedFailure, RecordedSettings, RecordedTurn } from "./recording.ts";
import type { VisitTurn } from "./visit-client.ts";

/** The longest output of a tool in a recording, in characters. */
const MAX_OUTPUT_LENGTH = 32_768;

/** What a turn's own events say. */
export interface FollowedTurn {
  readonly calls: readonly RecordedCall[];
  readonly usage: Usage;
}

/** Follows the events of a turn. `stop()` returns what they said. */
export function followTurn({ client, sessionId }: Pick<VisitTurn, "client" | "sessionId">): {
  readonly stop: () => FollowedTurn;
} {
  const calls = new Map<string, RecordedCall>();
  let usage = NO_USAGE;
  const stopListening = client.on("*", (event: AgentEvent) => {
    if (event.sessionId !== sessionId) return;
    if (event.type === "usage") usage = addUsage(usage, event.usage);
    if (event.type === "tool-start") {
      const { toolId, toolName, kind, input } = event;
      calls.set(toolId, { toolName, kind, input, output: "" });
    }
    if (event.type === "tool-end") {
      const call = calls.get(event.toolId);
      const isError = event.isError ? ({ isError: true } as const) : {};
      if (call !== undefined) calls.set(event.toolId, { ...call, output: shorten(event.output), ...isError });
    }
  });
  return {
    stop() {
      stopListening();
      return { calls: [...calls.values()], usage };
    },
  };
}

function shorten(output: string): string {
  if (output.length <= MAX_OUTPUT_LENGTH) return output;
  return `${output.slice(0, MAX_OUTPUT_LENGTH)}… (${output.length} characters)`;
}

/** The part of a turn that is known before it starts. Pure. */
export function describeQuestion({
  message,
  config,
  options,
}: Pick<VisitTurn, "message" | "config" | "options">): Pick<RecordedTurn, "prompt" | "settings" | "images"> {
  const images = promptPartsOf(message).flatMap((part) =>
    part.type === "image" ? [createHash("sha256").update(part.data).digest("hex")] : [],
  );
  return {
    prompt: promptTextOf(message),
    settings: settingsOf(config, options),
    ...(images.length === 0 ? {} : { images }),
  };
}

function settingsOf(config: SessionConfig, { outputSchema }: TurnOptions): RecordedSettings {
  const { model, reasoningEffort, systemPrompt, allowedTools, permissionMode } = config;
  const text = typeof systemPrompt === "object" ? systemPrompt.text : systemPrompt;
  return {
    ...(model === undefined ? {} : { model }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(text === undefined ? {} : { systemPrompt: text }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

/** The answer of a turn. Pure. */
export function describeReply({
  content,
  structured,
  deniedPermissions,
}: AgentReply): Pick<RecordedTurn, "reply" | "structured" | "deniedPermissions"> {
  return {
    reply: content,
    ...(structured === undefined ? {} : { structured }),
    ...(deniedPermissions.length === 0 ? {} : { deniedPermissions }),
  };
}

/** How a turn failed, or that its caller ended it. Pure. */
export function describeFailure(
  thrown: unknown,
  { signal }: TurnOptions,
): Pick<RecordedTurn, "error"> | Pick<RecordedTurn, "isAborted"> {
  if (signal?.aborted === true) return { isAborted: true };
  const fields: Readonly<Record<string, unknown>> = typeof thrown === "object" && thrown !== null ? { ...thrown } : {};
  const { isRetryable, retryAfterMs } = fields;
  const error: RecordedFailure = {
    code: thrown instanceof AtomicError ? thrown.code : "AGENT_TURN_FAILED",
    message: messageOf(thrown),
    ...(typeof isRetryable === "boolean" ? { isRetryable } : {}),
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
  };
  return { error };
}
