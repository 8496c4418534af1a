import type { ToolContext, ToolDefinition } from "../../../contracts/index.ts";
import { joinTools } from "../../options/read-client-config.ts";
import type { HostedToolCall } from "../../tools/tool-endpoint.ts";
import { type OpenedTools, ToolHost } from "../../tools/tool-host.ts";
import type { AcpSession } from "./acp-session.ts";

/** Settings of {@link AcpToolOffer}. */
export interface AcpToolOfferOptions {
  /** Whether the sessions of a process share their MCP servers. */
  readonly isShared: boolean;
  /** The sessions that may call a tool. */
  readonly sessions: () => Iterable<AcpSession>;
}

/** Holds the session of its tools once it exists. */
export interface SessionHolder {
  session?: AcpSession;
}

/**
 * Offers Atomic's tools to the sessions of a client, each at its own address. An agent whose sessions share their MCP
 * servers gets one address for all of them, because the last one would replace the others. There a call belongs to the
 * session in which this tool was allowed with these arguments.
 */
export class AcpToolOffer {
  readonly #options: AcpToolOfferOptions;
  readonly #tools = new Map<string, ToolDefinition>();
  #host: ToolHost | undefined;
  /** The shared address of the current tools. */
  #shared: Promise<OpenedTools> | undefined;

  constructor(options: AcpToolOfferOptions) {
    this.#options = options;
  }

  /** Offers a tool to sessions that are opened later. Replaces an earlier tool of the same name. */
  add(tool: ToolDefinition): void {
    this.#tools.set(tool.name, tool);
    this.#shared = undefined;
  }

  /** Returns the port of the tools. */
  async listen(): Promise<number> {
    this.#host ??= new ToolHost();
    return this.#host.listen();
  }

  /**
   * Opens the tools of a session that is about to be opened, its own included; undefined when there are none. A session
   * with tools of its own shares its process with no other.
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
    // Other sessions still use it. It closes together with the host.
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
