import { splitPieces, splitWords } from "../text/split-text.ts";
import type { AnswerToolCall, ModelAnswer } from "./model-answer.ts";
import { ARGUMENT_PIECE_LENGTH, namedFrame, type StreamFrame } from "./stream-frame.ts";

/** An event before it has its place in the sequence. */
interface ResponsesEvent {
  readonly phase: StreamFrame["phase"];
  readonly type: string;
  readonly fields: object;
}

/** A part of an answer: what announces it, what it is in full, and the events in between. */
interface OutputItem {
  readonly announced: object;
  readonly complete: object;
  /** The events that fill the item at this index of the output. */
  readonly fill: (outputIndex: number) => readonly ResponsesEvent[];
}

/** The body of a whole response. */
export function encodeResponsesBody(answer: ModelAnswer): object {
  const output = createItems(answer).map((item) => item.complete);
  return { ...envelope(answer), status: "completed", output, usage: encodeUsage(answer) };
}

/** The events of a streamed response. */
export function encodeResponsesStream(answer: ModelAnswer): readonly StreamFrame[] {
  const opening = { ...envelope(answer), status: "in_progress", output: [], usage: null };
  const events: readonly ResponsesEvent[] = [
    { phase: "open", type: "response.created", fields: { response: opening } },
    { phase: "open", type: "response.in_progress", fields: { response: opening } },
    ...createItems(answer).flatMap((item, index): readonly ResponsesEvent[] => [
      { phase: "open", type: "response.output_item.added", fields: { output_index: index, item: item.announced } },
      ...item.fill(index),
      { phase: "close", type: "response.output_item.done", fields: { output_index: index, item: item.complete } },
    ]),
    { phase: "close", type: "response.completed", fields: { response: encodeResponsesBody(answer) } },
  ];
  return events.map((event, index) => namedFrame(event.phase, event.type, { sequence_number: index, ...event.fields }));
}

function createItems(answer: ModelAnswer): readonly OutputItem[] {
  const items: OutputItem[] = [];
  if (answer.thinking !== "") items.push(reasoningItem(`rs_${answer.id}`, answer.thinking));
  if (answer.text !== "") items.push(messageItem(`msg_${answer.id}`, answer.text));
  return [...items, ...answer.toolCalls.map((call) => (call.isFreeform ? freeformItem(call) : functionItem(call)))];
}

function reasoningItem(id: string, thinking: string): OutputItem {
  const shown = { type: "reasoning", id, encrypted_content: null };
  const part = { type: "summary_text", text: thinking };
  return {
    announced: { ...shown, summary: [] },
    complete: { ...shown, summary: [part] },
    fill: (outputIndex) => {
      const place = { item_id: id, output_index: outputIndex, summary_index: 0 };
      const prefix = "response.reasoning_summary";
      return [
        { phase: "open", type: `${prefix}_part.added`, fields: { ...place, part: { ...part, text: "" } } },
        ...splitWords(thinking).map((word) => deltaEvent(`${prefix}_text.delta`, { ...place, delta: word })),
        { phase: "close", type: `${prefix}_text.done`, fields: { ...place, text: thinking } },
        { phase: "close", type: `${prefix}_part.done`, fields: { ...place, part } },
      ];
    },
  };
}

function messageItem(id: string, text: string): OutputItem {
  const shown = { type: "message", id, role: "assistant" };
  const part = { type: "output_text", text, annotations: [] };
  return {
    announced: { ...shown, status: "in_progress", content: [] },
    complete: { ...shown, status: "completed", content: [part] },
    fill: (outputIndex) => {
      const place = { item_id: id, output_index: outputIndex, content_index: 0 };
      return [
        { phase: "open", type: "response.content_part.added", fields: { ...place, part: { ...part, text: "" } } },
        ...splitWords(text).map((word) => deltaEvent("response.output_text.delta", { ...place, delta: word })),
        { phase: "close", type: "response.output_text.done", fields: { ...place, text } },
        { phase: "close", type: "response.content_part.done", fields: { ...place, part } },
      ];
    },
  };
}

function functionItem(call: AnswerToolCall): OutputItem {
  const id = `fc_${call.id}`;
  const [namespace, name] = splitNamespace(call.name);
  const shown = { type: "function_call", id, call_id: call.id, ...namespace, name };
  return {
    announced: { ...shown, arguments: "", status: "in_progress" },
    complete: { ...shown, arguments: call.argumentsText, status: "completed" },
    fill: (outputIndex) => {
      const place = { item_id: id, output_index: outputIndex };
      const prefix = "response.function_call_arguments";
      return [
        ...argumentPieces(call).map((piece) => deltaEvent(`${prefix}.delta`, { ...place, delta: piece })),
        { phase: "close", type: `${prefix}.done`, fields: { ...place, arguments: call.argumentsText } },
      ];
    },
  };
}

function freeformItem(call: AnswerToolCall): OutputItem {
  const id = `ctc_${call.id}`;
  const shown = { type: "custom_tool_call", id, call_id: call.id, name: call.name };
  return {
    announced: { ...shown, input: "", status: "in_progress" },
    complete: { ...shown, input: call.argumentsText, status: "completed" },
    fill: (outputIndex) => {
      const place = { item_id: id, output_index: outputIndex };
      const prefix = "response.custom_tool_call_input";
      return [
        ...argumentPieces(call).map((piece) => deltaEvent(`${prefix}.delta`, { ...place, delta: piece })),
        { phase: "close", type: `${prefix}.done`, fields: { ...place, input: call.argumentsText } },
      ];
    },
  };
}

function deltaEvent(type: string, fields: object): ResponsesEvent {
  return { phase: "delta", type, fields };
}

function argumentPieces(call: AnswerToolCall): readonly string[] {
  return splitPieces(call.argumentsText, ARGUMENT_PIECE_LENGTH);
}

/** `files/read` is the tool `read` of the namespace `files`; a plain name has no namespace. */
function splitNamespace(toolName: string): readonly [{ readonly namespace?: string }, string] {
  const slash = toolName.indexOf("/");
  return slash === -1 ? [{}, toolName] : [{ namespace: toolName.slice(0, slash) }, toolName.slice(slash + 1)];
}

function envelope(answer: ModelAnswer): object {
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: answer.createdAt,
    model: answer.model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
  };
}

function encodeUsage({ usage }: ModelAnswer): object {
  const inputTokens = usage.inputTokens + usage.cacheReadTokens;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + usage.outputTokens,
  };
}
