import { AgentTurn, missingCapability, TurnRunner, type TurnTask } from "../../clients/agent-kit.ts";
import {
  type AgentCapabilities,
  type AgentCapability,
  type AgentEvent,
  type AgentEventBody,
  type AgentPrompt,
  type AgentReply,
  AgentTurnError,
  AtomicError,
  addUsage,
  type ContextUsage,
  type McpServerStatus,
  messageOf,
  NO_USAGE,
  NoTurnRunningError,
  promptPartsOf,
  promptTextOf,
  type Session,
  SessionBusyError,
  type SessionConfig,
  SessionDestroyedError,
  SessionLimits,
  type TurnOptions,
  type Usage,
} from "../../contracts/index.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";
import { answerTurn, type TurnServices } from "./answer-turn.ts";
import type { Conversation } from "./conversation.ts";
import type { ScriptedTurn } from "./scripted-turn.ts";
import { SteeringInbox } from "./steering-inbox.ts";

/** The part of a conversation that a summary keeps. */
const SUMMARY_SHARE = 0.1;

/** What a session needs from its agent. */
export interface SessionServices
  extends Pick<TurnServices, "script" | "tools" | "callTool" | "permissions" | "workingDirectory" | "now" | "sleep"> {
  readonly agentType: string;
  readonly emit: (event: AgentEvent) => void;
  readonly capabilities: AgentCapabilities;
  readonly contextWindowTokens: number;
  /** Called for every turn that reaches the script. */
  readonly recordTurn: (turn: ScriptedTurn) => void;
  /** Called when a turn starts and when it has ended. */
  readonly touchConversation: () => void;
  /** Called once, when the session is destroyed. */
  readonly onDestroy: () => void;
}

/** Wraps an error of a script that is not an `AtomicError`, for its turn. */
class ScriptFailure extends AgentTurnError {
  constructor(agentType: string, thrown: unknown) {
    super(agentType, messageOf(thrown), { cause: thrown });
  }
}

/** A session of the scripted agent. A turn runs at its own speed, even when its events are read slowly. */
export class ScriptedSession implements Session {
  readonly #conversation: Conversation;
  readonly #config: SessionConfig;
  readonly #services: SessionServices;
  readonly #limits: SessionLimits;
  readonly #runner: TurnRunner;
  /** Of the turn in progress. */
  #steering = new SteeringInbox();

  constructor(conversation: Conversation, config: SessionConfig, services: SessionServices) {
    this.#conversation = conversation;
    this.#config = config;
    // The script reports the cost; without a report, a turn costs nothing.
    this.#limits = new SessionLimits({ agentType: services.agentType, config, hidesCalls: true, isFree: true });
    this.#runner = new TurnRunner(conversation.id);
    this.#services = services;
  }

  get id(): string {
    return this.#conversation.id;
  }

  get isBusy(): boolean {
    return this.#runner.isBusy;
  }

  async send(message: AgentPrompt, options: TurnOptions = {}): Promise<AgentReply> {
    try {
      return await this.#runner.run(this.#createTask(message, options), options);
    } catch (error) {
      throw error instanceof ScriptFailure ? error.cause : error;
    }
  }

  async *stream(message: AgentPrompt, options: TurnOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    yield* this.#runner.stream(this.#createTask(message, options), options);
  }

  async steer(message: AgentPrompt): Promise<void> {
    this.#require("steer");
    const { turn } = this.#runner;
    if (turn === undefined || turn.signal.aborted) throw new NoTurnRunningError(this.id);
    this.#steering.add(message);
  }

  async abort(): Promise<void> {
    await this.#runner.abort();
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    this.#require("mcpStatus");
    return [];
  }

  async summarize(): Promise<void> {
    this.#requireAlive();
    if (this.#runner.isBusy) throw new SessionBusyError(this.id);
    this.#require("summarize");
    this.#conversation.usedTokens = Math.ceil(this.#conversation.usedTokens * SUMMARY_SHARE);
    this.#services.emit({ type: "compacted", sessionId: this.id, at: this.#services.now() });
  }

  async getContextUsage(): Promise<ContextUsage> {
    this.#requireAlive();
    const { contextWindowTokens: maxTokens } = this.#services;
    this.#require("contextUsage");
    const { usedTokens } = this.#conversation;
    return { usedTokens, maxTokens, fraction: maxTokens > 0 ? Math.min(1, usedTokens / maxTokens) : 0 };
  }

  async getSystemToolsTokens(): Promise<number> {
    this.#requireAlive();
    this.#require("systemToolsTokens");
    return estimateTokens(systemTextOf(this.#config));
  }

  async destroy(): Promise<void> {
    if (this.#runner.hasEnded) return;
    this.#services.onDestroy();
    await this.#runner.end(new DOMException("The session was destroyed.", "AbortError"));
  }

  #requireAlive(): void {
    if (this.#runner.hasEnded) throw new SessionDestroyedError(this.id);
  }

  #require(capability: AgentCapability): void {
    if (!this.#services.capabilities[capability]) throw missingCapability(this.#services.agentType, capability);
  }

  #createTask(message: AgentPrompt, options: TurnOptions): TurnTask {
    this.#requireAlive();
    if (promptPartsOf(message).some((part) => part.type === "image")) this.#require("images");
    return {
      create: async () => this.#createTurn(options),
      begin: (turn) => this.#answer(turn, this.#describeTurn(message, options)),
    };
  }

  #createTurn({ stallTimeoutMs = 300_000 }: TurnOptions): AgentTurn {
    this.#steering = new SteeringInbox();
    return new AgentTurn({
      agentType: this.#services.agentType,
      sessionId: this.id,
      stallTimeoutMs,
      limits: this.#limits,
      now: this.#services.now,
      onEvent: (event) => {
        if (event.type === "turn-end") this.#services.touchConversation();
        this.#services.emit(event);
      },
      // The script and its actions listen to the signal of the turn.
      interrupt: async () => undefined,
    });
  }

  async #answer(turn: AgentTurn, scripted: ScriptedTurn): Promise<void> {
    const conversation = this.#conversation;
    const inputTokens = conversation.usedTokens + estimateTokens(systemTextOf(this.#config) + scripted.prompt);
    conversation.usedTokens = inputTokens;
    let usage = NO_USAGE;
    const emit = (event: AgentEventBody): void => {
      if (event.type === "usage") usage = addUsage(usage, event.usage);
      turn.touch();
      turn.publish(event);
    };
    const steering = this.#steering;
    const { signal } = turn;
    try {
      const services = { ...this.#turnServices(scripted), inputTokens, turn, steering, signal, emit };
      const answer = await answerTurn(scripted, services);
      conversation.usedTokens = totalTokens(usage);
      turn.complete(answer);
    } catch (error) {
      turn.fail(error instanceof AtomicError ? error : new ScriptFailure(this.#services.agentType, error));
    }
  }

  #describeTurn(message: AgentPrompt, { outputSchema }: TurnOptions): ScriptedTurn {
    const { id, turnCount, forkedFrom } = this.#conversation;
    return {
      prompt: promptTextOf(message),
      ...(typeof message === "string" ? {} : { parts: message }),
      turnIndex: turnCount,
      sessionId: id,
      config: this.#config,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(forkedFrom === undefined ? {} : { forkedFrom }),
    };
  }

  #turnServices(turn: ScriptedTurn): Omit<TurnServices, "inputTokens" | "turn" | "steering" | "signal" | "emit"> {
    const conversation = this.#conversation;
    return {
      ...this.#services,
      config: this.#config,
      script: (asked, tools) => {
        if (asked.subagentId === undefined) {
          conversation.turnCount++;
          conversation.title ??= asked.prompt.trim().split("\n", 1)[0];
          this.#services.recordTurn(asked);
          this.#services.touchConversation();
        }
        return this.#services.script(asked, tools);
      },
      sessionId: conversation.id,
      messageId: `${conversation.id}-message-${turn.turnIndex + 1}`,
      showsThinking: this.#services.capabilities.thinking,
      createToolId: () => `${conversation.id}-tool-${++conversation.toolCount}`,
    };
  }
}

function systemTextOf({ systemPrompt = "" }: SessionConfig): string {
  return typeof systemPrompt === "string" ? systemPrompt : systemPrompt.text;
}

/** The context window contains everything that the last turn read and wrote. */
function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
