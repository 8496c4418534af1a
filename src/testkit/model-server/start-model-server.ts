import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AtomicError, messageOf } from "../../contracts/index.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";
import { assertReply, assertScript } from "./assert-reply.ts";
import { AwaitableLog } from "./awaitable-log.ts";
import { encodeError } from "./encode-error.ts";
import type { AnswerIdentity } from "./model-answer.ts";
import type { ModelScript } from "./model-reply.ts";
import type { ModelProtocol, ModelRequest } from "./model-request.ts";
import { parseModelRequest } from "./parse-model-request.ts";
import { findRoute, type Route, SERVED_MODELS } from "./route.ts";
import { createTransmission, sendTransmission, type Transmission } from "./send-reply.ts";

/** A model server on 127.0.0.1 whose answers a script decides. */
export interface ModelServer {
  /** `http://127.0.0.1:PORT`. Anthropic clients use it as it is, OpenAI clients add `/v1`. */
  readonly url: string;
  /** The requests to the model so far, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** What the script threw so far. A test that expects none should assert that it is empty. */
  readonly scriptErrors: readonly unknown[];
  /** Forgets the requests so far, for a test that makes very many. */
  forgetRequests(): void;
  /** How many requests the agent aborted before the end of the answer. */
  readonly abortedRequests: number;
  /** Replaces the script for the requests that arrive from now on. */
  setScript(script: ModelScript): void;
  /** Resolves with the first request, past or future, that satisfies the predicate. */
  waitForRequest(
    predicate: (request: ModelRequest) => boolean,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ModelRequest>;
  /** Resolves once the agent has aborted at least this many requests. */
  waitForAbortedRequests(count: number, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Breaks all connections and closes the port. Idempotent. */
  stop(): Promise<void>;
}

/** Settings of {@link startModelServer}. */
export interface ModelServerOptions {
  readonly script: ModelScript;
  /** The port on 127.0.0.1. @default 0, a free one */
  readonly port?: number;
}

/** The server was stopped while a caller waited for a request. */
export class ModelServerStoppedError extends AtomicError {
  constructor(readonly url: string) {
    super(
      "MODEL_SERVER_STOPPED",
      `The model server ${url} stopped before what was waited for happened. Stop it after the agent has finished.`,
    );
  }
}

/**
 * Starts a model server that speaks OpenAI chat completions, OpenAI responses and Anthropic messages, streaming and
 * whole.
 *
 * @example
 * const server = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
 * const response = await fetch(`${server.url}/v1/chat/completions`, {
 *   method: "POST",
 *   body: JSON.stringify({ model: "any", messages: [{ role: "user", content: "Hi" }] }),
 * });
 * await server.stop();
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { script, port = 0 } = options;
  assertScript(script);
  const http = createServer();
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, "127.0.0.1", resolve);
  });
  const address = http.address() as AddressInfo; // a server that listens on a TCP port has one
  return new ScriptedModelServer(http, `http://127.0.0.1:${address.port}`, script);
}

class ScriptedModelServer implements ModelServer {
  readonly scriptErrors: unknown[] = [];
  readonly #requests = new AwaitableLog<ModelRequest>();
  readonly #aborted = new AwaitableLog<ModelRequest>();
  /** Makes the ids of two servers different. */
  readonly #serverId = randomUUID().slice(0, 8);
  readonly #http: Server;
  #script: ModelScript;
  #stopping: Promise<void> | undefined;

  constructor(
    http: Server,
    readonly url: string,
    script: ModelScript,
  ) {
    this.#http = http;
    this.#script = script;
    http.on("request", (message, response) => void this.#serve(message, response));
  }

  get requests(): readonly ModelRequest[] {
    return this.#requests.entries;
  }

  forgetRequests(): void {
    this.#requests.forget();
  }

  get abortedRequests(): number {
    return this.#aborted.entries.length;
  }

  setScript(script: ModelScript): void {
    assertScript(script);
    this.#script = script;
  }

  waitForRequest(
    predicate: (request: ModelRequest) => boolean,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ModelRequest> {
    return this.#requests.waitFor(predicate, options?.signal);
  }

  async waitForAbortedRequests(count: number, options?: { readonly signal?: AbortSignal }): Promise<void> {
    if (count > 0) await this.#aborted.waitFor((_request, index) => index === count - 1, options?.signal);
  }

  stop(): Promise<void> {
    this.#stopping ??= new Promise((resolve) => {
      this.#http.close(() => resolve());
      this.#http.closeAllConnections();
      const reason = new ModelServerStoppedError(this.url);
      this.#requests.close(reason);
      this.#aborted.close(reason);
    });
    return this.#stopping;
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(message);
    if (text === undefined) return;
    const route = findRoute(message.method ?? "GET", message.url ?? "/");
    if (route.type === "model") return this.#answer(route.protocol, { text, message, response });
    sendFixed(route, text, response);
  }

  async #answer(
    protocol: ModelProtocol,
    exchange: { readonly text: string; readonly message: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    const { text, message, response } = exchange;
    const body = parseJson(text);
    if (body === undefined) {
      return sendJson(response, 400, encodeError(protocol, 400, "The body of the request is not JSON."));
    }
    const request: ModelRequest = {
      index: this.#requests.count,
      protocol,
      ...parseModelRequest(protocol, body),
      body,
      headers: flattenHeaders(message),
    };
    const closing = new AbortController();
    let transmission: Transmission | undefined;
    response.on("close", () => {
      const isBrokenByServer =
        transmission?.type === "disconnect" || (transmission?.type === "beginning" && transmission.ending === "reset");
      if (!response.writableFinished && !isBrokenByServer && this.#stopping === undefined) this.#aborted.add(request);
      closing.abort();
    });
    this.#requests.add(request);
    const identity = { id: `${this.#serverId}_${request.index}`, createdAt: Math.floor(Date.now() / 1000) };
    transmission = await this.#decide(request, identity);
    if (!closing.signal.aborted) {
      await sendTransmission(transmission, { response, closed: closing.signal });
    }
  }

  async #decide(request: ModelRequest, identity: AnswerIdentity): Promise<Transmission> {
    try {
      const reply: unknown = await this.#script(request);
      assertReply(reply);
      return createTransmission(reply, request, identity);
    } catch (error) {
      this.scriptErrors.push(error);
      // Agents retry a request that failed with 500, unless this header says otherwise; the script would only fail again.
      const headers = { "x-should-retry": "false" };
      return createTransmission({ type: "error", status: 500, message: messageOf(error), headers }, request, identity);
    }
  }
}

/** The whole body; `undefined` when the sender disconnected before its end. */
async function readBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(Buffer.from(chunk));
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function flattenHeaders(message: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(message.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
  return Object.fromEntries(entries);
}

function sendFixed(route: Exclude<Route, { type: "model" }>, body: string, response: ServerResponse): void {
  switch (route.type) {
    case "health":
      return sendJson(response, 200, { status: "ok" });
    case "models":
      return sendJson(response, 200, { object: "list", data: SERVED_MODELS, has_more: false });
    case "count-tokens":
      return sendJson(response, 200, { input_tokens: estimateTokens(body) });
    case "unknown":
      return sendJson(response, 404, { type: "error", error: { type: "not_found_error", message: route.message } });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
