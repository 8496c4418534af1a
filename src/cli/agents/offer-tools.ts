import { ForwardingClient, mayOffer } from "../../clients/index.ts";
import type { CodingAgentClient, Session, SessionConfig, ToolDefinition } from "../../contracts/index.ts";
import { visibleLine } from "../../view/index.ts";
import { isVendor } from "./agent-types.ts";

/** Settings of {@link offerTools}. */
export interface OfferToolsOptions {
  /** Loads the tools. */
  readonly load: () => Promise<readonly ToolDefinition[]>;
  /** Receives one line when the agent takes no custom tools. */
  readonly tell: (line: string) => void;
}

/**
 * Offers tools in every session of an agent, except those that the session's own lists of tools leave out. They are loaded
 * when the first session opens. An agent that takes no custom tools works without them.
 */
export function offerTools(client: CodingAgentClient, options: OfferToolsOptions): CodingAgentClient {
  return new OfferingClient(client, options);
}

class OfferingClient extends ForwardingClient {
  readonly #options: OfferToolsOptions;
  #loading: Promise<readonly ToolDefinition[]> | undefined;

  constructor(client: CodingAgentClient, options: OfferToolsOptions) {
    super(client);
    this.#options = options;
  }

  override async createSession(config?: SessionConfig): Promise<Session> {
    return await super.createSession(await this.#withTools(config));
  }

  override async resumeSession(sessionId: string, config?: SessionConfig): Promise<Session> {
    return await super.resumeSession(sessionId, await this.#withTools(config));
  }

  override async forkSession(sessionId: string, config?: SessionConfig): Promise<Session> {
    return await super.forkSession(sessionId, await this.#withTools(config));
  }

  async #withTools(config: SessionConfig | undefined): Promise<SessionConfig | undefined> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined; // the next session tries again
      throw error;
    });
    const tools = (await this.#loading).filter(({ name }) => mayOffer(config ?? {}, name));
    if (tools.length === 0) return config;
    // The session's own tools win over those of the same name.
    const all = new Map([...tools, ...(config?.tools ?? [])].map((tool) => [tool.name, tool]));
    return { ...config, tools: [...all.values()] };
  }

  async #load(): Promise<readonly ToolDefinition[]> {
    const { load, tell } = this.#options;
    const tools = await load();
    if (tools.length === 0) return tools;
    // What an agent over ACP can do is known once it has started.
    if (!isVendor(this.agentType)) await this.inner.start();
    if (this.capabilities.customTools) return tools;
    const name = visibleLine(this.agentType);
    tell(`The agent "${name}" takes no custom tools, so it is offered none of yours.`);
    return [];
  }
}
