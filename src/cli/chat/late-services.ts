import type { PermissionMemory } from "../../contracts/index.ts";
import type { ChatHost } from "../../tui/index.ts";
import type { ChatServices, ConversationContext } from "./open-chat-services.ts";

/** The part of the host that is loaded after the first frame. */
type LateHost = Omit<ChatServices, "permissionMemory" | "stop"> & Partial<ChatHost>;

/** The chat's services, loaded when one is first used, and not before the first frame is drawn. Calls wait for them. */
export class LateServices {
  readonly #context: ConversationContext;
  readonly #drawn: Promise<void>;
  readonly #stopping = new AbortController();
  #opening: Promise<ChatServices> | undefined;
  #opened: ChatServices | undefined;

  constructor(context: ConversationContext, drawn: Promise<void>) {
    this.#context = context;
    this.#drawn = drawn;
  }

  readonly ofHost: LateHost = {
    openClient: async (agentType) => await (await this.#services()).openClient(agentType),
    loadCommands: async (signal, onPart) => await (await this.#services()).loadCommands(signal, onPart),
    runShell: async (command, run) => await (await this.#services()).runShell(command, run),
    listFiles: async (signal) => await (await this.#services()).listFiles(signal),
    readBranch: async () => await (await this.#services()).readBranch(),
    describe: async (topic) => await (await this.#services()).describe(topic),
    saveSetting: async (name, value) => await (await this.#services()).saveSetting(name, value),
    history: {
      load: async () => await (await this.#services()).history.load(),
      append: async (message) => await (await this.#services()).history.append(message),
    },
    conversations: {
      list: async () => await (await this.#services()).conversations.list(),
      save: async (conversation) => await (await this.#services()).conversations.save(conversation),
      saveEntries: async (id, json) => await (await this.#services()).conversations.saveEntries?.(id, json),
      loadEntries: async (id) => await (await this.#services()).conversations.loadEntries?.(id),
    },
  };

  readonly permissionMemory: PermissionMemory = {
    isAllowed: async (request) => await (await this.#services()).permissionMemory.isAllowed(request),
    allow: async (request) => await (await this.#services()).permissionMemory.allow(request),
  };

  /** Ends the agents. Does not wait for what is still loading: it opens nothing afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort(new DOMException("The chat has ended.", "AbortError"));
    await this.#opened?.stop();
  }

  #services(): Promise<ChatServices> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<ChatServices> {
    await this.#drawn;
    const { openChatServices } = await loadModules(this.#stopping.signal);
    this.#stopping.signal.throwIfAborted();
    this.#opened = openChatServices(this.#context);
    return this.#opened;
  }
}

/** Loads one room after the other: in between, the UI draws what was typed meanwhile. */
async function loadModules(signal: AbortSignal) {
  const rooms = [
    () => import("../../discovery/index.ts"),
    () => import("../../graph/index.ts"),
    () => import("../../clients/index.ts"),
    () => import("../../workflows/run-kit.ts"),
  ];
  for (const load of rooms) {
    await load();
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  return await import("./open-chat-services.ts");
}
