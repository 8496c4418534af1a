import { expect, test } from "bun:test";
import type { ModelProtocol, ModelRequestContent } from "./model-request.ts";
import { parseModelRequest } from "./parse-model-request.ts";

const CONVERSATION: ModelRequestContent = {
  model: "m",
  isStreaming: true,
  toolNames: ["read", "write"],
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: "Look at a.txt" },
    { role: "assistant", text: "Reading." },
    { role: "tool", text: "content of a" },
    { role: "tool", text: "content of b" },
    { role: "assistant", text: "Done." },
    { role: "user", text: "Thanks\nBye" },
  ],
};

const CASES: readonly { protocol: ModelProtocol; body: object }[] = [
  {
    protocol: "openai-chat",
    body: {
      model: "m",
      stream: true,
      tools: [
        { type: "function", function: { name: "read" } },
        { type: "function", function: { name: "write" } },
      ],
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "Look at a.txt" },
        {
          role: "assistant",
          content: "Reading.",
          tool_calls: [{ id: "1", function: { name: "read", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "1", content: "content of a" },
        { role: "tool", tool_call_id: "2", content: [{ type: "text", text: "content of b" }] },
        { role: "assistant", content: "Done." },
        {
          role: "user",
          content: [
            { type: "text", text: "Thanks" },
            { type: "image_url", image_url: {} },
            { type: "text", text: "Bye" },
          ],
        },
      ],
    },
  },
  {
    protocol: "openai-responses",
    body: {
      model: "m",
      stream: true,
      instructions: "Be brief.",
      tools: [
        { type: "function", name: "read" },
        { type: "custom", name: "write" },
      ],
      input: [
        { role: "user", content: [{ type: "input_text", text: "Look at a.txt" }] },
        { type: "reasoning", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Reading." }] },
        { type: "function_call", call_id: "1", name: "read", arguments: "{}" },
        { type: "custom_tool_call", call_id: "2", name: "write", input: "" },
        { type: "function_call_output", call_id: "1", output: "content of a" },
        { type: "custom_tool_call_output", call_id: "2", output: [{ type: "input_text", text: "content of b" }] },
        { role: "assistant", content: "Done." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "Thanks" },
            { type: "input_text", text: "Bye" },
          ],
        },
      ],
    },
  },
  {
    protocol: "anthropic-messages",
    body: {
      model: "m",
      stream: true,
      system: [{ type: "text", text: "Be brief." }],
      tools: [{ name: "read" }, { name: "write" }],
      messages: [
        { role: "user", content: "Look at a.txt" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "s" },
            { type: "text", text: "Reading." },
            { type: "tool_use", id: "1", name: "read", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "1", content: "content of a" },
            { type: "tool_result", tool_use_id: "2", content: [{ type: "text", text: "content of b" }] },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "Done." }] },
        {
          role: "user",
          content: [
            { type: "text", text: "Thanks" },
            { type: "text", text: "Bye" },
          ],
        },
      ],
    },
  },
];

test.each(CASES)("the same conversation in $protocol reads the same", ({ protocol, body }) => {
  expect(parseModelRequest(protocol, body)).toEqual(CONVERSATION);
});

test("text that an agent adds to a user's message is not the user's", () => {
  const reminder = "<system-reminder>\nUse the tools.\n</system-reminder>\n";
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: reminder },
        { type: "text", text: "Go" },
      ],
    },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "x", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "1", content: "ok" },
        { type: "text", text: reminder },
      ],
    },
  ];
  expect(parseModelRequest("anthropic-messages", { messages }).messages).toEqual([
    { role: "system", text: reminder },
    { role: "user", text: "Go" },
    { role: "assistant", text: "" },
    { role: "tool", text: "ok" },
    { role: "system", text: reminder },
  ]);
});

test("tools in a namespace carry its name, and built-in ones their type", () => {
  const tools = [
    { type: "namespace", name: "files", tools: [{ name: "read" }, { name: "write" }] },
    { type: "web_search" },
  ];
  expect(parseModelRequest("openai-responses", { tools, input: "hi" })).toEqual({
    model: "",
    isStreaming: false,
    toolNames: ["files/read", "files/write", "web_search"],
    messages: [{ role: "user", text: "hi" }],
  });
});

test.each([
  { title: "null", body: null },
  { title: "a list", body: [] },
  { title: "a text", body: "text" },
  { title: "one with fields of the wrong types", body: { messages: "none", tools: {} } },
])("an odd body reads as empty: $title", ({ body }) => {
  expect(parseModelRequest("openai-chat", body)).toEqual({
    model: "",
    isStreaming: false,
    toolNames: [],
    messages: [],
  });
});
