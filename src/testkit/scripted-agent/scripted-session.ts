import {
  type AgentCapabilities,
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  AgentTurnError,
  CapabilityMissingError,
  type ContextUsage,
  type McpServerStatus,
  promptTextOf,
  type Session,
  SessionBusyError,
  type SessionConfig,
  type ToolDefinition,
  type TurnOptions,
  TurnStalledError,
  type Usage,
} from "../../contracts/index.ts";
import { estimateTokens } from "../estimate-tokens.ts";
import { EventQueue } from "./event-queue.ts";
import type { PermissionGate } from "./permission-gate.ts";
import { runScriptedTurn, type TurnResult } from "./run-scripted-turn.ts";
import type { AgentScript, ScriptedTurn } from "./scripted-turn.ts";
import { StallWatch } from "./stall-watch.ts";

/** How much of a conversation a summary keeps. */
const SUMMARY_SHARE = 0.1;

/** A turn under way. */
interface RunningTurn {
  readonly abort: (reason: unknown) => void;
  /** Settles after `turn-end`; rejects only when somebody who listens to events throws. */
  readonly done: Promise<TurnResult>;
}

/** A conversation as the scripted agent keeps it, also while no session is open on it. */
export interface Conversation {
  readonly id: string;
  turnCount: number;
  toolCount: number;
  usedTokens: number;
  running: RunningTurn | undefined;
}

/** What a session takes from its agent. */
export interface SessionServices {
  readonly script: AgentScript;
  readonly capabilities: AgentCapabilities;
  readonly contextWindowTokens: number;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly gate: PermissionGate;
  readonly workingDirectory: string;
  readonly emit: (event: AgentEvent) => void;
  /** Called for every turn that reaches the script. */
  readonly recordTurn: (turn: ScriptedTurn) => void;
}

/** A session of the scripted agent. A turn runs at its own speed, however slowly its events are read. */
export class ScriptedSession implements Session {
  readonly #conversation: Conversation;
  readonly #config: SessionConfig;
  readonly #services: SessionServices;
  #isDestroyed = false;

  constructor(conversation: Conversation, config: SessionConfig, services: SessionServices) {
    this.#conversation = conversation;
    this.#config = config;
    this.#services = services;
  }

  get id(): string {
    return this.#conversation.id;
  }

  async send(message: AgentPrompt, options: TurnOptions = {}): Promise<AgentReply> {
    const result = await this.#begin(promptTextOf(message), options, () => undefined).done;
    if (result.outcome === "completed") return result.reply;
    throw result.error;
  }

  async *stream(message: AgentPrompt, options: TurnOptions = {}): AsyncGenerator<AgentEvent, void> {
    const queue = new EventQueue<AgentEvent>();
    const turn = this.#begin(promptTextOf(message), options, (event) => queue.push(event));
    const close = (): void => queue.close();
    void turn.done.then(close, close);
    try {
      yield* queue;
    } finally {
      turn.abort(new DOMException("The events of the turn are no longer read.", "AbortError"));
      await turn.done;
    }
  }

  async abort(): Promise<void> {
    const turn = this.#conversation.running;
    turn?.abort(new DOMException("The turn was aborted.", "AbortError"));
    await turn?.done;
  }

  async steer(): Promise<void> {
    throw new CapabilityMissingError("scripted", "steer", []);
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    throw new CapabilityMissingError("scripted", "mcpStatus", []);
  }

  async summarize(): Promise<void> {
    this.#requireIdle();
    if (!this.#services.capabilities.summarize) throw new CapabilityMissingError("scripted", "summarize", []);
    this.#conversation.usedTokens = Math.ceil(this.#conversation.usedTokens * SUMMARY_SHARE);
    this.#services.emit({ type: "compacted", sessionId: this.id });
  }

  async getContextUsage(): Promise<ContextUsage> {
    this.#requireAlive();
    const { capabilities, contextWindowTokens: maxTokens } = this.#services;
    if (!capabilities.contextUsage) throw new CapabilityMissingError("scripted", "contextUsage", []);
    const { usedTokens } = this.#conversation;
    return { usedTokens, maxTokens, fraction: maxTokens > 0 ? Math.min(1, usedTokens / maxTokens) : 0 };
  }

  async destroy(): Promise<void> {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    await this.abort();
  }

  #requireAlive(): void {
    if (!this.#isDestroyed) return;
    const detail = `the session "${this.id}" was destroyed. Reopen it with resumeSession().`;
    throw new AgentTurnError("scripted", detail, { isRetryable: false });
  }

  #requireIdle(): void {
    this.#requireAlive();
    if (this.#conversation.running !== undefined) throw new SessionBusyError(this.id);
  }

  #begin(message: string, options: TurnOptions, listener: (event: AgentEvent) => void): RunningTurn {
    this.#requireIdle();
    const controller = new AbortController();
    const done = this.#run(message, options, { controller, listener });
    const turn: RunningTurn = { abort: (reason) => controller.abort(reason), done };
    this.#conversation.running = turn;
    return turn;
  }

  async #run(
    message: string,
    options: TurnOptions,
    { controller, listener }: { readonly controller: AbortController; readonly listener: (event: AgentEvent) => void },
  ): Promise<TurnResult> {
    const { signal, stallTimeoutMs = 300_000 } = options;
    const conversation = this.#conversation;
    const turn: ScriptedTurn = {
      prompt: message,
      turnIndex: conversation.turnCount,
      sessionId: conversation.id,
      config: this.#config,
      ...(options.outputSchema === undefined ? {} : { outputSchema: options.outputSchema }),
    };
    const forwardAbort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted) forwardAbort();
    signal?.addEventListener("abort", forwardAbort);
    const watch = new StallWatch(stallTimeoutMs, () =>
      controller.abort(new TurnStalledError("scripted", stallTimeoutMs)),
    );
    await Promise.resolve(); // the session has to know of the turn before a listener hears of it
    try {
      const inputTokens = conversation.usedTokens + estimateTokens(systemTextOf(this.#config) + message);
      const result = await runScriptedTurn(turn, {
        ...this.#services,
        script: (asked, tools) => {
          conversation.turnCount++;
          this.#services.recordTurn(asked);
          return this.#services.script(asked, tools);
        },
        sessionId: conversation.id,
        messageId: `${conversation.id}-message-${turn.turnIndex + 1}`,
        showsThinking: this.#services.capabilities.thinking,
        inputTokens,
        createToolId: () => `${conversation.id}-tool-${++conversation.toolCount}`,
        watch,
        signal: controller.signal,
        emit: (event) => {
          watch.touch();
          listener(event);
          this.#services.emit(event);
        },
      });
      conversation.usedTokens = result.outcome === "completed" ? totalTokens(result.reply.usage) : inputTokens;
      return result;
    } finally {
      watch.stop();
      signal?.removeEventListener("abort", forwardAbort);
      conversation.running = undefined;
    }
  }
}

function systemTextOf({ systemPrompt = "" }: SessionConfig): string {
  return typeof systemPrompt === "string" ? systemPrompt : systemPrompt.text;
}

/** Everything the last turn read and wrote is what the model's context window holds. */
function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
