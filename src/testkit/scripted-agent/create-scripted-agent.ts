import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import {
  AGENT_CAPABILITIES,
  type AgentCapabilities,
  type AgentEvent,
  type AgentEventType,
  CapabilityMissingError,
  type CodingAgentClient,
  type ModelDisplayInfo,
  type PermissionEffect,
  type Session,
  type SessionConfig,
  type SessionInfo,
  type ToolDefinition,
  UnknownSessionError,
  type Unsubscribe,
} from "../../contracts/index.ts";
import { defaultScript } from "./default-script.ts";
import { PermissionGate } from "./permission-gate.ts";
import { type Conversation, ScriptedSession } from "./scripted-session.ts";
import type { ScriptedAgentOptions, ScriptedTurn } from "./scripted-turn.ts";

/** The name of the scripted agent, as `--agent` takes it. */
const AGENT_TYPE = "scripted";

/** Everything but what only a vendor has. */
const ALL_CAPABILITIES: AgentCapabilities = {
  ...(Object.fromEntries(Object.keys(AGENT_CAPABILITIES).map((name) => [name, true])) as AgentCapabilities), // the cast is true: every name is a key
  fork: false,
  listSessions: false,
  deleteSession: false,
  questions: false,
  images: false,
  steer: false,
  modelList: false,
  mcpServers: false,
  mcpStatus: false,
  subagents: false,
  interceptTools: false,
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
  readonly capabilities: AgentCapabilities;
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
    const sessions = [...this.#sessions];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.destroy()));
  }

  async createSession(config: SessionConfig = {}): Promise<Session> {
    const { createSessionId = () => `scripted-${randomUUID()}` } = this.#options;
    const id = createSessionId();
    const conversation: Conversation = { id, turnCount: 0, toolCount: 0, usedTokens: 0, running: undefined };
    const session = this.#openSession(conversation, config);
    this.#conversations.set(id, conversation);
    return session;
  }

  async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    if (!this.capabilities.resume) throw new CapabilityMissingError(AGENT_TYPE, "resume", []);
    const conversation = this.#conversations.get(sessionId);
    if (conversation === undefined) throw new UnknownSessionError(AGENT_TYPE, sessionId);
    return this.#openSession(conversation, config);
  }

  async forkSession(): Promise<Session> {
    throw new CapabilityMissingError(AGENT_TYPE, "fork", []);
  }

  async listSessions(): Promise<readonly SessionInfo[]> {
    throw new CapabilityMissingError(AGENT_TYPE, "listSessions", []);
  }

  async deleteSession(): Promise<void> {
    throw new CapabilityMissingError(AGENT_TYPE, "deleteSession", []);
  }

  async listModels(): Promise<readonly ModelDisplayInfo[]> {
    throw new CapabilityMissingError(AGENT_TYPE, "modelList", []);
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
    this.#tools.set(tool.name, tool);
  }

  async getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo> {
    return {
      model: modelHint ?? "scripted-model",
      displayName: modelHint ?? "Scripted model",
      contextWindowTokens: this.#contextWindowTokens,
    };
  }

  get #contextWindowTokens(): number {
    return this.#options.contextWindowTokens ?? 200_000;
  }

  #openSession(conversation: Conversation, config: SessionConfig): Session {
    const { script = defaultScript, workingDirectory = ".", evaluatePermission = allowEverything } = this.#options;
    const asksForPermissions = config.permissions !== undefined || config.onPermissionAsk !== undefined;
    if (asksForPermissions && !this.capabilities.permissions) {
      throw new CapabilityMissingError(AGENT_TYPE, "permissions", []);
    }
    const session = new ScriptedSession(conversation, config, {
      script,
      capabilities: this.capabilities,
      contextWindowTokens: this.#contextWindowTokens,
      tools: new Map(this.#tools),
      gate: new PermissionGate({
        policy: config.permissions ?? { rules: [] },
        evaluate: evaluatePermission,
        ...(config.onPermissionAsk === undefined ? {} : { onAsk: config.onPermissionAsk }),
      }),
      workingDirectory: resolve(config.workingDirectory ?? workingDirectory),
      emit: (event) => this.#emit(event),
      recordTurn: (turn) => void this.turns.push(turn),
    });
    this.#sessions.add(session);
    return session;
  }

  #emit(event: AgentEvent): void {
    const types: readonly (AgentEventType | "*")[] = [event.type, "*"];
    for (const type of types) {
      for (const listener of this.#listeners.get(type) ?? []) listener(event);
    }
  }
}
