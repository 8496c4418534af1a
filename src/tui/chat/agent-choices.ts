import type { PermissionMode } from "../../contracts/index.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { AgentConnection, ConnectionChoice } from "./agent-connection.ts";
import type { ListedModel } from "./chat-controller.ts";
import type { ChatStore } from "./chat-store.ts";
import { describeConversation } from "./compose-message.ts";
import { readContext } from "./read-context.ts";

/** What {@link AgentChoices} changes. */
export interface AgentChoicesOptions {
  readonly host: ChatHost;
  readonly store: ChatStore;
  readonly connection: AgentConnection;
  /** Sets what the agent has to know with the next message. */
  readonly setContext: (context: readonly string[]) => void;
}

/** What the user chooses for the conversation: agent, model, effort, mode. Between turns only. */
export class AgentChoices {
  readonly #options: AgentChoicesOptions;

  constructor(options: AgentChoicesOptions) {
    this.#options = options;
  }

  /** The effort stays when none is named. */
  async setModel(model: string | undefined, effort = this.#options.connection.choice.effort): Promise<void> {
    await this.#choose({ model, effort });
    // Another model has another window.
    const { store, connection } = this.#options;
    store.change({ modelName: model, effort, contextUsage: undefined });
    // It may take the agent a while.
    void readContext(connection.session, store);
  }

  async setMode(mode: PermissionMode): Promise<void> {
    await this.#choose({ mode });
    this.#options.store.change({ mode });
  }

  /**
   * The models of the agent. The one in use is marked, also where it is the agent's own choice, and has the context window that
   * the agent reports of the conversation: that is what `/context` shows, and a catalogue can differ from it.
   */
  async listModels(): Promise<readonly ListedModel[]> {
    const { store, connection } = this.#options;
    const client = await connection.client();
    const models = await client.listModels();
    const { modelName, contextUsage } = store.snapshot();
    const isListed = models.some(({ model }) => model === modelName);
    // Without it, the list is of use, too.
    const own = isListed ? undefined : await client.getModelDisplayInfo(modelName).catch(() => undefined);
    const current = isListed ? modelName : own?.model;
    const maxTokens = contextUsage?.maxTokens ?? 0;
    const inUse = { isCurrent: true, ...(maxTokens === 0 ? {} : { contextWindowTokens: maxTokens }) };
    return models.map((model) => (model.model === current ? { ...model, ...inUse } : model));
  }

  /**
   * Another agent continues: it receives the conversation with the next message. One that cannot start changes nothing.
   * @throws ClientNotInstalledError, NotSignedInError
   */
  async setAgent(agentType: string): Promise<void> {
    const { host, store, connection } = this.#options;
    const { capabilities } = await connection.client(agentType);
    const { model, reasoningEffort: effort } = host.sessionConfigFor(agentType);
    await connection.choose({ agentType, model, effort });
    this.#handOver();
    store.change({
      ...{ agentType, modelName: model, effort, sessionId: undefined },
      ...{ contextUsage: undefined, capabilities },
    });
  }

  /** The open session continues with other settings; where the agent cannot do that, in a session that receives it as text. */
  async #choose(choice: Partial<ConnectionChoice>): Promise<void> {
    const { connection } = this.#options;
    const id = await connection.choose(choice);
    if (id === undefined) return;
    const { capabilities } = await connection.client();
    if (capabilities.resume) await connection.resume(id);
    else this.#handOver();
  }

  #handOver(): void {
    const { store, setContext } = this.#options;
    const context = describeConversation(store.snapshot().model.entries);
    setContext(context === undefined ? [] : [context]);
  }
}
