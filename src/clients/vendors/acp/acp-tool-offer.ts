import type { ToolContext, ToolDefinition } from "../../../contracts/index.ts";
import { joinTools } from "../../options/read-client-config.ts";
import type { HostedToolCall } from "../../tools/tool-endpoint.ts";
import { type OpenedTools, ToolHost } from "../../tools/tool-host.ts";
import type { AcpSession } from "./acp-session.ts";

/** What the offer of tools depends on. */
export interface AcpToolOfferOptions {
  /** Whether the sessions of a process share their MCP servers. */
  readonly isShared: boolean;
  /** The sessions that may be calling. */
  readonly sessions: () => Iterable<AcpSession>;
}

/** Where tools find their session, once it exists. */
export interface SessionHolder {
  session?: AcpSession;
}

/**
 * Atomic's tools for the sessions of a client, each session at an address of its own. An agent whose sessions share
 * their MCP servers gets one address for all of them: the last one would replace the others. There a call is that of
 * a session in which it was allowed: of that tool, and with these arguments.
 */
export class AcpToolOffer {
  readonly #options: AcpToolOfferOptions;
  readonly #tools = new Map<string, ToolDefinition>();
  #host: ToolHost | undefined;
  /** The address of today's tools, where one is for all sessions. */
  #shared: Promise<OpenedTools> | undefined;

  constructor(options: AcpToolOfferOptions) {
    this.#options = options;
  }

  /** Offers a tool to sessions that are opened from now on, in the place of an earlier one of its name. */
  add(tool: ToolDefinition): void {
    this.#tools.set(tool.name, tool);
    this.#shared = undefined;
  }

  /** The port that tools will be offered at. */
  async listen(): Promise<number> {
    this.#host ??= new ToolHost();
    return this.#host.listen();
  }

  /**
   * The tools for a session that is about to be opened, and its own; nothing when there are none. One with tools of its own
   * shares its process with no other.
   */
  async open(holder: SessionHolder, own: readonly ToolDefinition[] = []): Promise<OpenedTools | undefined> {
    const tools = joinTools(this.#tools, own);
    if (tools.length === 0) return undefined;
    this.#host ??= new ToolHost();
    const host = this.#host;
    if (!this.#options.isShared || own.length > 0)
      return host.open({ tools, context: (call) => holder.session?.takeToolCall(call) });
    this.#shared ??= host.open({ tools, context: (call) => this.#takeCall(call) });
    const { server } = await this.#shared;
    // The others still use it: it is closed with the host.
    return { server, close: async () => {} };
  }

  /** Ends all calls. */
  async stop(): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    this.#shared = undefined;
    await host?.stop();
  }

  #takeCall(call: HostedToolCall): ToolContext | undefined {
    for (const session of this.#options.sessions()) {
      const context = session.takeToolCall(call);
      if (context !== undefined) return context;
    }
    return undefined;
  }
}
