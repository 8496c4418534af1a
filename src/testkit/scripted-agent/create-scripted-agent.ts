import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import {
  assertNewSession,
  EventHub,
  missingCapability,
  readClientConfig,
  type SessionOrigin,
} from "../../clients/agent-kit.ts";
import {
  AGENT_CAPABILITIES,
  type AgentCapabilities,
  type AgentCapability,
  type AgentEvent,
  type AgentEventType,
  type CodingAgentClient,
  type ListSessionsOptions,
  type ModelDisplayInfo,
  type Session,
  SessionBusyError,
  type SessionConfig,
  type SessionInfo,
  type ToolDefinition,
  UnknownSessionError,
  type Unsubscribe,
} from "../../contracts/index.ts";
import { smallestSchemaValue } from "../../graph/run-kit.ts";
import { sleep as sleepInRealTime } from "../../system/index.ts";
import { type Conversation, type ConversationStart, createConversation, forkConversation } from "./conversation.ts";
import { ScriptedPermissions } from "./scripted-permissions.ts";
import { ScriptedSession } from "./scripted-session.ts";
import type { ScriptedAgentOptions, ScriptedReply, ScriptedTurn } from "./scripted-turn.ts";

/** The name of the scripted agent, as `--agent` takes it. */
const AGENT_TYPE = "scripted";

/** How much of the prompt the default answer repeats, in characters. */
const ECHO_LENGTH = 80;

/** Everything but MCP servers, which the scripted agent does not support. */
const ALL_CAPABILITIES: AgentCapabilities = {
  ...(Object.fromEntries(Object.keys(AGENT_CAPABILITIES).map((name) => [name, true])) as AgentCapabilities), // the cast is true: every name is a key
  forkBefore: false,
  mcpServers: false,
  mcpStatus: false,
};

/** An agent whose answers a script decides, and that records its turns. */
export interface ScriptedAgent extends CodingAgentClient {
  /** The turns of all sessions so far, in the order in which they started. */
  readonly turns: readonly ScriptedTurn[];
}

/**
 * Creates an agent that answers from a script, for free and deterministically. Its actions, such as editing files and
 * running commands, are real.
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

class ScriptedAgentClient implements ScriptedAgent {
  readonly agentType: string;
  readonly isSandboxed = true;
  readonly capabilities: AgentCapabilities;
  readonly hasFreeContextUsage = true;
  readonly turns: ScriptedTurn[] = [];
  readonly #options: ScriptedAgentOptions;
  readonly #conversations = new Map<string, Conversation>();
  readonly #sessions = new Set<ScriptedSession>();
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #events = new EventHub();

  constructor(options: ScriptedAgentOptions) {
    this.#options = options;
    this.agentType = options.agentType ?? AGENT_TYPE;
    this.capabilities = { ...ALL_CAPABILITIES, ...options.capabilities };
  }

  async start(): Promise<void> {
    // nothing to start: the agent lives in this process
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.destroy()));
  }

  async createSession(given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "new" });
    const { sessionId = "" } = config;
    assertNewSession(sessionId, this.#conversations.has(sessionId));
    const conversation = createConversation(this.#startConversation(config));
    const session = this.#openSession(conversation, config);
    this.#conversations.set(conversation.id, conversation);
    return session;
  }

  async resumeSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const { sessionId: _own, ...config } = this.#readConfig(given, { type: "resumed", id: sessionId });
    this.#require("resume");
    const conversation = this.#find(sessionId);
    const open = this.#sessionsOf(sessionId);
    if (open.some(({ isBusy }) => isBusy)) throw new SessionBusyError(sessionId);
    const session = this.#openSession(conversation, config);
    await Promise.all(open.map((earlier) => earlier.destroy()));
    return session;
  }

  async forkSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "forked" });
    this.#require("fork");
    const conversation = forkConversation(this.#find(sessionId), this.#startConversation(config));
    const session = this.#openSession(conversation, config);
    this.#conversations.set(conversation.id, conversation);
    return session;
  }

  async listSessions(options: ListSessionsOptions = {}): Promise<readonly SessionInfo[]> {
    this.#require("listSessions");
    const wanted = resolve(options.workingDirectory ?? this.#options.workingDirectory ?? ".");
    return [...this.#conversations.values()]
      .filter(({ workingDirectory }) => workingDirectory === wanted)
      .toReversed()
      .map(({ id, title = "Untitled", workingDirectory, updatedAt }) => ({ id, title, workingDirectory, updatedAt }));
  }

  async deleteSession(sessionId: string): Promise<void> {
    this.#require("deleteSession");
    this.#find(sessionId);
    this.#conversations.delete(sessionId);
    await Promise.all(this.#sessionsOf(sessionId).map((session) => session.destroy()));
  }

  async listModels(): Promise<readonly ModelDisplayInfo[]> {
    this.#require("modelList");
    return this.#options.models ?? [await this.getModelDisplayInfo()];
  }

  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe {
    return this.#events.on(type, listener);
  }

  registerTool(tool: ToolDefinition): void {
    this.#require("customTools");
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

  #readConfig(given: SessionConfig, origin: SessionOrigin): SessionConfig {
    return readClientConfig(given, { agentType: this.agentType, capabilities: this.capabilities, options: {} }, origin);
  }

  #require(capability: AgentCapability): void {
    if (!this.capabilities[capability]) throw missingCapability(this.agentType, capability);
  }

  get #contextWindowTokens(): number {
    return this.#options.contextWindowTokens ?? 200_000;
  }

  #sessionsOf(sessionId: string): readonly ScriptedSession[] {
    return [...this.#sessions].filter(({ id }) => id === sessionId);
  }

  #find(sessionId: string): Conversation {
    const conversation = this.#conversations.get(sessionId);
    if (conversation === undefined) throw new UnknownSessionError(this.agentType, sessionId);
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
    for (const capability of capabilitiesOf(config)) this.#require(capability);
    const {
      script = defaultScript,
      callTool,
      evaluatePermission,
      now = Date.now,
      sleep = sleepInRealTime,
    } = this.#options;
    const workingDirectory = resolve(config.workingDirectory ?? conversation.workingDirectory);
    const session: ScriptedSession = new ScriptedSession(conversation, config, {
      agentType: this.agentType,
      script,
      callTool,
      now,
      sleep,
      capabilities: this.capabilities,
      contextWindowTokens: this.#contextWindowTokens,
      tools: new Map([...this.#tools, ...(config.tools ?? []).map((tool) => [tool.name, tool] as const)]),
      permissions: new ScriptedPermissions({ config, workingDirectory, evaluate: evaluatePermission }),
      workingDirectory,
      emit: (event) => this.#events.publish(event),
      recordTurn: (turn) => void this.turns.push(turn),
      touchConversation: () => this.#touch(conversation, now()),
      onDestroy: () => void this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  /** Keeps the map in the order of the last turns. */
  #touch(conversation: Conversation, updatedAt: number): void {
    conversation.updatedAt = updatedAt;
    if (this.#conversations.delete(conversation.id)) this.#conversations.set(conversation.id, conversation);
  }
}

/** The capabilities that a session's settings require, besides those that `readClientConfig` checks. */
function capabilitiesOf(config: SessionConfig): readonly AgentCapability[] {
  const { systemPrompt, mcpServers = {} } = config;
  const wanted: Partial<Record<AgentCapability, boolean>> = {
    permissions: config.permissions !== undefined || config.onPermissionAsk !== undefined,
    reasoningEffort: config.reasoningEffort !== undefined,
    replaceSystemPrompt: typeof systemPrompt === "object" && systemPrompt.mode === "replace",
    appendSystemPrompt: typeof systemPrompt === "string" || systemPrompt?.mode === "append",
    allowedTools: config.allowedTools !== undefined,
    mcpServers: Object.keys(mcpServers).length > 0,
    interceptTools: config.beforeTool !== undefined,
  };
  // The cast is true: the keys are those of the object above.
  return (Object.keys(wanted) as AgentCapability[]).filter((capability) => wanted[capability] === true);
}

/**
 * The default script: repeats the beginning of the prompt, or returns the smallest value that matches the schema. Equal
 * turns get equal answers.
 */
function defaultScript(turn: ScriptedTurn): ScriptedReply {
  if (turn.outputSchema !== undefined) return { structured: smallestSchemaValue(turn.outputSchema) };
  const characters = Array.from(turn.prompt.trim().replace(/\s+/g, " "));
  const echo = characters.slice(0, ECHO_LENGTH).join("");
  return `Scripted answer to: ${echo}${characters.length > ECHO_LENGTH ? "…" : ""}`;
}
