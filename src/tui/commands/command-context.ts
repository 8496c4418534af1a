import { messageOf } from "../../contracts/index.ts";
import type { ChatController } from "../chat/chat-controller.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type {
  CommandContext,
  CommandContextState,
  SpawnedSubagent,
  SpawnSubagentOptions,
  TodoItem,
} from "./command.ts";

/** What commands set in the UI. */
export interface CommandBoard {
  readonly state: Partial<CommandContextState>;
  readonly todoItems: readonly TodoItem[];
  readonly ralphSessionDir: string | null;
  readonly ralphSessionId: string | null;
  readonly ralphTaskIds: ReadonlySet<string> | null;
}

/** Nothing is set. */
export const EMPTY_BOARD: CommandBoard = {
  state: {},
  todoItems: [],
  ralphSessionDir: null,
  ralphSessionId: null,
  ralphTaskIds: null,
};

/** Where commands run. */
export interface CommandPlace {
  readonly host: ChatHost;
  readonly chat: ChatController;
  readonly board: () => CommandBoard;
  readonly changeBoard: (change: Partial<CommandBoard>) => void;
  /** Resolves with what the user submits next. */
  readonly nextInput: () => Promise<string>;
}

/** What a command can do, at this moment. */
export function createCommandContext(place: CommandPlace): CommandContext {
  const { chat, board, changeBoard, nextInput } = place;
  const { model, status, agentType } = chat.snapshot();
  const messageCount = model.entries.filter(({ type }) => type === "user" || type === "text").length;
  const spawn = (options: SpawnSubagentOptions, signal?: AbortSignal) => spawnSubagent(place, options, signal);
  return {
    session: chat.session() ?? null,
    state: { ...board().state, isStreaming: status !== "idle" || board().state.isStreaming === true, messageCount },
    agentType,
    modelOps: {
      listModels: () => chat.listModels(),
      currentModel: () => chat.snapshot().modelName,
      setModel: (name, effort) => chat.setModel(name, effort),
    },
    addMessage: (role, content) => chat.notice(content, { isMarkdown: role === "assistant" }),
    setStreaming: (isStreaming) => changeBoard({ state: { ...board().state, isStreaming } }),
    sendMessage: (content) => chat.send(content),
    sendSilentMessage(content, { agent } = {}) {
      const text = agent === undefined ? content : `@${agent} ${content}`;
      // The turn shows its own failure.
      void chat.sendSilently(text).catch(() => undefined);
    },
    spawnSubagent: (options) => spawn(options),
    spawnSubagentParallel: (agents, abortSignal) => Promise.all(agents.map((options) => spawn(options, abortSignal))),
    streamAndWait: (prompt, { hideContent = false } = {}) => chat.sendSilently(prompt, { isHidden: hideContent }),
    clearContext: () => chat.clear(),
    setTodoItems: (todoItems) => changeBoard({ todoItems: keepKnown(todoItems, board().ralphTaskIds) }),
    setRalphSessionDir: (ralphSessionDir) => changeBoard({ ralphSessionDir }),
    setRalphSessionId: (ralphSessionId) => changeBoard({ ralphSessionId }),
    setRalphTaskIds: (ralphTaskIds) => changeBoard({ ralphTaskIds }),
    waitForUserInput: nextInput,
    updateWorkflowState: (update) => changeBoard({ state: { ...board().state, ...update } }),
  };
}

/** Items of other task lists must not replace the known tasks. */
function keepKnown(items: readonly TodoItem[], ids: ReadonlySet<string> | null): readonly TodoItem[] {
  return ids === null ? items : items.filter(({ id }) => id !== undefined && ids.has(id));
}

async function spawnSubagent(
  { host, chat }: CommandPlace,
  { name, task, agentType = chat.snapshot().agentType, systemPrompt, model, tools }: SpawnSubagentOptions,
  signal?: AbortSignal,
): Promise<SpawnedSubagent> {
  try {
    const client = await host.openClient(agentType);
    const session = await client.createSession({
      ...host.sessionConfigFor(agentType),
      title: name,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(model === undefined ? {} : { model }),
      ...(tools === undefined ? {} : { allowedTools: tools }),
    });
    try {
      const { content } = await session.send(task, signal === undefined ? {} : { signal });
      return { success: true, output: content };
    } finally {
      await session.destroy();
    }
  } catch (error) {
    return { success: false, output: "", error: messageOf(error) };
  }
}
