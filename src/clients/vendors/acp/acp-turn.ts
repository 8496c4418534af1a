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

/**
 * What was allowed for tool calls of a turn and may be done for the agent without another question: once for each call,
 * however often the agent asks about it.
 */
export class CallAllowances {
  readonly #counts = new Map<string, number>();
  /** What each call has been allowed, by its identifier. */
  readonly #ofCalls = new Map<string, Set<string>>();

  /** Notes what a permission request covered: each file it may edit, or its command. */
  add(request: PermissionRequest): void {
    const known = this.#ofCalls.get(request.id) ?? new Set<string>();
    if (request.id !== "") this.#ofCalls.set(request.id, known);
    for (const key of keysOf(request)) {
      if (known.has(key)) continue;
      known.add(key);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** Uses an allowance up. False when something of the request was not allowed. */
  take(request: PermissionRequest): boolean {
    const keys = keysOf(request);
    if (keys.length === 0 || keys.some((key) => (this.#counts.get(key) ?? 0) === 0)) return false;
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) - 1);
    return true;
  }
}

/**
 * A model that wrote so many messages without calling a tool is kept going by its agent: OpenCode compacts a conversation
 * that stays too long for ever, and over ACP the summaries look like messages.
 */
const MAX_IDLE_MESSAGES = 8;

/** One turn under way: the agent's updates go in, Atomic's events come out. */
export class AcpTurn {
  readonly turn: AgentTurn;
  readonly allowances = new CallAllowances();
  /** Names the turn where tools ask for a message. */
  readonly messageId = crypto.randomUUID();
  /** The text since the last prompt. */
  answer = "";
  /** Whether the agent has a prompt of this turn's that it has not answered. */
  isPrompting = false;
  /** Whether the prompt is a command of the agent's own, such as `/compact`. */
  isCommand = false;
  /** Whether the agent said that it compacted the conversation. */
  hasCompacted = false;
  /** The calls of this turn that have begun. */
  readonly runningCalls = new Set<string>();
  readonly #agentType: string;
  readonly #askedPaths = new Map<string, ReadonlySet<string>>();
  /** The messages of the model's since it last called a tool, or was told something. */
  readonly #idleMessages = new Set<string>();
  #translation: AcpTranslation;

  constructor(options: AgentTurnOptions, translation: AcpTranslationOptions) {
    this.turn = new AgentTurn(options);
    this.#agentType = options.agentType;
    this.#translation = startTranslation(options.sessionId, translation);
  }

  /** Takes an update of the agent's in. */
  receive(update: unknown): void {
    this.turn.touch();
    this.#take(translateAcpUpdate(this.#translation, update));
    this.#noteProgress(recordOf(update));
  }

  /** Notes what a permission request tells about its call, and gives what is known of the call. */
  noteCall(rawCall: unknown): AcpToolCall | undefined {
    this.#take(noteToolCall(this.#translation, rawCall));
    return toolCallOf(this.#translation, stringOf(recordOf(rawCall).toolCallId));
  }

  /** What a call's tool is called, as far as it is known. */
  readonly toolNameOf = (callId: string): string => toolCallOf(this.#translation, callId)?.name ?? "";

  /** Some agents ask about one call several times, each time naming other files: what counts is all of them. */
  joinPaths(request: PermissionRequest): PermissionRequest {
    const asked = new Set([...(this.#askedPaths.get(request.id) ?? []), ...request.paths]);
    if (request.id !== "") this.#askedPaths.set(request.id, asked);
    return { ...request, paths: [...asked] };
  }

  /** The agent is about to get a prompt. */
  startPrompt(): void {
    this.answer = "";
    this.isPrompting = true;
  }

  /** The agent has answered the prompt: nothing more will come for it. */
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

function keysOf({ kind, command, paths }: PermissionRequest): readonly string[] {
  if (kind === "shell") return command === undefined ? [] : [`shell ${command}`];
  return kind === "edit" || kind === "read" ? paths.map((file) => `${kind} ${file}`) : [];
}
