import { splitPieces, splitWords } from "../text/split-text.ts";
import type { ModelAnswer } from "./model-answer.ts";
import { ARGUMENT_PIECE_LENGTH, namedFrame, type StreamFrame } from "./stream-frame.ts";

/** Thinking comes with a signature that agents hand back unread. */
const THINKING_SIGNATURE = "c2NyaXB0ZWQ=";

/** A part of an answer: what announces it, what it is in full, and the deltas in between. */
interface ContentBlock {
  readonly announced: object;
  readonly complete: object;
  readonly deltas: readonly object[];
}

/** The body of a whole message. */
export function encodeMessagesBody(answer: ModelAnswer): object {
  return {
    ...envelope(answer),
    content: createBlocks(answer).map((block) => block.complete),
    stop_reason: stopReason(answer),
    usage: { ...encodeInputUsage(answer), output_tokens: answer.usage.outputTokens },
  };
}

/** The events of a streamed message. */
export function encodeMessagesStream(answer: ModelAnswer): readonly StreamFrame[] {
  const opening = {
    ...envelope(answer),
    content: [],
    stop_reason: null,
    usage: { ...encodeInputUsage(answer), output_tokens: 0 },
  };
  return [
    namedFrame("open", "message_start", { message: opening }),
    ...createBlocks(answer).flatMap((block, index) => [
      namedFrame("open", "content_block_start", { index, content_block: block.announced }),
      ...block.deltas.map((delta) => namedFrame("delta", "content_block_delta", { index, delta })),
      namedFrame("close", "content_block_stop", { index }),
    ]),
    namedFrame("close", "message_delta", {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: answer.usage.outputTokens },
    }),
    namedFrame("close", "message_stop", {}),
  ];
}

function createBlocks(answer: ModelAnswer): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  if (answer.thinking !== "") blocks.push(thinkingBlock(answer.thinking));
  if (answer.text !== "") blocks.push(textBlock(answer.text));
  for (const call of answer.toolCalls) {
    const shown = { type: "tool_use", id: call.id, name: call.name };
    blocks.push({
      announced: { ...shown, input: {} },
      complete: { ...shown, input: call.input },
      deltas: splitPieces(call.argumentsText, ARGUMENT_PIECE_LENGTH).map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      })),
    });
  }
  return blocks;
}

function thinkingBlock(thinking: string): ContentBlock {
  return {
    announced: { type: "thinking", thinking: "", signature: "" },
    complete: { type: "thinking", thinking, signature: THINKING_SIGNATURE },
    deltas: [
      ...splitWords(thinking).map((word) => ({ type: "thinking_delta", thinking: word })),
      { type: "signature_delta", signature: THINKING_SIGNATURE },
    ],
  };
}

function textBlock(text: string): ContentBlock {
  return {
    announced: { type: "text", text: "" },
    complete: { type: "text", text },
    deltas: splitWords(text).map((word) => ({ type: "text_delta", text: word })),
  };
}

function envelope(answer: ModelAnswer): object {
  return { id: `msg_${answer.id}`, type: "message", role: "assistant", model: answer.model, stop_sequence: null };
}

function stopReason(answer: ModelAnswer): string {
  return answer.toolCalls.length > 0 ? "tool_use" : "end_turn";
}

function encodeInputUsage({ usage }: ModelAnswer): object {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cacheReadTokens,
  };
}
