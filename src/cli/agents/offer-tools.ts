import { ForwardingClient } from "../../clients/index.ts";
import type { CodingAgentClient, Session, SessionConfig, ToolDefinition } from "../../contracts/index.ts";
import { visibleLine } from "../visible/visible-text.ts";
import { isVendor } from "./agent-types.ts";

/** Settings of {@link offerTools}. */
export interface OfferToolsOptions {
  /** Loads the tools. */
  readonly load: () => Promise<readonly ToolDefinition[]>;
  /** Receives one line when the agent takes no custom tools. */
  readonly tell: (line: string) => void;
}

/**
 * Offers tools to every session of an agent. They are loaded when the first session opens. An agent that takes no custom
 * tools works without them.
 */
export function offerTools(client: CodingAgentClient, options: OfferToolsOptions): CodingAgentClient {
  return new OfferingClient(client, options);
}

class OfferingClient extends ForwardingClient {
  readonly #options: OfferToolsOptions;
  #offering: Promise<void> | undefined;

  constructor(client: CodingAgentClient, options: OfferToolsOptions) {
    super(client);
    this.#options = options;
  }

  override async createSession(config?: SessionConfig): Promise<Session> {
    await this.#offer();
    return await super.createSession(config);
  }

  override async resumeSession(sessionId: string, config?: SessionConfig): Promise<Session> {
    await this.#offer();
    return await super.resumeSession(sessionId, config);
  }

  override async forkSession(sessionId: string, config?: SessionConfig): Promise<Session> {
    await this.#offer();
    return await super.forkSession(sessionId, config);
  }

  async #offer(): Promise<void> {
    this.#offering ??= this.#registerAll().catch((error: unknown) => {
      this.#offering = undefined; // the next session tries again
      throw error;
    });
    await this.#offering;
  }

  async #registerAll(): Promise<void> {
    const { load, tell } = this.#options;
    const tools = await load();
    if (tools.length === 0) return;
    // What an agent over ACP can do is known once it has started.
    if (!isVendor(this.agentType)) await this.inner.start();
    if (this.capabilities.customTools) for (const tool of tools) this.inner.registerTool(tool);
    else {
      const name = visibleLine(this.agentType);
      tell(`The agent "${name}" takes no custom tools, so it is offered none of yours.`);
    }
  }
}
