import {
  type AgentEventBody,
  AgentTurnError,
  ContextOverflowError,
  type PermissionRequest,
  recordOf,
  stringOf,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { AgentTurn, type AgentTurnOptions } from "../../turn/agent-turn.ts";
import {
  type AcpTranslation,
  type AcpTranslationOptions,
  type AcpTranslationStep,
  finishTranslation,
  hasTooManyPending,
  MAX_PENDING_CALLS,
  noteToolCall,
  startTranslation,
  toolCallOf,
  translateAcpUpdate,
} from "./acp-events.ts";
import type { AcpToolCall } from "./acp-tools.ts";
import { CallAllowances } from "./call-allowances.ts";

/**
 * The maximum number of messages without a tool call. An agent that exceeds it is in a loop: OpenCode keeps compacting
 * a conversation that stays too long, and over ACP the summaries look like messages.
 */
const MAX_IDLE_MESSAGES = 8;

/** One turn in progress. Turns the agent's updates into Atomic's events. */
export class AcpTurn {
  readonly turn: AgentTurn;
  readonly allowances = new CallAllowances();
  /** The id that tools get as the id of their message. */
  readonly messageId = crypto.randomUUID();
  /** The text since the last prompt. */
  answer = "";
  /** Whether the agent has yet to answer a prompt of this turn. */
  isPrompting = false;
  /** Whether the prompt is one of the agent's own commands, such as `/compact`. */
  isCommand = false;
  /** Whether the agent reported that it compacted the conversation. */
  hasCompacted = false;
  /** The calls of this turn that have started. */
  readonly runningCalls = new Set<string>();
  readonly #agentType: string;
  readonly #askedPaths = new Map<string, ReadonlySet<string>>();
  /** The model's messages since its last tool call or prompt. */
  readonly #idleMessages = new Set<string>();
  #translation: AcpTranslation;

  constructor(options: AgentTurnOptions, translation: AcpTranslationOptions) {
    this.turn = new AgentTurn(options);
    this.#agentType = options.agentType;
    this.#translation = startTranslation(options.sessionId, translation);
  }

  /** Handles an update from the agent. */
  receive(update: unknown): void {
    this.turn.touch();
    this.#take(translateAcpUpdate(this.#translation, update));
    this.#noteProgress(recordOf(update));
  }

  /** Adds what a permission request reports about its call. Returns everything known about the call. */
  noteCall(rawCall: unknown): AcpToolCall | undefined {
    this.#take(noteToolCall(this.#translation, rawCall));
    return toolCallOf(this.#translation, stringOf(recordOf(rawCall).toolCallId));
  }

  /** The name of a call's tool, as far as it is known. */
  readonly toolNameOf = (callId: string): string => toolCallOf(this.#translation, callId)?.name ?? "";

  /** Some agents send several requests about one call, each with other files: all of them count. */
  joinPaths(request: PermissionRequest): PermissionRequest {
    const asked = new Set([...(this.#askedPaths.get(request.id) ?? []), ...request.paths]);
    if (request.id !== "") this.#askedPaths.set(request.id, asked);
    return { ...request, paths: [...asked] };
  }

  /** Call before the agent gets a prompt. */
  startPrompt(): void {
    this.answer = "";
    this.isPrompting = true;
  }

  /** Call after the agent has answered the prompt. No further updates belong to it. */
  finishPrompt(): void {
    this.isPrompting = false;
    this.#take(finishTranslation(this.#translation));
  }

  #noteProgress({ sessionUpdate, messageId }: UnknownRecord): void {
    if (sessionUpdate === "tool_call" || sessionUpdate === "user_message_chunk") this.#idleMessages.clear();
    if (sessionUpdate !== "agent_message_chunk") return;
    this.#idleMessages.add(stringOf(messageId));
    if (this.#idleMessages.size <= MAX_IDLE_MESSAGES) return;
    const detail = `the model wrote ${MAX_IDLE_MESSAGES} messages in a row without doing anything, as when a conversation is compacted again and again`;
    void this.turn.giveUp(new ContextOverflowError(this.#agentType, detail));
  }

  #take({ state, events }: AcpTranslationStep): void {
    this.#translation = state;
    for (const event of events) this.#publish(event);
    if (!hasTooManyPending(state)) return;
    const count = MAX_PENDING_CALLS.toLocaleString("en-US");
    const detail = `it announced more than ${count} tool calls that it has not begun, which is the most at a time`;
    void this.turn.giveUp(new AgentTurnError(this.#agentType, detail, { isRetryable: false }));
  }

  #publish(event: AgentEventBody): void {
    if (event.type === "text-delta") this.answer += event.text;
    if (event.type === "compacted") this.hasCompacted = true;
    this.turn.publish(event);
  }
}
