import { describe, expect, test } from "bun:test";
import type { ModelReply } from "./model-reply.ts";
import type { ModelMessage, ModelRequest } from "./model-request.ts";
import { scriptConversation } from "./script-conversation.ts";

const CALL: ModelReply = { type: "message", toolCalls: [{ name: "write", input: {} }] };
const ANSWER: ModelReply = { type: "message", text: "Done." };
const TITLE: ModelReply = { type: "message", text: "Scripted title" };

const user: ModelMessage = { role: "user", text: "Go" };
const assistant: ModelMessage = { role: "assistant", text: "" };
const tool: ModelMessage = { role: "tool", text: "ok" };

function request(messages: readonly ModelMessage[], toolNames: readonly string[] = ["write"]): ModelRequest {
  return {
    index: 9,
    protocol: "openai-chat",
    model: "m",
    messages,
    toolNames,
    isStreaming: true,
    body: {},
    headers: {},
  };
}

describe("scriptConversation", () => {
  const script = scriptConversation([CALL, ANSWER]);

  test.each([
    { title: "the first request", messages: [user], expected: CALL },
    { title: "the request after the tool has run", messages: [user, assistant, tool], expected: ANSWER },
    {
      title: "the first request of the next message",
      messages: [user, assistant, tool, assistant, user],
      expected: CALL,
    },
    {
      title: "a request whose tool result has a reminder beside it",
      messages: [user, assistant, tool, { role: "system", text: "reminder" } as const],
      expected: ANSWER,
    },
  ])("answers $title by the number of turns since the user spoke", async ({ messages, expected }) => {
    expect(await script(request(messages))).toEqual(expected);
    expect(await script(request(messages))).toEqual(expected);
  });

  test("throws when the agent continues after the last step", () => {
    expect(() => script(request([user, assistant, tool, assistant, tool]))).toThrow(
      "The agent asked for reply 3 to one message, but the script has 2. End the script with a reply that calls no tools, or add a step.",
    );
  });
});

describe("a request without tools", () => {
  const titleMessages: readonly ModelMessage[] = [
    { role: "system", text: "You are a title generator." },
    { role: "user", text: "Go" },
  ];

  test.each([
    { title: "for a title", messages: titleMessages, steps: [ANSWER], expected: TITLE },
    {
      title: "for a title in a user's message",
      messages: [{ role: "user", text: "Generate a title for this conversation:\n" } as const, user],
      steps: [ANSWER],
      expected: TITLE,
    },
    { title: "whose step would call tools", messages: [user], steps: [CALL], expected: TITLE },
    { title: "of a conversation without tools", messages: [user], steps: [ANSWER], expected: ANSWER },
  ])("$title", async ({ messages, steps, expected }) => {
    expect(await scriptConversation(steps)(request(messages, []))).toEqual(expected);
  });

  test("gets the side reply of the options", async () => {
    const sideReply: ModelReply = { type: "message", text: "My title" };
    expect(await scriptConversation([ANSWER], { sideReply })(request(titleMessages, []))).toEqual(sideReply);
  });
});
