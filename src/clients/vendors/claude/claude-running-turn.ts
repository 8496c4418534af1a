import { randomUUID } from "node:crypto";
import {
  type AgentEventBody,
  type AgentPrompt,
  type AtomicError,
  recordOf,
  type SessionLimits,
  StructuredOutputError,
  stringOf,
  type UnknownRecord,
  type Usage,
} from "../../../contracts/index.ts";
import { AgentTurn, type AgentTurnOptions } from "../../turn/agent-turn.ts";
import {
  describeProblems,
  readStructuredAnswer,
  type SchemaValidator,
  STRUCTURED_OUTPUT_RETRIES,
} from "../../turn/structured/structured-output.ts";
import type { ClaudeConnection } from "./claude-connection.ts";
import { AGENT_TYPE, toRetryError, toTurnError } from "./claude-errors.ts";
import { flushTranslation, startTranslation, type TranslationState, translateClaudeMessage } from "./claude-events.ts";
import { type MessageId, toUserMessage } from "./claude-prompt.ts";
import { addMessage, advanceClaudeTurn, type ClaudeTurn, cancelledMessageOf, startClaudeTurn } from "./claude-turn.ts";
import { hasNoUsage } from "./claude-usage.ts";

/** What a turn needs from its session. */
export interface ClaudeRunningTurnOptions {
  readonly sessionId: string;
  readonly connection: ClaudeConnection;
  readonly stallTimeoutMs: number;
  /** Validates the answer of a turn with an output schema. */
  readonly validate: SchemaValidator | undefined;
  readonly limits: SessionLimits;
  readonly hasEndpoint: boolean;
  readonly loginCommand?: AgentTurnOptions["loginCommand"];
  readonly checkEndpoint?: AgentTurnOptions["checkEndpoint"];
  readonly onEvent: AgentTurnOptions["onEvent"];
  /** Adds the cost of a call where Atomic knows its price and Claude Code does not. */
  readonly price: (event: Extract<AgentEventBody, { type: "usage" }>) => AgentEventBody;
}

/**
 * One turn in progress. Translates Claude Code's messages; its `result` ends the turn.
 *
 * 1. A turn that ends without a `result` leaves the process in an unknown state, so the process is ended.
 * 2. An answer that does not match the schema is requested again at most `STRUCTURED_OUTPUT_RETRIES` times.
 */
export class ClaudeRunningTurn {
  readonly turn: AgentTurn;
  /** Whether the turn started with one of Claude Code's own commands, such as `/compact`. */
  isCommand = false;
  readonly #options: ClaudeRunningTurnOptions;
  /** The messages that a person added. */
  readonly #added = new Map<string, AgentPrompt>();
  /** Those of them that Claude Code dropped before it read them, because the turn was stopped. */
  readonly dropped: AgentPrompt[] = [];
  readonly #messageId: MessageId = randomUUID();
  #progress: ClaudeTurn = startClaudeTurn(this.#messageId);
  #translation: TranslationState;
  #retriesLeft = STRUCTURED_OUTPUT_RETRIES;
  #isInterrupted = false;
  /** The cost of the reported calls, in United States dollars. */
  #reportedUsd = 0;

  constructor(options: ClaudeRunningTurnOptions) {
    this.#options = options;
    const { sessionId, stallTimeoutMs, limits, hasEndpoint, loginCommand, checkEndpoint, onEvent } = options;
    this.#translation = startTranslation(sessionId);
    this.turn = new AgentTurn({
      agentType: AGENT_TYPE,
      sessionId,
      stallTimeoutMs,
      limits,
      hasEndpoint,
      loginCommand,
      checkEndpoint,
      onEvent,
      interrupt: () => this.#interrupt(),
      stallError: () => this.#stallError(),
    });
    void this.turn.settled.then(() => this.#leave());
  }

  /** Sends the message that starts the turn. */
  async begin(prompt: AgentPrompt): Promise<void> {
    this.isCommand = isClaudeCommand(prompt);
    this.#options.connection.push(toUserMessage(prompt, { id: this.#messageId }));
  }

  /** Adds a person's message, which Claude Code reads between two steps or after its answer. */
  add(prompt: AgentPrompt): void {
    this.#added.set(this.#push(prompt), prompt);
  }

  #push(prompt: AgentPrompt): MessageId {
    const id = randomUUID();
    this.#progress = addMessage(this.#progress, id);
    this.#options.connection.push(toUserMessage(prompt, { id, priority: "next" }));
    return id;
  }

  /** Handles a message from Claude Code. */
  take(message: unknown): void {
    if (this.turn.hasEnded) return;
    this.turn.touch();
    const dropped = this.#added.get(cancelledMessageOf(message) ?? "");
    if (dropped !== undefined) this.dropped.push(dropped);
    const now = Date.now();
    const { state, events } = translateClaudeMessage(this.#translation, message, now);
    this.#translation = state;
    for (const event of events) this.#publish(event);
    if (isModelCall(message)) this.turn.noteModelCall();
    this.#progress = advanceClaudeTurn(this.#progress, message, now);
    const { result, hopeless } = this.#progress;
    if (result !== undefined) this.#finish(result);
    else if (hopeless !== undefined) this.#interrupt().catch(() => {}); // the process has ended, and so does the turn
  }

  /** Call before the next model call, sub-agents' included. Returns whether the budget allows the call. */
  allowsCall(): boolean {
    const { held, subagentCalls } = this.#translation.ledger;
    const unreported = [...(held === undefined ? [] : [held]), ...subagentCalls.values()];
    const spentUsd = unreported.reduce((sum, { usage }) => sum + this.#costOf(usage), this.#reportedUsd);
    if (spentUsd > 0) this.turn.noteCost(spentUsd);
    return !this.turn.signal.aborted;
  }

  /** Call when the process has ended during the turn. */
  crash(error: AtomicError): void {
    for (const event of flushTranslation(this.#translation)) this.#publish(event);
    this.turn.fail(error);
  }

  #publish(event: AgentEventBody): void {
    if (event.type === "usage") this.#reportedUsd += this.#costOf(event.usage);
    this.turn.publish(event.type === "usage" ? this.#options.price(event) : event);
  }

  /** 0 if the cost is unknown. */
  #costOf(usage: Usage): number {
    const { sessionId, price } = this.#options;
    const priced = price({ type: "usage", sessionId, usage });
    return priced.type === "usage" ? (priced.usage.costUsd ?? 0) : 0;
  }

  #finish(result: UnknownRecord): void {
    const { hopeless, errorKind, limitResetsAt } = this.#progress;
    if (hopeless !== undefined) {
      this.turn.fail(hopeless);
      return;
    }
    if (result.is_error === true || result.subtype !== "success") {
      const { sessionId, limits } = this.#options;
      const { content } = this.turn;
      const context = {
        sessionId,
        content,
        limits,
        now: Date.now(),
        ...(errorKind === undefined ? {} : { errorKind }),
        ...(limitResetsAt === undefined ? {} : { limitResetsAt }),
      };
      this.turn.fail(toTurnError(result, context));
      return;
    }
    // A command such as `/context` calls no model, so it costs nothing. Without this the turn would count as unpriced.
    if (hasNoUsage(result)) this.#options.limits.noteTurnCost(0);
    if (this.#options.validate !== undefined) this.#finishStructured(result, this.#options.validate);
    else this.#finishText(stringOf(result.result));
  }

  /** The text of a command such as `/context` arrives only with the result. */
  #finishText(text: string): void {
    if (this.turn.content === "" && text !== "") {
      this.turn.publish({ type: "text-delta", sessionId: this.#options.sessionId, text });
    }
    this.turn.complete();
  }

  /** Invariant 2. */
  #finishStructured(result: UnknownRecord, validate: SchemaValidator): void {
    const { structured_output: structured } = result;
    // Claude Code has not checked the keywords it does not support.
    const text = structured === undefined ? stringOf(result.result) : JSON.stringify(structured);
    const answer = readStructuredAnswer(text, validate);
    if (answer.type === "valid") {
      this.turn.complete({ structured: answer.value });
    } else if (this.#retriesLeft === 0 || this.turn.signal.aborted) {
      this.turn.fail(new StructuredOutputError(AGENT_TYPE, answer.problems, text));
    } else {
      this.#retriesLeft -= 1;
      const { result: _, ...progress } = this.#progress;
      this.#progress = progress;
      this.#push(describeProblems(answer.problems));
    }
  }

  async #interrupt(): Promise<void> {
    if (this.#isInterrupted) return;
    this.#isInterrupted = true;
    await this.#options.connection.interrupt();
  }

  #stallError(): AtomicError | undefined {
    const { retry } = this.#progress;
    return retry === undefined ? undefined : toRetryError(retry, retry.retryAt, Date.now());
  }

  /** Invariant 1. */
  #leave(): void {
    if (this.#progress.result === undefined) void this.#options.connection.close();
  }
}

/** Whether a message is one of Claude Code's own commands. */
export function isClaudeCommand(prompt: AgentPrompt): boolean {
  return typeof prompt === "string" && prompt.trimStart().startsWith("/");
}

/** Whether a message is the start of the model's answer, other than to a sub-agent. */
function isModelCall(raw: unknown): boolean {
  const { type, event, parent_tool_use_id: parent } = recordOf(raw);
  return type === "stream_event" && typeof parent !== "string" && recordOf(event).type === "message_start";
}
