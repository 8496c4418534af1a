import { recordOf } from "../../contracts/index.ts";
import { splitPieces, splitWords } from "../text/split-text.ts";
import type { ModelAnswer } from "./model-answer.ts";
import { ARGUMENT_PIECE_LENGTH, dataFrame, type StreamFrame } from "./stream-frame.ts";

/** The body of a whole chat completion. */
export function encodeChatBody(answer: ModelAnswer): object {
  const calls = answer.toolCalls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.argumentsText },
  }));
  const message = {
    role: "assistant",
    content: answer.text === "" && calls.length > 0 ? null : answer.text,
    ...(answer.thinking === "" ? {} : { reasoning_content: answer.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...envelope(answer, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: finishReason(answer) }],
    usage: encodeUsage(answer),
  };
}

/**
 * The chunks of a streamed chat completion. An agent that asked for it gets the usage in a chunk of its own, as the
 * protocol says; any other finds it on the last chunk, where many servers put it.
 */
export function encodeChatStream(answer: ModelAnswer, requestBody: unknown): readonly StreamFrame[] {
  const base = envelope(answer, "chat.completion.chunk");
  const chunk = (phase: StreamFrame["phase"], delta: object): StreamFrame =>
    dataFrame(phase, { ...base, choices: [{ index: 0, delta, finish_reason: null }] });
  const last = { ...base, choices: [{ index: 0, delta: {}, finish_reason: finishReason(answer) }] };
  const usage = encodeUsage(answer);
  const asksForUsage = recordOf(recordOf(requestBody).stream_options).include_usage === true;
  return [
    chunk("open", { role: "assistant", content: "" }),
    ...splitWords(answer.thinking).map((word) => chunk("delta", { reasoning_content: word })),
    ...splitWords(answer.text).map((word) => chunk("delta", { content: word })),
    ...encodeCalls(answer).map(({ phase, call }) => chunk(phase, { tool_calls: [call] })),
    ...(asksForUsage
      ? [dataFrame("close", last), dataFrame("close", { ...base, choices: [], usage })]
      : [dataFrame("close", { ...last, usage })]),
    { phase: "close", bytes: "data: [DONE]\n\n" },
  ];
}

function encodeCalls(answer: ModelAnswer): readonly { phase: "open" | "delta"; call: object }[] {
  return answer.toolCalls.flatMap((call, index) => [
    {
      phase: "open" as const, // without it TypeScript widens the literal to string
      call: { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } },
    },
    ...splitPieces(call.argumentsText, ARGUMENT_PIECE_LENGTH).map((piece) => ({
      phase: "delta" as const, // as above
      call: { index, function: { arguments: piece } },
    })),
  ]);
}

function envelope(answer: ModelAnswer, object: string): object {
  return { id: `chatcmpl_${answer.id}`, object, created: answer.createdAt, model: answer.model };
}

function finishReason(answer: ModelAnswer): string {
  return answer.toolCalls.length > 0 ? "tool_calls" : "stop";
}

function encodeUsage({ usage }: ModelAnswer): object {
  const promptTokens = usage.inputTokens + usage.cacheReadTokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: promptTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
  };
}
