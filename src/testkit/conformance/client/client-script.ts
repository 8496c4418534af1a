import type { ModelReply, ModelToolCall } from "../../model-server/model-reply.ts";
import type { ModelRequest } from "../../model-server/model-request.ts";
import { scriptConversation } from "../../model-server/script-conversation.ts";
import type { ClientBench } from "./client-bench.ts";

/** A reply of the model with text only. */
export function say(text: string): ModelReply {
  return { type: "message", text };
}

/** A reply of the model that calls tools. */
export function callTools(...toolCalls: readonly ModelToolCall[]): ModelReply {
  return { type: "message", toolCalls };
}

/** A reply of the model that calls one tool. */
export function call(name: string, input: unknown): ModelReply {
  return callTools({ name, input });
}

/** A long, slow answer: six seconds in total. */
export const SLOW_REPLY: ModelReply = { type: "message", text: "word ".repeat(200), deltaDelayMs: 30 };

/** Has the model answer each message with these replies, one for each of its calls. */
export function script(bench: ClientBench, ...replies: readonly ModelReply[]): void {
  bench.models.setScript(scriptConversation(replies));
}

/** Decides about each call of the conversation. Other requests, for example for a title, get a short answer. */
export function scriptRequests(bench: ClientBench, decide: (request: ModelRequest) => ModelReply): void {
  bench.models.setScript((request) => (isOfConversation(request) ? decide(request) : say("A title")));
}

/** Whether a request belongs to the conversation: others offer no tools. */
export function isOfConversation(request: ModelRequest): boolean {
  return request.toolNames.length > 0;
}

/** The conversation's requests that contain a text. */
export function requestsWith(bench: ClientBench, text: string): readonly ModelRequest[] {
  return bench.models.requests.filter((request) => isOfConversation(request) && holds(request, text));
}

/** Whether a text is anywhere in a request. */
export function holds(request: ModelRequest, text: string): boolean {
  return encodedBodyOf(request).includes(JSON.stringify(text).slice(1, -1));
}

/** The bodies of requests as JSON, cached. */
const ENCODED_BODIES = new WeakMap<ModelRequest, string>();

/** A request's body as JSON. */
export function encodedBodyOf(request: ModelRequest): string {
  const known = ENCODED_BODIES.get(request) ?? JSON.stringify(request.body);
  ENCODED_BODIES.set(request, known);
  return known;
}

/** The tool results in a request. */
export function toolResultsOf(request: ModelRequest): readonly string[] {
  return request.messages.filter((message) => message.role === "tool").map((message) => message.text);
}

/** The user's last message. */
export function lastUserText(request: ModelRequest): string {
  return request.messages.findLast((message) => message.role === "user")?.text ?? "";
}
