import { createHash } from "node:crypto";
import type { OpencodeClient } from "@opencode-ai/sdk/v2/client";
import { type McpServerConfig, type McpServerStatus, recordOf, stringOf } from "../../../../contracts/index.ts";
import { SESSION_SERVER_PREFIX } from "./opencode-rules.ts";

/** The place of a session's MCP servers, which OpenCode shares among all sessions of a folder. */
export interface SessionServersOptions {
  readonly sessionId: string;
  readonly directory: string;
  /** Environment variables that override OpenCode's own for the servers that it starts. */
  readonly childEnv: Readonly<Record<string, string>>;
}

/** An MCP server in the format of OpenCode's API. */
type OpenCodeServer =
  | { type: "local"; command: string[]; environment: Record<string, string> }
  | { type: "remote"; url: string; headers?: Record<string, string>; oauth?: false; timeout?: number };

/** One of Atomic's tools may take a day, in milliseconds. */
const TOOL_TIMEOUT_MS = 86_400_000;

/**
 * The MCP servers of one session. In OpenCode their names begin with the session's prefix, so they differ from those of
 * other sessions and stay the same when the session is resumed. Subscribers never see the prefix.
 */
export class SessionServers {
  /** The prefix of the servers' names, and so of their tools' names. */
  readonly prefix: string;
  readonly #options: SessionServersOptions;
  readonly #names = new Set<string>();

  constructor(options: SessionServersOptions) {
    this.#options = options;
    this.prefix = serverPrefixOf(options.sessionId);
  }

  /**
   * Adds the servers in a session's settings, and the one of Atomic's own tools: all of them, or none if OpenCode rejects
   * one. `load` reports a server that does not start.
   */
  async add(
    sdk: OpencodeClient,
    {
      servers,
      tools,
    }: {
      readonly servers: Readonly<Record<string, McpServerConfig>>;
      readonly tools: McpServerConfig | undefined;
    },
  ): Promise<void> {
    const { directory, childEnv } = this.#options;
    const all = [
      ...Object.entries(servers).map(([name, server]) => ({
        name: `${this.prefix}-${name}`,
        config: toServer(server, childEnv),
      })),
      ...(tools === undefined ? [] : [{ name: this.prefix, config: toToolServer(tools, childEnv) }]),
    ];
    const results = await Promise.allSettled(
      all.map(async ({ name, config }) => {
        await sdk.mcp.add({ directory, name, config }, { throwOnError: true });
        this.#names.add(name);
      }),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed === undefined) return;
    await this.remove(sdk).catch(() => {
      // The caller gets the reason why they could not be added.
    });
    throw failed.reason;
  }

  /** Disconnects the servers that `add` has added, and ends their programs. */
  async remove(sdk: OpencodeClient): Promise<void> {
    const { directory } = this.#options;
    const names = [...this.#names];
    this.#names.clear();
    await Promise.all(names.map((name) => sdk.mcp.disconnect({ directory, name }, { throwOnError: true })));
  }

  /** The state of the session's and the user's servers, without those of other sessions and of Atomic's tools. */
  async load(sdk: OpencodeClient): Promise<readonly McpServerStatus[]> {
    const { data } = await sdk.mcp.status({ directory: this.#options.directory }, { throwOnError: true });
    return Object.entries(recordOf(data)).flatMap(([name, raw]) => {
      const own = name.startsWith(`${this.prefix}-`) ? name.slice(this.prefix.length + 1) : undefined;
      if (own === undefined && name.startsWith(SESSION_SERVER_PREFIX)) return [];
      return [toStatus(own ?? name, raw)];
    });
  }
}

/** The prefix of a session's MCP servers. */
export function serverPrefixOf(sessionId: string): string {
  const hash = createHash("sha256").update(sessionId).digest("hex").slice(0, 8);
  return `${SESSION_SERVER_PREFIX}${hash}`;
}

/** A tool's name for subscribers: Atomic's own tools without a prefix, those of MCP servers as `server_tool`. */
export function bareToolName(name: string, serverPrefix: string): string {
  if (!name.startsWith(serverPrefix)) return name;
  // The prefix is followed by `_tool`, or by `-server_tool`.
  return name.slice(serverPrefix.length + 1);
}

function toServer(server: McpServerConfig, childEnv: Readonly<Record<string, string>>): OpenCodeServer {
  switch (server.type) {
    case "stdio": {
      const { command, args = [], env = {} } = server;
      return { type: "local", command: [command, ...args], environment: { ...childEnv, ...env } };
    }
    case "http": {
      const { url, headers } = server;
      return { type: "remote", url, ...(headers === undefined ? {} : { headers: { ...headers } }) };
    }
  }
}

/** Atomic's own tools need no sign-in. */
function toToolServer(server: McpServerConfig, childEnv: Readonly<Record<string, string>>): OpenCodeServer {
  const config = toServer(server, childEnv);
  return config.type === "remote" ? { ...config, oauth: false, timeout: TOOL_TIMEOUT_MS } : config;
}

function toStatus(name: string, raw: unknown): McpServerStatus {
  const { status, error } = recordOf(raw);
  const detail = stringOf(error) === "" ? {} : { detail: stringOf(error) };
  switch (status) {
    case "connected":
    case "disabled":
      return { name, status, ...detail };
    case "needs_auth":
    case "needs_client_registration":
      return { name, status: "needs-sign-in", ...detail };
    default:
      return { name, status: "failed", ...detail };
  }
}
