import type { ModelReply, ModelToolCall } from "../../model-server/model-reply.ts";
import type { ModelRequest } from "../../model-server/model-request.ts";
import { scriptConversation } from "../../model-server/script-conversation.ts";
import type { ClientBench } from "./client-bench.ts";

/** A reply of the model's that is text only. */
export function say(text: string): ModelReply {
  return { type: "message", text };
}

/** A reply of the model's that calls tools. */
export function callTools(...toolCalls: readonly ModelToolCall[]): ModelReply {
  return { type: "message", toolCalls };
}

/** A reply of the model's that calls one tool. */
export function call(name: string, input: unknown): ModelReply {
  return callTools({ name, input });
}

/** A long answer that comes slowly: six seconds in all. */
export const SLOW_REPLY: ModelReply = { type: "message", text: "word ".repeat(200), deltaDelayMs: 30 };

/** Has the model answer each message with these replies, one for each of its calls. */
export function script(bench: ClientBench, ...replies: readonly ModelReply[]): void {
  bench.models.setScript(scriptConversation(replies));
}

/** Decides about each call of the conversation; what agents ask beside it, as for a title, is answered shortly. */
export function scriptRequests(bench: ClientBench, decide: (request: ModelRequest) => ModelReply): void {
  bench.models.setScript((request) => (isOfConversation(request) ? decide(request) : say("A title")));
}

/** Whether a request belongs to a conversation: those that agents make beside it offer no tools. */
export function isOfConversation(request: ModelRequest): boolean {
  return request.toolNames.length > 0;
}

/** The conversation's requests that hold a text anywhere. */
export function requestsWith(bench: ClientBench, text: string): readonly ModelRequest[] {
  return bench.models.requests.filter((request) => isOfConversation(request) && holds(request, text));
}

/** Whether a text is anywhere in a request. */
export function holds(request: ModelRequest, text: string): boolean {
  return encodedBodyOf(request).includes(JSON.stringify(text).slice(1, -1));
}

/** The bodies of requests as JSON, written down once. */
const ENCODED_BODIES = new WeakMap<ModelRequest, string>();

/** A request's body as JSON. */
export function encodedBodyOf(request: ModelRequest): string {
  const known = ENCODED_BODIES.get(request) ?? JSON.stringify(request.body);
  ENCODED_BODIES.set(request, known);
  return known;
}

/** What the model has been told of its tools' results. */
export function toolResultsOf(request: ModelRequest): readonly string[] {
  return request.messages.filter((message) => message.role === "tool").map((message) => message.text);
}

/** What the user said last. */
export function lastUserText(request: ModelRequest): string {
  return request.messages.findLast((message) => message.role === "user")?.text ?? "";
}
