import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import { recordOf, type ToolContext, type ToolDefinition } from "../../contracts/index.ts";
import { runTool, type ToolOutcome } from "./run-tool.ts";

/** A call of a tool by an agent. */
export interface HostedToolCall {
  readonly toolName: string;
  readonly input: unknown;
}

/** What one address of a tool host serves. */
export interface ToolEndpointOptions {
  /** Of tools with the same name, the last one is used. */
  readonly tools: readonly ToolDefinition[];
  /** Called for each call of a tool; undefined for a call that was not allowed. */
  readonly context: (call: HostedToolCall) => ToolContext | undefined;
  /** How often a caller that subscribes to progress receives it while a tool runs, in milliseconds. */
  readonly progressIntervalMs: number;
  /** The largest accepted message, in bytes. */
  readonly maxBodyBytes: number;
}

/** A message of a tool call's, as the protocol's library describes its surroundings. */
type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * The Model Context Protocol at one address, for an authenticated caller. Callers may open any number of MCP sessions
 * there, one after another or concurrently.
 *
 * 1. A call's `abort` is aborted when the context's is, when the caller cancels the call or disconnects, and on `close`.
 * 2. While a tool runs, the connection is never silent: comments keep it open, and callers that request progress receive
 *    it, so that slow tools do not exceed a time limit of the caller.
 */
export class ToolEndpoint {
  readonly #options: ToolEndpointOptions;
  readonly #tools: ReadonlyMap<string, ToolDefinition>;
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>();

  constructor(options: ToolEndpointOptions) {
    this.#options = options;
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  }

  /** Answers a request; resolves when the answer has been sent. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sessionId = request.headers["mcp-session-id"];
    const transport = typeof sessionId === "string" ? this.#sessions.get(sessionId) : await this.#openSession();
    if (transport === undefined) return rejectSession(response);
    const hangUp = new AbortController();
    response.once("close", () => hangUp.abort(new DOMException("The caller hung up.", "AbortError")));
    const auth = { token: "", clientId: "", scopes: [], extra: { hangUp: hangUp.signal } };
    await transport.handleRequest(Object.assign(request, { auth }), response);
    if (transport.sessionId === undefined) await transport.close(); // The request did not open a session.
  }

  /** Ends all sessions and aborts their calls. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((transport) => transport.close()));
  }

  async #openSession(): Promise<StreamableHTTPServerTransport> {
    const { StreamableHTTPServerTransport: Transport } = await import(
      "@modelcontextprotocol/sdk/server/streamableHttp.js"
    );
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, transport),
      maxRequestBodySize: this.#options.maxBodyBytes,
      keepAliveMs: this.#options.progressIntervalMs,
    });
    const server = await this.#createServer();
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    // The cast is true: the class has all of the interface; only its optional members may also be `undefined` by name.
    await server.connect(transport as Parameters<Server["connect"]>[0]);
    return transport;
  }

  async #createServer(): Promise<Server> {
    const { Server } = await import("@modelcontextprotocol/sdk/server/index.js");
    const { CallToolRequestSchema, ListToolsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const server = new Server({ name: "atomic", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      // The protocol knows only objects as input, and says so in every schema.
      tools: [...this.#tools.values()].map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: { ...inputSchema, type: "object" as const },
      })),
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
      this.#call(params.name, params.arguments ?? {}, extra),
    );
    return server;
  }

  async #call(name: string, input: unknown, extra: CallExtra): Promise<CallToolResult> {
    const tool = this.#tools.get(name);
    const { isError, text } =
      tool === undefined
        ? { isError: true, text: `No tool named "${name}". Known tools: ${[...this.#tools.keys()].join(", ")}.` }
        : await this.#run(tool, input, extra);
    return { isError, content: [{ type: "text", text }] };
  }

  async #run(tool: ToolDefinition, input: unknown, extra: CallExtra): Promise<ToolOutcome> {
    const context = this.#options.context({ toolName: tool.name, input });
    if (context === undefined)
      return { isError: true, text: `This call of "${tool.name}" was not allowed, so it did not run.` };
    const abort = AbortSignal.any([context.abort, extra.signal, ...hangUpOf(extra)]);
    const stopProgress = tellProgress(extra, this.#options.progressIntervalMs);
    try {
      return await runTool(tool, input, { ...context, abort });
    } catch {
      return { isError: true, text: "The call was cancelled." }; // `runTool` rejects for no other reason
    } finally {
      stopProgress();
    }
  }
}

/** Invariant 1. The protocol's library passes on what `handle` put there. */
function hangUpOf(extra: CallExtra): readonly AbortSignal[] {
  const { hangUp } = recordOf(extra.authInfo?.extra);
  return hangUp instanceof AbortSignal ? [hangUp] : [];
}

/** Invariant 2. */
function tellProgress(extra: CallExtra, intervalMs: number): () => void {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress } }).catch(() => {
      // The caller has disconnected, which ends the call anyway.
    });
  }, intervalMs);
  return () => clearInterval(timer);
}

/** Makes callers open a new session. */
function rejectSession(response: ServerResponse): void {
  response.writeHead(404, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Session not found" } }));
}
