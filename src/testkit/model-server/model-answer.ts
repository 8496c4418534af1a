import { isRecord, recordOf, recordsOf, stringOf } from "../../contracts/index.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";
import type { ModelReply, ModelUsage } from "./model-reply.ts";
import type { ModelRequest } from "./model-request.ts";

/** A tool call with everything a protocol needs to write it down. */
export interface AnswerToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The arguments as the model would write them: JSON, or plain text for a free-form tool. */
  readonly argumentsText: string;
  /** Whether the agent offered the tool as one that takes plain text (`type: "custom"`). */
  readonly isFreeform: boolean;
}

/** A scripted message with all its blanks filled in; encoders only translate it. */
export interface ModelAnswer {
  /** Unique across servers: a conversation may move from one to another. */
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly thinking: string;
  readonly text: string;
  readonly toolCalls: readonly AnswerToolCall[];
  readonly usage: Required<ModelUsage>;
}

/** What an answer needs from outside. */
export interface AnswerIdentity {
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

/** Fills in ids, encoded arguments and, if the script sets none, an estimated usage. */
export function createAnswer(
  reply: Extract<ModelReply, { type: "message" }>,
  request: ModelRequest,
  identity: AnswerIdentity,
): ModelAnswer {
  const { text = "", thinking = "", toolCalls = [], usage } = reply;
  const calls = toolCalls.map((call, position): AnswerToolCall => {
    const isFreeform = isFreeformTool(request.body, call.name);
    return {
      id: `call_${identity.id}_${position}`,
      name: call.name,
      input: call.input ?? {},
      argumentsText: isFreeform ? freeformText(call.input) : JSON.stringify(call.input ?? {}),
      isFreeform,
    };
  });
  const written = [thinking, text, ...calls.flatMap((call) => [call.name, call.argumentsText])].join("");
  const counted = usage ?? {
    inputTokens: estimateTokens(JSON.stringify(request.body) ?? ""),
    outputTokens: estimateTokens(written),
  };
  return {
    ...identity,
    model: request.model,
    thinking,
    text,
    toolCalls: calls,
    usage: { cacheReadTokens: 0, ...counted },
  };
}

function isFreeformTool(body: unknown, name: string): boolean {
  return recordsOf(recordOf(body).tools).some((tool) => tool.type === "custom" && tool.name === name);
}

function freeformText(input: unknown): string {
  if (typeof input === "string") return input;
  if (isRecord(input) && typeof input.input === "string") return stringOf(input.input);
  return JSON.stringify(input ?? "");
}
