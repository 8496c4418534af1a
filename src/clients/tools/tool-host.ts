import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  AtomicError,
  type McpServerConfig,
  OWN_SECRET_PREFIX,
  type ToolContext,
  type ToolDefinition,
  toError,
} from "../../contracts/index.ts";
import { type HostedToolCall, ToolEndpoint } from "./tool-endpoint.ts";

/** Settings of a {@link ToolHost}. */
export interface ToolHostOptions {
  /** How often a caller receives progress while a tool runs, in milliseconds. @default 5_000 */
  readonly progressIntervalMs?: number;
  /** The largest accepted message, in bytes. @default 4 MiB */
  readonly maxBodyBytes?: number;
}

/** What {@link ToolHost.open} serves. */
export interface OpenToolsOptions {
  /** Of tools with the same name, the last one is used. */
  readonly tools: readonly ToolDefinition[];
  /**
   * Called for each call of a tool. Aborting its `abort` ends the call, too. Undefined for a call that was not allowed,
   * which does not run.
   */
  readonly context: (call: HostedToolCall) => ToolContext | undefined;
}

/** Tools at their own address. */
export interface OpenedTools {
  /** What the agent needs to reach them. */
  readonly server: Extract<McpServerConfig, { type: "http" }>;
  /** Ends the calls that run and forgets the address. Idempotent. */
  close(): Promise<void>;
}

/** The tools of a host can no longer be reached. */
export class ToolHostStoppedError extends AtomicError {
  constructor() {
    super("TOOL_HOST_STOPPED", "Tools cannot be offered any more: their host was stopped. Make a new ToolHost.");
  }
}

interface Address {
  readonly tokenHash: Buffer;
  readonly endpoint: ToolEndpoint;
}

interface Listening {
  readonly server: Server;
  readonly port: number;
}

/**
 * Serves Atomic's tools to agents that can only call MCP servers: streamable HTTP on 127.0.0.1, on a free port, from the
 * first `open` until `stop`.
 *
 * 1. Each `open` has its own address and token, which distinguish the calls of one session from those of another.
 * 2. A call needs the token and must not come from a web page. The host rejects another host name or origin (403), then a
 *    wrong address (404), then a wrong token (401).
 *
 * ```ts
 * const host = new ToolHost();
 * const { server, close } = await host.open({ tools: [lint], context: () => context });
 * const session = await client.createSession({ mcpServers: { mine: server } });
 * ```
 */
export class ToolHost {
  readonly #options: Required<ToolHostOptions>;
  readonly #addresses = new Map<string, Address>();
  #listening: Promise<Listening> | undefined;
  #isStopped = false;

  constructor({ progressIntervalMs = 5_000, maxBodyBytes = 4 * 1024 * 1024 }: ToolHostOptions = {}) {
    this.#options = { progressIntervalMs, maxBodyBytes };
  }

  /** Listens before the first `open`, for callers that need the port. @throws ToolHostStoppedError after `stop` */
  async listen(): Promise<number> {
    if (this.#isStopped) throw new ToolHostStoppedError();
    this.#listening ??= this.#listen().catch((error: unknown) => {
      this.#listening = undefined; // the next attempt may succeed
      throw error;
    });
    const { port } = await this.#listening;
    if (this.#isStopped) throw new ToolHostStoppedError();
    return port;
  }

  /** Offers tools at a new address. @throws ToolHostStoppedError after `stop` */
  async open({ tools, context }: OpenToolsOptions): Promise<OpenedTools> {
    const port = await this.listen();
    const path = `/mcp/${randomUUID()}`;
    const token = OWN_SECRET_PREFIX + randomBytes(32).toString("base64url");
    const endpoint = new ToolEndpoint({ tools, context, ...this.#options });
    this.#addresses.set(path, { tokenHash: hashOf(`Bearer ${token}`), endpoint });
    return {
      server: { type: "http", url: `http://127.0.0.1:${port}${path}`, headers: { Authorization: `Bearer ${token}` } },
      close: async () => {
        this.#addresses.delete(path);
        await endpoint.close();
      },
    };
  }

  /** Ends all calls and stops listening. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const endpoints = [...this.#addresses.values()].map(({ endpoint }) => endpoint);
    this.#addresses.clear();
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    // If it could not listen, its callers already got the error.
    const listening = await this.#listening?.catch(() => undefined);
    if (listening === undefined || !listening.server.listening) return;
    const closed = once(listening.server, "close");
    listening.server.close();
    listening.server.closeAllConnections();
    await closed;
  }

  async #listen(): Promise<Listening> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(toError(error)));
    });
    // A tool may take any time: only the caller ends a call.
    server.requestTimeout = 0;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The tool host has no port.");
    return { server, port: address.port };
  }

  /** Invariant 2. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = "", origin, authorization = "" } = request.headers;
    const { port } = (await this.#listening) ?? {};
    const names = [`127.0.0.1:${port}`, `localhost:${port}`];
    if (!names.includes(host) || (origin !== undefined && !names.some((name) => origin === `http://${name}`))) {
      return reject(response, { status: 403, reason: "This host serves programs on this machine only." });
    }
    const address = this.#addresses.get((request.url ?? "").split("?", 1)[0] ?? "");
    if (address === undefined) return reject(response, { status: 404, reason: "No tools are offered here." });
    if (!timingSafeEqual(hashOf(authorization), address.tokenHash)) {
      return reject(response, { status: 401, reason: "The token is missing or wrong." });
    }
    await address.endpoint.handle(request, response);
  }
}

function reject(
  response: ServerResponse,
  { status, reason }: { readonly status: number; readonly reason: string },
): void {
  response.writeHead(status, { "content-type": "text/plain" });
  response.end(reason);
}

/** Hashes have equal length, which the comparison requires. */
function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
