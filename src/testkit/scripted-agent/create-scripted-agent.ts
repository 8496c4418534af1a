import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import {
  AGENT_CAPABILITIES,
  type AgentCapabilities,
  type AgentCapability,
  type AgentEvent,
  type AgentEventType,
  type CodingAgentClient,
  type ListSessionsOptions,
  type ModelDisplayInfo,
  type PermissionEffect,
  readSessionConfig,
  type Session,
  type SessionConfig,
  SessionConfigInvalidError,
  type SessionInfo,
  type ToolDefinition,
  UnknownSessionError,
  type Unsubscribe,
} from "../../contracts/index.ts";
import { type Conversation, type ConversationStart, createConversation, forkConversation } from "./conversation.ts";
import { defaultScript } from "./default-script.ts";
import { PermissionGate } from "./permission-gate.ts";
import { requireCapability } from "./require-capability.ts";
import { ScriptedSession } from "./scripted-session.ts";
import type { ScriptedAgentOptions, ScriptedTurn } from "./scripted-turn.ts";

/** The name of the scripted agent, as `--agent` takes it. */
const AGENT_TYPE = "scripted";

/** Everything but MCP servers, which the scripted agent does not speak to. */
const ALL_CAPABILITIES: AgentCapabilities = {
  ...(Object.fromEntries(Object.keys(AGENT_CAPABILITIES).map((name) => [name, true])) as AgentCapabilities), // the cast is true: every name is a key
  mcpServers: false,
  mcpStatus: false,
};

/** An agent whose answers a script decides, and that remembers what it was asked. */
export interface ScriptedAgent extends CodingAgentClient {
  /** The turns of all sessions so far, in the order in which they began. */
  readonly turns: readonly ScriptedTurn[];
}

/**
 * Makes an agent that answers from a script, for free and always in the same way. What the script has it do, such as
 * editing files and running commands, it really does.
 *
 * @example
 * const agent = createScriptedAgent({
 *   workingDirectory: folder,
 *   script: ({ prompt }) => ({
 *     actions: [{ type: "edit-file", path: "answer.txt", content: prompt }],
 *     text: "Written.",
 *   }),
 * });
 * const session = await agent.createSession();
 * console.log((await session.send("42")).content); // Written.
 */
export function createScriptedAgent(options: ScriptedAgentOptions = {}): ScriptedAgent {
  return new ScriptedAgentClient(options);
}

function allowEverything(): PermissionEffect {
  return "allow";
}

class ScriptedAgentClient implements ScriptedAgent {
  readonly agentType = AGENT_TYPE;
  readonly isSandboxed = true;
  readonly capabilities: AgentCapabilities;
  readonly hasFreeContextUsage = true;
  readonly turns: ScriptedTurn[] = [];
  readonly #options: ScriptedAgentOptions;
  readonly #conversations = new Map<string, Conversation>();
  readonly #sessions = new Set<ScriptedSession>();
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #listeners = new Map<AgentEventType | "*", Set<(event: AgentEvent) => void>>();

  constructor(options: ScriptedAgentOptions) {
    this.#options = options;
    this.capabilities = { ...ALL_CAPABILITIES, ...options.capabilities };
  }

  async start(): Promise<void> {
    // nothing to start: the agent lives in this process
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.destroy()));
  }

  async createSession(given: SessionConfig = {}): Promise<Session> {
    const config = readSessionConfig(given);
    const { sessionId = "" } = config;
    if (this.#conversations.has(sessionId)) {
      throw new SessionConfigInvalidError([`sessionId: There is already a conversation "${sessionId}".`]);
    }
    const conversation = createConversation(this.#startConversation(config));
    const session = this.#openSession(conversation, config);
    this.#conversations.set(conversation.id, conversation);
    return session;
  }

  async resumeSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = readConfigOf(sessionId, given);
    requireCapability(this.capabilities, "resume");
    return this.#openSession(this.#find(sessionId), config);
  }

  async forkSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = readConfigOf(sessionId, given);
    requireCapability(this.capabilities, "fork");
    const conversation = forkConversation(this.#find(sessionId), this.#startConversation(config));
    const session = this.#openSession(conversation, config);
    this.#conversations.set(conversation.id, conversation);
    return session;
  }

  async listSessions(options: ListSessionsOptions = {}): Promise<readonly SessionInfo[]> {
    requireCapability(this.capabilities, "listSessions");
    const wanted = resolve(options.workingDirectory ?? this.#options.workingDirectory ?? ".");
    return [...this.#conversations.values()]
      .filter(({ workingDirectory }) => workingDirectory === wanted)
      .toReversed()
      .map(({ id, title = "Untitled", workingDirectory, updatedAt }) => ({ id, title, workingDirectory, updatedAt }));
  }

  async deleteSession(sessionId: string): Promise<void> {
    requireCapability(this.capabilities, "deleteSession");
    this.#find(sessionId);
    this.#conversations.delete(sessionId);
    const open = [...this.#sessions].filter(({ id }) => id === sessionId);
    await Promise.all(open.map((session) => session.destroy()));
  }

  async listModels(): Promise<readonly ModelDisplayInfo[]> {
    requireCapability(this.capabilities, "modelList");
    return this.#options.models ?? [await this.getModelDisplayInfo()];
  }

  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe {
    const heard = listener as (event: AgentEvent) => void; // #emit hands it events of its own type only
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    // A wrapper of its own for each subscription keeps two of the same listener apart.
    const subscription = (event: AgentEvent): void => heard(event);
    listeners.add(subscription);
    return () => {
      listeners.delete(subscription);
    };
  }

  registerTool(tool: ToolDefinition): void {
    requireCapability(this.capabilities, "customTools");
    this.#tools.set(tool.name, tool);
  }

  async getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo> {
    const { models } = this.#options;
    const known = modelHint === undefined ? models?.[0] : models?.find(({ model }) => model === modelHint);
    return {
      model: modelHint ?? "scripted-model",
      displayName: modelHint ?? "Scripted model",
      contextWindowTokens: this.#contextWindowTokens,
      ...known,
    };
  }

  get #contextWindowTokens(): number {
    return this.#options.contextWindowTokens ?? 200_000;
  }

  #find(sessionId: string): Conversation {
    const conversation = this.#conversations.get(sessionId);
    if (conversation === undefined) throw new UnknownSessionError(AGENT_TYPE, sessionId);
    return conversation;
  }

  #startConversation({ workingDirectory, title, sessionId }: SessionConfig): ConversationStart {
    const {
      createSessionId = () => `scripted-${randomUUID()}`,
      workingDirectory: own = ".",
      now = Date.now,
    } = this.#options;
    return {
      id: sessionId ?? createSessionId(),
      title,
      workingDirectory: resolve(workingDirectory ?? own),
      updatedAt: now(),
    };
  }

  #openSession(conversation: Conversation, config: SessionConfig): Session {
    for (const capability of capabilitiesOf(config)) requireCapability(this.capabilities, capability);
    const { script = defaultScript, callTool, evaluatePermission = allowEverything, now = Date.now } = this.#options;
    const { onPermissionAsk, permissionMemory } = config;
    const session: ScriptedSession = new ScriptedSession(conversation, config, {
      script,
      callTool,
      now,
      capabilities: this.capabilities,
      contextWindowTokens: this.#contextWindowTokens,
      tools: new Map([...this.#tools, ...(config.tools ?? []).map((tool) => [tool.name, tool] as const)]),
      gate: new PermissionGate({
        policy: config.permissions ?? { rules: [] },
        evaluate: evaluatePermission,
        ...(onPermissionAsk === undefined ? {} : { onAsk: onPermissionAsk }),
        ...(permissionMemory === undefined ? {} : { memory: permissionMemory }),
      }),
      workingDirectory:
        config.workingDirectory === undefined ? conversation.workingDirectory : resolve(config.workingDirectory),
      emit: (event) => this.#emit(event),
      recordTurn: (turn) => void this.turns.push(turn),
      touchConversation: () => this.#touch(conversation, now()),
      onDestroy: () => void this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  /** The map is in the order of the last turns. */
  #touch(conversation: Conversation, updatedAt: number): void {
    conversation.updatedAt = updatedAt;
    if (this.#conversations.delete(conversation.id)) this.#conversations.set(conversation.id, conversation);
  }

  #emit(event: AgentEvent): void {
    const types: readonly (AgentEventType | "*")[] = [event.type, "*"];
    for (const type of types) {
      for (const listener of this.#listeners.get(type) ?? []) listener(event);
    }
  }
}

/** The settings for a conversation that has an identifier already. @throws SessionConfigInvalidError */
function readConfigOf(openedId: string, given: SessionConfig): SessionConfig {
  const { sessionId = openedId, ...config } = readSessionConfig(given);
  if (sessionId === openedId) return config;
  throw new SessionConfigInvalidError([
    `sessionId: It names a new conversation, and "${openedId}" has its own. Leave it out.`,
  ]);
}

/** What an agent has to be capable of for a session to be as it is wanted. */
function capabilitiesOf(config: SessionConfig): readonly AgentCapability[] {
  const { systemPrompt, mcpServers = {}, tools = [] } = config;
  const wanted: Partial<Record<AgentCapability, boolean>> = {
    permissions: config.permissions !== undefined || config.onPermissionAsk !== undefined,
    reasoningEffort: config.reasoningEffort !== undefined,
    replaceSystemPrompt: typeof systemPrompt === "object" && systemPrompt.mode === "replace",
    appendSystemPrompt: typeof systemPrompt === "string" || systemPrompt?.mode === "append",
    allowedTools: config.allowedTools !== undefined,
    mcpServers: Object.keys(mcpServers).length > 0,
    customTools: tools.length > 0,
    sessionIds: config.sessionId !== undefined,
    planMode: config.permissionMode === "plan",
    maxTurns: config.maxTurns !== undefined,
    cost: config.maxBudgetUsd !== undefined,
    interceptTools: config.beforeTool !== undefined,
  };
  // The cast is true: the keys are those of the object above.
  return (Object.keys(wanted) as AgentCapability[]).filter((capability) => wanted[capability] === true);
}
