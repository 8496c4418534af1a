import { afterEach, describe, expect, test } from "bun:test";
import { isRecord, recordOf, recordsOf, stringOf } from "../../contracts/index.ts";
import type { ModelReply } from "./model-reply.ts";
import type { ModelProtocol } from "./model-request.ts";
import { parseEventStream } from "./parse-event-stream.ts";
import { type ModelServer, startModelServer } from "./start-model-server.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(script: () => ModelReply): Promise<ModelServer> {
  const server = await startModelServer({ script });
  servers.push(server);
  return server;
}

const PATHS: Readonly<Record<ModelProtocol, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages?beta=true",
};

function bodyFor(protocol: ModelProtocol, isStreaming: boolean): object {
  const messages = [{ role: "user", content: "Hi there" }];
  return {
    model: "some-model",
    stream: isStreaming,
    ...(protocol === "openai-responses" ? { input: messages } : { messages }),
    ...(protocol === "openai-chat" && isStreaming ? { stream_options: { include_usage: true } } : {}),
  };
}

function post(server: ModelServer, protocol: ModelProtocol, isStreaming: boolean): Promise<Response> {
  return fetch(server.url + PATHS[protocol], {
    method: "POST",
    headers: { "content-type": "application/json", "x-test": "yes" },
    body: JSON.stringify(bodyFor(protocol, isStreaming)),
  });
}

/** What a client makes of an answer, whatever the protocol. */
interface Understood {
  readonly thinking: string;
  readonly textParts: readonly string[];
  readonly calls: readonly { readonly name: string; readonly argumentsText: string }[];
  readonly finish: unknown;
  readonly usage: unknown;
}

function understandChat(text: string): Understood {
  const chunks = parseEventStream(text).map((event) => recordOf(event.data));
  const choices = chunks.flatMap((chunk) => recordsOf(chunk.choices));
  const deltas = choices.map((choice) => recordOf(choice.delta));
  const pieces = deltas.flatMap((delta) => recordsOf(delta.tool_calls));
  const calls: { name: string; argumentsText: string }[] = [];
  for (const piece of pieces) {
    const call = recordOf(piece.function);
    const index = Number(piece.index);
    const known = calls[index] ?? { name: stringOf(call.name), argumentsText: "" };
    calls[index] = { ...known, argumentsText: known.argumentsText + stringOf(call.arguments) };
  }
  return {
    thinking: deltas.map((delta) => stringOf(delta.reasoning_content)).join(""),
    textParts: deltas.map((delta) => stringOf(delta.content)).filter((part) => part !== ""),
    calls,
    finish: choices.at(-1)?.finish_reason,
    usage: chunks.find((chunk) => isRecord(chunk.usage))?.usage,
  };
}

function understandResponses(text: string): Understood {
  const events = parseEventStream(text).map((event) => recordOf(event.data));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
  const ofType = (type: string) => events.filter((event) => event.type === type);
  const last = recordOf(events.at(-1)?.response);
  const added = ofType("response.output_item.added").map((event) => recordOf(event.item));
  return {
    thinking: ofType("response.reasoning_summary_text.delta")
      .map((event) => stringOf(event.delta))
      .join(""),
    textParts: ofType("response.output_text.delta").map((event) => stringOf(event.delta)),
    calls: added
      .filter((item) => item.type === "function_call")
      .map((item) => ({
        name: stringOf(item.name),
        argumentsText: ofType("response.function_call_arguments.delta")
          .filter((event) => event.item_id === item.id)
          .map((event) => stringOf(event.delta))
          .join(""),
      })),
    finish: last.status,
    usage: last.usage,
  };
}

function understandMessages(text: string): Understood {
  const stream = parseEventStream(text);
  expect(stream.map((event) => event.event)).toEqual(stream.map((event) => stringOf(recordOf(event.data).type)));
  const events = stream.map((event) => recordOf(event.data));
  const deltas = events.filter((event) => event.type === "content_block_delta");
  const parts = (type: string, field: string) =>
    deltas
      .map((event) => recordOf(event.delta))
      .flatMap((delta) => (delta.type === type ? [stringOf(delta[field])] : []));
  const start = recordOf(recordOf(events[0]).message);
  const end = recordOf(events.find((event) => event.type === "message_delta"));
  return {
    thinking: parts("thinking_delta", "thinking").join(""),
    textParts: parts("text_delta", "text"),
    calls: events
      .filter((event) => recordOf(event.content_block).type === "tool_use")
      .map((event) => ({
        name: stringOf(recordOf(event.content_block).name),
        argumentsText: deltas
          .filter((delta) => delta.index === event.index)
          .map((delta) => stringOf(recordOf(delta.delta).partial_json))
          .join(""),
      })),
    finish: recordOf(end.delta).stop_reason,
    usage: { ...recordOf(start.usage), ...recordOf(end.usage) },
  };
}

const CHAT_USAGE = {
  prompt_tokens: 130,
  completion_tokens: 7,
  total_tokens: 137,
  prompt_tokens_details: { cached_tokens: 30 },
};
const RESPONSES_USAGE = {
  input_tokens: 130,
  input_tokens_details: { cached_tokens: 30 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 137,
};
const MESSAGES_USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 30,
  output_tokens: 7,
};

const DIALECTS = [
  { protocol: "openai-chat", understand: understandChat, usage: CHAT_USAGE, stop: "stop", calls: "tool_calls" },
  {
    protocol: "openai-responses",
    understand: understandResponses,
    usage: RESPONSES_USAGE,
    stop: "completed",
    calls: "completed",
  },
  {
    protocol: "anthropic-messages",
    understand: understandMessages,
    usage: MESSAGES_USAGE,
    stop: "end_turn",
    calls: "tool_use",
  },
] as const;

const USAGE = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 30 };

describe.each(DIALECTS)("a stream of $protocol", ({ protocol, understand, usage, stop, calls }) => {
  test("carries thinking, text word by word, and exactly the scripted usage", async () => {
    const server = await serve(() => ({
      type: "message",
      thinking: "Let me see.",
      text: "One  two\nthree",
      usage: USAGE,
    }));
    const response = await post(server, protocol, true);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(understand(await response.text())).toEqual({
      thinking: "Let me see.",
      textParts: ["One  ", "two\n", "three"],
      calls: [],
      finish: stop,
      usage,
    });
  });

  test("carries the arguments of several tool calls in pieces", async () => {
    const input = { path: "notes/größe.txt", content: `${"long ".repeat(20)}😀` };
    const toolCalls = [
      { name: "write", input },
      { name: "noArguments", input: {} },
    ];
    const server = await serve(() => ({ type: "message", text: "Ok.", toolCalls, usage: USAGE }));
    const text = await (await post(server, protocol, true)).text();
    const understood = understand(text);
    expect(understood.finish).toBe(calls);
    expect(understood.textParts).toEqual(["Ok."]);
    expect(understood.calls.map((call) => [call.name, JSON.parse(call.argumentsText)])).toEqual([
      ["write", input],
      ["noArguments", {}],
    ]);
    expect(text).not.toContain("\\ud8"); // no half of a surrogate pair on its own
  });

  test("pauses before the first byte and between deltas", async () => {
    const server = await serve(() => ({ type: "message", text: "a b c", delayMs: 40, deltaDelayMs: 20 }));
    const start = performance.now();
    const response = await post(server, protocol, true);
    const headersAt = performance.now() - start;
    await response.text();
    expect(headersAt).toBeGreaterThan(35);
    expect(performance.now() - start).toBeGreaterThan(75);
  });
});

describe("a whole answer", () => {
  const reply: ModelReply = {
    type: "message",
    thinking: "Hm.",
    text: "Hello.",
    toolCalls: [{ name: "read", input: { path: "a" } }],
    usage: USAGE,
  };

  test("of openai-chat has text, tool calls and usage", async () => {
    const server = await serve(() => reply);
    const body = recordOf(await (await post(server, "openai-chat", false)).json());
    const call = { id: expect.any(String), type: "function", function: { name: "read", arguments: '{"path":"a"}' } };
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl_/),
      object: "chat.completion",
      created: expect.any(Number),
      model: "some-model",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello.", reasoning_content: "Hm.", tool_calls: [call] },
          finish_reason: "tool_calls",
        },
      ],
      usage: CHAT_USAGE,
    });
  });

  test("of openai-responses has text, tool calls and usage", async () => {
    const server = await serve(() => reply);
    const body = recordOf(await (await post(server, "openai-responses", false)).json());
    expect(body).toMatchObject({
      object: "response",
      status: "completed",
      model: "some-model",
      usage: RESPONSES_USAGE,
    });
    expect(recordsOf(body.output)).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello.", annotations: [] }] },
      { type: "function_call", name: "read", arguments: '{"path":"a"}', status: "completed" },
    ]);
  });

  test("of anthropic-messages has text, tool calls and usage", async () => {
    const server = await serve(() => reply);
    const body = recordOf(await (await post(server, "anthropic-messages", false)).json());
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_/),
      type: "message",
      role: "assistant",
      model: "some-model",
      stop_sequence: null,
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: "Hm.", signature: expect.any(String) },
        { type: "text", text: "Hello." },
        { type: "tool_use", id: expect.stringMatching(/^call_/), name: "read", input: { path: "a" } },
      ],
      usage: MESSAGES_USAGE,
    });
  });

  test("without a scripted usage estimates it from the lengths", async () => {
    const server = await serve(() => ({ type: "message", text: "Twelve chars" }));
    const body = recordOf(await (await post(server, "anthropic-messages", false)).json());
    const inputTokens = Math.ceil(JSON.stringify(bodyFor("anthropic-messages", false)).length / 4);
    expect(body.usage).toEqual({
      ...MESSAGES_USAGE,
      input_tokens: inputTokens,
      cache_read_input_tokens: 0,
      output_tokens: 3,
    });
  });
});

describe("the protocols' special cases", () => {
  test("an OpenAI chat client that asked for no usage finds it on the last chunk", async () => {
    const server = await serve(() => ({ type: "message", text: "Hi", usage: USAGE }));
    const body = JSON.stringify({ model: "m", stream: true, messages: [] });
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body });
    const chunks = parseEventStream(await response.text());
    expect(chunks.at(-1)?.data).toBe("[DONE]");
    expect(chunks.at(-2)?.data).toMatchObject({ choices: [{ finish_reason: "stop" }], usage: CHAT_USAGE });
  });

  test("a free-form tool of the responses protocol gets plain text", async () => {
    const server = await serve(() => ({
      type: "message",
      toolCalls: [{ name: "patch", input: { input: "*** Begin" } }],
    }));
    const tools = [{ type: "custom", name: "patch" }];
    const body = JSON.stringify({ model: "m", stream: true, input: "go", tools });
    const events = parseEventStream(await (await fetch(`${server.url}/v1/responses`, { method: "POST", body })).text());
    const done = events.map((event) => recordOf(event.data)).find((data) => data.type === "response.output_item.done");
    expect(done?.item).toMatchObject({ type: "custom_tool_call", name: "patch", input: "*** Begin" });
  });

  test("a tool in a namespace is called by its name and its namespace", async () => {
    const server = await serve(() => ({ type: "message", toolCalls: [{ name: "files/read", input: {} }] }));
    const body = recordOf(await (await post(server, "openai-responses", false)).json());
    expect(body.output).toMatchObject([{ type: "function_call", namespace: "files", name: "read" }]);
  });
});

describe("the server around the model", () => {
  test("answers to HEAD, to the list of models and to token counts", async () => {
    const server = await serve(() => ({ type: "message" }));
    expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
    const models = recordOf(await (await fetch(`${server.url}/v1/models`)).json());
    expect(recordsOf(models.data).map((model) => model.id)).toEqual(["scripted-model"]);
    const count = await fetch(`${server.url}/v1/messages/count_tokens`, { method: "POST", body: "12345678" });
    expect(await count.json()).toEqual({ input_tokens: 2 });
    expect(server.requests).toEqual([]);
  });

  test("names what it serves when it does not know a path", async () => {
    const server = await serve(() => ({ type: "message" }));
    const response = await fetch(`${server.url}/v1/embeddings`, { method: "POST", body: "{}" });
    expect(response.status).toBe(404);
    expect(recordOf(recordOf(await response.json()).error).message).toBe(
      "Nothing is served at POST /v1/embeddings. Served: POST /v1/chat/completions, POST /v1/responses, POST /v1/messages, POST /v1/messages/count_tokens, GET /v1/models, GET /, HEAD /.",
    );
  });

  test("rejects a body that is not JSON", async () => {
    const server = await serve(() => ({ type: "message" }));
    const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body: "{" });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "The body of the request is not JSON." },
    });
  });

  test("records requests with their headers and answers to the script that is set", async () => {
    const server = await serve(() => ({ type: "message", text: "first" }));
    await post(server, "anthropic-messages", false);
    server.setScript((request) => ({ type: "message", text: `reply ${request.index}` }));
    const second = recordOf(await (await post(server, "anthropic-messages", false)).json());
    expect(second.content).toEqual([{ type: "text", text: "reply 1" }]);
    expect(server.requests.map(({ headers, ...rest }) => ({ ...rest, header: headers["x-test"] }))).toEqual(
      [0, 1].map((index) => ({
        index,
        protocol: "anthropic-messages",
        model: "some-model",
        messages: [{ role: "user", text: "Hi there" }],
        toolNames: [],
        isStreaming: false,
        body: bodyFor("anthropic-messages", false),
        header: "yes",
      })),
    );
  });

  test("a script that throws answers 500, keeps the error and asks for no retry", async () => {
    const failure = new Error("The script is broken.");
    const server = await serve(() => {
      throw failure;
    });
    const response = await post(server, "openai-chat", true);
    expect(response.status).toBe(500);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(recordOf(await response.json()).error).toMatchObject({
      message: "The script is broken.",
      type: "server_error",
    });
    expect(server.scriptErrors).toEqual([failure]);
  });

  test("cannot start on a port that is taken", async () => {
    const server = await serve(() => ({ type: "message" }));
    const port = Number(new URL(server.url).port);
    await expect(startModelServer({ port, script: () => ({ type: "message" }) })).rejects.toThrow(/EADDRINUSE|in use/);
  });
});
