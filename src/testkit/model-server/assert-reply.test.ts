import { expect, test } from "bun:test";
import { assertReply, ModelScriptError } from "./assert-reply.ts";
import type { ModelReply, ModelScript } from "./model-reply.ts";
import { scriptConversation } from "./script-conversation.ts";
import { startModelServer } from "./start-model-server.ts";

const EXAMPLE = '({ type: "message", text: "Hello." })';

test.each([
  { reply: undefined, message: `A reply is an object such as ${EXAMPLE}, and not undefined.` },
  { reply: "Hello", message: `A reply is an object such as ${EXAMPLE}, and not "Hello".` },
  {
    reply: { text: "Hello" },
    message: `A reply has one of the types message, error, reset, garbage, stall, and not undefined. An example: ${EXAMPLE}`,
  },
  { reply: { type: "message", text: 3 }, message: "The text of a reply is a string, and not 3." },
  {
    reply: { type: "message", toolCalls: { name: "write" } },
    message:
      'The toolCalls of a reply are a list such as [{ name: "write", input: { filePath: "a.txt" } }], and not {"name":"write"}.',
  },
  {
    reply: { type: "message", txt: "Hello." },
    message: 'A reply of the type message has no "txt". Did you mean "text"?',
  },
  {
    reply: { type: "message", toolCalls: [{ name: "write", arguments: { filePath: "a.txt" } }] },
    message: 'The call of "write" in a reply has no "arguments". Did you mean "input"?',
  },
  {
    reply: { type: "message", usage: { inputTokens: 1, outputToken: 1 } },
    message: 'The usage of a reply has no "outputToken". Did you mean "outputTokens"?',
  },
  {
    reply: { type: "stall", color: 1 },
    message: 'A reply of the type stall has no "color". Its fields: type, afterText.',
  },
  { reply: { type: "error" }, message: "A reply of the type error has a status, such as 500, and a message." },
])("a reply of the wrong shape is reported: $message", async ({ reply, message }) => {
  expect(() => assertReply(reply)).toThrow(message);
  // The cast is the mistake that is made.
  const server = await startModelServer({ script: () => reply as ModelReply });
  try {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "any", messages: [{ role: "user", content: "Hi" }] }),
    });
    expect([response.status, await response.json()]).toEqual([500, { error: expect.objectContaining({ message }) }]);
    expect(server.scriptErrors).toEqual([expect.any(ModelScriptError)]);
  } finally {
    await server.stop();
  }
});

test.each([
  {
    script: [{ type: "message", text: "Hello." }],
    message: `The script of a model server is a function that returns a reply, such as () => ${EXAMPLE}, and not [{"type":"message","text":"Hello."}]. For a list of replies there is scriptConversation([…]).`,
  },
  {
    script: undefined,
    message: `The script of a model server is a function that returns a reply, such as () => ${EXAMPLE}, and not undefined.`,
  },
])("an invalid script is rejected before the server starts: $script", async ({ script, message }) => {
  // The cast is the mistake that is made.
  await expect(startModelServer({ script: script as unknown as ModelScript })).rejects.toThrow(message);
});

test("the steps of a conversation are checked before it starts", () => {
  // The cast is the mistake that is made.
  const steps = ["Hello"] as unknown as readonly ModelReply[];
  expect(() => scriptConversation(steps)).toThrow(`A reply is an object such as ${EXAMPLE}, and not "Hello".`);
  expect(() => scriptConversation({ type: "message" } as unknown as readonly ModelReply[])).toThrow(
    'The steps of a conversation are a list of replies, and not {"type":"message"}.',
  );
  const wrong = [{ type: "message", txt: "Hello" }] as unknown as readonly ModelReply[];
  const message = 'A reply of the type message has no "txt". Did you mean "text"?';
  expect(() => scriptConversation(wrong)).toThrow(message);
  expect(() => scriptConversation([], { sideReply: wrong[0] as ModelReply })).toThrow(message);
});
