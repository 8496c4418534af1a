import {
  type AgentCapabilities,
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  type ContextUsage,
  type McpServerStatus,
  NoTurnRunningError,
  promptPartsOf,
  promptTextOf,
  type Session,
  SessionBusyError,
  type SessionConfig,
  SessionDestroyedError,
  SessionLimits,
  type TurnOptions,
  TurnStalledError,
  type Usage,
} from "../../contracts/index.ts";
import { estimateTokens } from "../estimate-tokens.ts";
import type { Conversation, RunningTurn } from "./conversation.ts";
import { EventQueue } from "./event-queue.ts";
import { requireCapability } from "./require-capability.ts";
import { runScriptedTurn, type TurnResult, type TurnServices } from "./run-scripted-turn.ts";
import type { ScriptedTurn } from "./scripted-turn.ts";
import { StallWatch } from "./stall-watch.ts";
import { SteeringInbox } from "./steering-inbox.ts";

/** How much of a conversation a summary keeps. */
const SUMMARY_SHARE = 0.1;

/** What a session takes from its agent. */
export interface SessionServices
  extends Pick<TurnServices, "script" | "tools" | "callTool" | "gate" | "workingDirectory" | "emit" | "now"> {
  readonly capabilities: AgentCapabilities;
  readonly contextWindowTokens: number;
  /** Called for every turn that reaches the script. */
  readonly recordTurn: (turn: ScriptedTurn) => void;
  /** Called when a turn begins and when it has ended. */
  readonly touchConversation: () => void;
  /** Called once, when the session is destroyed. */
  readonly onDestroy: () => void;
}

/** A session of the scripted agent. A turn runs at its own speed, however slowly its events are read. */
export class ScriptedSession implements Session {
  readonly #conversation: Conversation;
  readonly #config: SessionConfig;
  readonly #services: SessionServices;
  readonly #limits: SessionLimits;
  #isDestroyed = false;

  constructor(conversation: Conversation, config: SessionConfig, services: SessionServices) {
    this.#conversation = conversation;
    this.#config = config;
    this.#limits = new SessionLimits({ agentType: "scripted", config, hidesCalls: true });
    this.#services = services;
  }

  get id(): string {
    return this.#conversation.id;
  }

  async send(message: AgentPrompt, options: TurnOptions = {}): Promise<AgentReply> {
    const turn =
      this.#beginNow(message, options, ignoreEvent) ?? (await this.#beginLater(message, options, ignoreEvent));
    const result = await turn.done;
    if (result.outcome === "completed") return result.reply;
    throw result.error;
  }

  async *stream(message: AgentPrompt, options: TurnOptions = {}): AsyncGenerator<AgentEvent, void> {
    const queue = new EventQueue<AgentEvent>();
    const listener = (event: AgentEvent): void => queue.push(event);
    const turn = this.#beginNow(message, options, listener) ?? (await this.#beginLater(message, options, listener));
    const close = (): void => queue.close();
    void turn.done.then(close, close);
    try {
      yield* queue;
    } finally {
      turn.abort(new DOMException("The events of the turn are no longer read.", "AbortError"));
      await turn.done;
    }
  }

  async steer(message: AgentPrompt): Promise<void> {
    requireCapability(this.#services.capabilities, "steer");
    const { running } = this.#conversation;
    if (running === undefined) throw new NoTurnRunningError(this.id);
    running.steering.add(message);
  }

  async abort(): Promise<void> {
    const turn = this.#conversation.running;
    turn?.abort(new DOMException("The turn was aborted.", "AbortError"));
    await turn?.done;
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    requireCapability(this.#services.capabilities, "mcpStatus");
    return [];
  }

  async summarize(): Promise<void> {
    this.#requireAlive();
    if (!this.#conversation.queue.isFree) throw new SessionBusyError(this.id);
    requireCapability(this.#services.capabilities, "summarize");
    this.#conversation.usedTokens = Math.ceil(this.#conversation.usedTokens * SUMMARY_SHARE);
    this.#services.emit({ type: "compacted", sessionId: this.id });
  }

  async getContextUsage(): Promise<ContextUsage> {
    this.#requireAlive();
    const { capabilities, contextWindowTokens: maxTokens } = this.#services;
    requireCapability(capabilities, "contextUsage");
    const { usedTokens } = this.#conversation;
    return { usedTokens, maxTokens, fraction: maxTokens > 0 ? Math.min(1, usedTokens / maxTokens) : 0 };
  }

  async getSystemToolsTokens(): Promise<number> {
    this.#requireAlive();
    requireCapability(this.#services.capabilities, "systemToolsTokens");
    return estimateTokens(systemTextOf(this.#config));
  }

  async destroy(): Promise<void> {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#services.onDestroy();
    await this.abort();
  }

  #requireAlive(): void {
    if (this.#isDestroyed) throw new SessionDestroyedError(this.id);
  }

  /** Begins without a pause, so that an abort right after the call finds the turn. Undefined when it has to wait. */
  #beginNow(message: AgentPrompt, options: TurnOptions, listener: EventListener): RunningTurn | undefined {
    this.#requireAlive();
    const isPicture = promptPartsOf(message).some((part) => part.type === "image");
    if (isPicture) requireCapability(this.#services.capabilities, "images");
    const { queue } = this.#conversation;
    if (queue.isFree) return queue.begin(() => this.#begin(message, options, listener));
    if (options.whenBusy !== "wait") throw new SessionBusyError(this.id);
    return undefined;
  }

  #beginLater(message: AgentPrompt, options: TurnOptions, listener: EventListener): Promise<RunningTurn> {
    const begin = (): RunningTurn => {
      this.#requireAlive();
      return this.#begin(message, options, listener);
    };
    return this.#conversation.queue.beginLater(begin, options.signal);
  }

  #begin(message: AgentPrompt, options: TurnOptions, listener: EventListener): RunningTurn {
    const controller = new AbortController();
    const steering = new SteeringInbox();
    const done = this.#run(message, options, { controller, listener, steering });
    const turn: RunningTurn = { abort: (reason) => controller.abort(reason), steering, done };
    this.#conversation.running = turn;
    return turn;
  }

  async #run(message: AgentPrompt, options: TurnOptions, turnParts: TurnParts): Promise<TurnResult> {
    const { controller, listener, steering } = turnParts;
    const { signal, stallTimeoutMs = 300_000 } = options;
    const conversation = this.#conversation;
    const forwardAbort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted) forwardAbort();
    signal?.addEventListener("abort", forwardAbort);
    const stopFor = (problem: unknown): void => {
      if (problem !== undefined && !controller.signal.aborted) controller.abort(problem);
    };
    const emit = (event: AgentEvent): void => {
      watch.touch();
      listener(event);
      this.#services.emit(event);
      stopFor(this.#limits.noteEvent(event));
    };
    const watch = new StallWatch(stallTimeoutMs, () => {
      if (controller.signal.aborted) return;
      emit({ type: "stalled", sessionId: this.id, silentMs: stallTimeoutMs });
      controller.abort(new TurnStalledError("scripted", stallTimeoutMs));
    });
    stopFor(this.#limits.beginTurn());
    await Promise.resolve(); // the session has to know of the turn before a listener hears of it
    try {
      const turn = this.#describeTurn(message, options);
      const inputTokens = conversation.usedTokens + estimateTokens(systemTextOf(this.#config) + turn.prompt);
      const services = { ...this.#turnServices(turn), inputTokens, watch, steering, signal: controller.signal, emit };
      const result = await runScriptedTurn(turn, services);
      conversation.usedTokens = result.outcome === "completed" ? totalTokens(result.reply.usage) : inputTokens;
      return result;
    } finally {
      watch.stop();
      signal?.removeEventListener("abort", forwardAbort);
      conversation.running = undefined;
      this.#services.touchConversation();
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

  #turnServices(turn: ScriptedTurn): Omit<TurnServices, "inputTokens" | "watch" | "steering" | "signal" | "emit"> {
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

type EventListener = (event: AgentEvent) => void;

/** What belongs to one turn of a session. */
interface TurnParts {
  readonly controller: AbortController;
  readonly listener: EventListener;
  readonly steering: SteeringInbox;
}

function ignoreEvent(): void {
  // Who sends waits for the reply.
}

function systemTextOf({ systemPrompt = "" }: SessionConfig): string {
  return typeof systemPrompt === "string" ? systemPrompt : systemPrompt.text;
}

/** Everything the last turn read and wrote is what the model's context window holds. */
function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
