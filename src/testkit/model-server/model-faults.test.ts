import { afterEach, describe, expect, test } from "bun:test";
import { recordOf } from "../../contracts/index.ts";
import type { ModelReply } from "./model-reply.ts";
import { parseEventStream } from "./parse-event-stream.ts";
import { type ModelServer, ModelServerStoppedError, startModelServer } from "./start-model-server.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(reply: ModelReply): Promise<ModelServer> {
  const server = await startModelServer({ script: () => reply });
  servers.push(server);
  return server;
}

const PROTOCOLS = [
  { protocol: "openai-chat", path: "/v1/chat/completions" },
  { protocol: "openai-responses", path: "/v1/responses" },
  { protocol: "anthropic-messages", path: "/v1/messages" },
] as const;

const CASES = PROTOCOLS.flatMap((protocol) => [
  { ...protocol, kind: "streaming", isStreaming: true },
  { ...protocol, kind: "whole", isStreaming: false },
]);

interface Call {
  readonly path: string;
  readonly isStreaming: boolean;
}

function post(server: ModelServer, call: Call, signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({ model: "m", stream: call.isStreaming, messages: [], input: [] });
  return fetch(server.url + call.path, { method: "POST", body, ...(signal === undefined ? {} : { signal }) });
}

/** Reads until a text has arrived or the connection ends, and says how it ended. */
async function readUntil(response: Response, text?: string): Promise<{ received: string; ending: string }> {
  const decoder = new TextDecoder();
  let received = "";
  try {
    for await (const chunk of response.body ?? []) {
      received += decoder.decode(chunk, { stream: true });
      if (text !== undefined && received.includes(text)) return { received, ending: "found" };
    }
    return { received, ending: "complete" };
  } catch {
    return { received, ending: "broken" };
  }
}

describe.each(CASES)("with a $kind answer of $protocol", (call) => {
  test("an error has the status, the message and the headers of the script", async () => {
    const headers = { "retry-after": "7" };
    const server = await serve({ type: "error", status: 429, message: "Slow down.", headers });
    const response = await post(server, call);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(recordOf(recordOf(await response.json()).error)).toMatchObject({
      type: "rate_limit_error",
      message: "Slow down.",
    });
    expect(server.abortedRequests).toBe(0);
  });

  test("a reset without text breaks the connection before the status", async () => {
    const server = await serve({ type: "reset" });
    const outcome = await post(server, call).then(
      () => "answered",
      () => "broken",
    );
    expect(outcome).toBe("broken");
    expect(server.abortedRequests).toBe(0);
  });

  test("a reset after a text breaks the connection when the text has arrived", async () => {
    const server = await serve({ type: "reset", afterText: "Half" });
    const response = await post(server, call);
    expect(response.status).toBe(200);
    const { received, ending } = await readUntil(response);
    expect(ending).toBe("broken");
    expect(received).toContain('"Half');
    expect(received).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
    if (!call.isStreaming) expect(() => JSON.parse(received)).toThrow();
    expect(server.abortedRequests).toBe(0);
  });

  test("garbage is status 200 and no valid document", async () => {
    const server = await serve({ type: "garbage" });
    const response = await post(server, call);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      call.isStreaming ? "text/event-stream" : "application/json",
    ]);
    const text = await response.text();
    expect(() => JSON.parse(text)).toThrow();
    expect(parseEventStream(text)[0]).toEqual({ data: '{"broken": <html>' });
  });

  test("a stall goes silent after its text, until the agent gives up, which is counted", async () => {
    const server = await serve({ type: "stall", afterText: "Begun" });
    const controller = new AbortController();
    const response = await post(server, call, controller.signal);
    const { received, ending } = await readUntil(response, "Begun");
    expect([ending, received.includes('"Begun')]).toEqual(["found", true]);
    controller.abort();
    await server.waitForAbortedRequests(1);
    expect(server.abortedRequests).toBe(1);
  });

  test("a stall without text sends the status and no end", async () => {
    const server = await serve({ type: "stall" });
    const controller = new AbortController();
    const response = await post(server, call, controller.signal);
    expect(response.status).toBe(200);
    controller.abort();
    await server.waitForAbortedRequests(1);
  });
});

describe("an agent that gives up", () => {
  test("during a slow stream is counted once, and later answers are not touched", async () => {
    const server = await serve({ type: "message", text: "one two three", deltaDelayMs: 60_000 });
    const controller = new AbortController();
    const call = { path: "/v1/chat/completions", isStreaming: true };
    const response = await post(server, call, controller.signal);
    await readUntil(response, "one ");
    controller.abort();
    await server.waitForAbortedRequests(1);
    server.setScript(() => ({ type: "message", text: "fine" }));
    expect(await (await post(server, call)).text()).toContain("[DONE]");
    expect(server.abortedRequests).toBe(1);
  });

  test("before the first byte is counted", async () => {
    const server = await serve({ type: "message", text: "late", delayMs: 60_000 });
    const controller = new AbortController();
    const answer = post(server, { path: "/v1/messages", isStreaming: false }, controller.signal).catch(() => "gave up");
    await server.waitForRequest(() => true);
    controller.abort();
    expect(await answer).toBe("gave up");
    await server.waitForAbortedRequests(1);
  });
});

describe("waitForRequest", () => {
  const call = { path: "/v1/messages", isStreaming: false };

  test("resolves with a request of the past and with one of the future", async () => {
    const server = await serve({ type: "message" });
    const future = server.waitForRequest((request) => request.index === 1);
    await post(server, call);
    expect((await server.waitForRequest((request) => request.protocol === "anthropic-messages")).index).toBe(0);
    await post(server, call);
    expect((await future).index).toBe(1);
  });

  test("rejects with the reason of its signal, and with what the predicate throws", async () => {
    const server = await serve({ type: "message" });
    const controller = new AbortController();
    const cancelled = failureOf(server.waitForRequest(() => false, { signal: controller.signal }));
    const reason = new Error("Enough.");
    controller.abort(reason);
    expect(await cancelled).toBe(reason);
    const failure = new Error("Bad predicate.");
    const failed = failureOf(
      server.waitForRequest(() => {
        throw failure;
      }),
    );
    await post(server, call);
    expect(await failed).toBe(failure);
  });

  test("rejects when the server stops, which breaks open connections and may be called twice", async () => {
    const server = await serve({ type: "stall" });
    const response = await post(server, { ...call, isStreaming: true });
    const failure = failureOf(server.waitForRequest(() => false));
    await Promise.all([server.stop(), server.stop()]);
    expect(await failure).toEqual(new ModelServerStoppedError(server.url));
    expect((await readUntil(response)).ending).toBe("broken");
    expect(server.abortedRequests).toBe(0);
  });
});

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no failure",
    (error: unknown) => error,
  );
}
