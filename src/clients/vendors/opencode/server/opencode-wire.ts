import { recordOf, stringOf, type UnknownRecord, type Usage } from "../../../../contracts/index.ts";

/** An event as OpenCode sends it. Its properties are parsed where they are needed. */
export interface OpenCodeEvent {
  readonly type: string;
  readonly properties: UnknownRecord;
}

/** The parts of a message that Atomic uses. */
export interface OpenCodeMessage {
  readonly id: string;
  readonly role: string;
  /** The user's message that an answer belongs to. */
  readonly parentId: string | undefined;
  readonly isComplete: boolean;
  /** True for a compaction's summary. */
  readonly isSummary: boolean;
  readonly error: unknown;
  readonly structured: unknown;
  readonly tokens: Usage;
  readonly providerId: string;
  readonly modelId: string;
}

/** The fields of a message part that Atomic uses. */
export type OpenCodePart = { readonly id: string; readonly messageId: string } & (
  | { readonly type: "text" | "reasoning"; readonly text: string; readonly isComplete: boolean }
  | {
      readonly type: "tool";
      readonly callId: string;
      readonly tool: string;
      readonly status: string;
      readonly input: unknown;
      readonly output: string;
    }
  | {
      /** A model call and its tools have ended. */
      readonly type: "step-finish";
      readonly usage: Usage;
      /** Whether the model has called tools: it is then usually called again with their results. */
      readonly hasToolCalls: boolean;
    }
  | { readonly type: "other" }
);

/**
 * Unwraps an item of the global stream, `{ directory, payload }`. Undefined for anything that is not an event, and for the
 * `sync` envelopes that repeat every event for OpenCode's own replicas.
 */
export function parseOpenCodeEvent(raw: unknown): OpenCodeEvent | undefined {
  const payload = recordOf(recordOf(raw).payload);
  const type = stringOf(payload.type);
  return type === "" || type === "sync" ? undefined : { type, properties: recordOf(payload.properties) };
}

/** The message that an event is about, or of which it has a part. */
export function messageIdOf({ type, properties }: OpenCodeEvent): string | undefined {
  if (type === "message.updated") return stringOf(recordOf(properties.info).id) || undefined;
  if (!type.startsWith("message.part.")) return undefined;
  return stringOf(properties.messageID ?? recordOf(properties.part).messageID) || undefined;
}

/** The session of an event, if it has one. */
export function sessionIdOf({ type, properties }: OpenCodeEvent): string | undefined {
  const nested = type.startsWith("message.part.")
    ? recordOf(properties.part).sessionID
    : recordOf(properties.info).sessionID;
  const own = type.startsWith("session.") ? recordOf(properties.info).id : undefined;
  return stringOf(properties.sessionID ?? nested ?? own) || undefined;
}

/** Parses the `info` of a message. */
export function parseMessage(raw: unknown): OpenCodeMessage {
  const info = recordOf(raw);
  return {
    id: stringOf(info.id),
    role: stringOf(info.role),
    parentId: stringOf(info.parentID) || undefined,
    isComplete: recordOf(info.time).completed !== undefined,
    isSummary: info.summary === true,
    error: info.error,
    structured: info.structured,
    tokens: parseUsage(info),
    providerId: stringOf(info.providerID),
    modelId: stringOf(info.modelID),
  };
}

/** Parses a part of a message. */
export function parsePart(raw: unknown): OpenCodePart {
  const part = recordOf(raw);
  const base = { id: stringOf(part.id), messageId: stringOf(part.messageID) };
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...base, type: part.type, text: stringOf(part.text), isComplete: recordOf(part.time).end !== undefined };
    case "tool": {
      const state = recordOf(part.state);
      return {
        ...base,
        type: "tool",
        callId: stringOf(part.callID) || base.id,
        tool: stringOf(part.tool),
        status: stringOf(state.status),
        input: state.input ?? {},
        output: stringOf(state.status === "error" ? state.error : state.output),
      };
    }
    case "step-finish":
      return { ...base, type: "step-finish", usage: parseUsage(part), hasToolCalls: part.reason === "tool-calls" };
    default:
      return { ...base, type: "other" };
  }
}

/** Parses `tokens` and `cost`. OpenCode counts reasoning separately from the rest of the output. */
function parseUsage(raw: UnknownRecord): Usage {
  const tokens = recordOf(raw.tokens);
  const cache = recordOf(tokens.cache);
  return {
    inputTokens: numberOf(tokens.input),
    outputTokens: numberOf(tokens.output) + numberOf(tokens.reasoning),
    cacheReadTokens: numberOf(cache.read),
    cacheWriteTokens: numberOf(cache.write),
    ...(typeof raw.cost === "number" ? { costUsd: raw.cost } : {}),
  };
}

/** The value if it is a list, else an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The strings of a list. */
export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** The value if it is a finite number, else 0. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
