import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentEvent,
  type AtomicError,
  type JsonSchema,
  recordOf,
  type SessionLimits,
  StructuredOutputError,
  stringOf,
} from "../../../contracts/index.ts";
import { AgentTurn, type AgentTurnOptions } from "../../turn/agent-turn.ts";
import {
  createSchemaValidator,
  describeProblems,
  readStructuredAnswer,
  type SchemaValidator,
  STRUCTURED_OUTPUT_RETRIES,
} from "../../turn/structured/structured-output.ts";
import { type KnownTool, startTranslation, type TranslationState, translateOpenCodeEvent } from "./opencode-events.ts";
import type { OpenCodeRequests } from "./opencode-requests.ts";
import { advanceTurn, expectMessage, expectNoMessage, type OpenCodeTurn, startTurn } from "./opencode-turn.ts";
import { AGENT_TYPE, type TurnErrorContext, toRetryError, toTurnError } from "./server/opencode-errors.ts";
import { messageIdOf, type OpenCodeEvent, sessionIdOf } from "./server/opencode-wire.ts";

/** What a turn needs from its session. */
export interface OpenCodeTurnDriverOptions {
  readonly sessionId: string;
  /** The prefix of the session's own MCP servers. */
  readonly serverPrefix: string;
  /** Whether the model is known to cost nothing. */
  readonly isFree: boolean;
  /** The ids of all messages of earlier turns. */
  readonly earlierMessages: ReadonlySet<string>;
  readonly stallTimeoutMs: number;
  /** The schema of the answer. */
  readonly outputSchema: JsonSchema | undefined;
  readonly limits: SessionLimits;
  /** The models of the user's own endpoint, which are the only ones then. */
  readonly endpointModels: readonly string[] | undefined;
  readonly loginCommand?: AgentTurnOptions["loginCommand"];
  readonly checkEndpoint?: AgentTurnOptions["checkEndpoint"];
  /** Makes OpenCode stop. May fail, and has no effect if it comes too early. */
  readonly abortVendor: () => Promise<void>;
  /** Sends a text to OpenCode, with all settings of the turn. */
  readonly prompt: (text: string) => Promise<void>;
  /** Creates the object that answers this turn's permission requests and questions. */
  readonly createRequests: (driver: OpenCodeTurnDriver) => OpenCodeRequests;
  /** Receives every event before the reader of the turn does. */
  readonly onEvent: (event: AgentEvent) => void;
}

/** How long a session may stay idle without an answer, in milliseconds; see invariant 3 of `opencode-turn.ts`. */
const SETTLE_GRACE_MS = 1_000;
/** An abort that arrives before OpenCode has started to work has no effect, so it is repeated. */
const ABORT_INTERVAL_MS = 250;
/** Events that show no progress: OpenCode retries a failed model call forever. */
const SIGNS_OF_NO_LIFE: ReadonlySet<string> = new Set(["session.status", "session.updated", "session.diff"]);

/**
 * OpenCode's side of a turn: translates its events for the {@link AgentTurn} and decides when the turn is over.
 *
 * 1. An abort is repeated until OpenCode reports that the session is idle, so the next turn finds it idle.
 * 2. If an answer does not match the turn's schema, another one is requested in the same turn.
 */
export class OpenCodeTurnDriver {
  readonly turn: AgentTurn;
  readonly #options: OpenCodeTurnDriverOptions;
  readonly #requests: OpenCodeRequests;
  #progress: OpenCodeTurn;
  #translation: TranslationState;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  #validate: SchemaValidator | undefined;
  #retries = 0;
  /** The offset at which the text of the current attempt begins. */
  #attemptStart = 0;

  constructor(options: OpenCodeTurnDriverOptions) {
    const { sessionId, serverPrefix, isFree, stallTimeoutMs, limits } = options;
    const { endpointModels, loginCommand, checkEndpoint, onEvent } = options;
    this.#options = options;
    this.#progress = startTurn(sessionId, options.earlierMessages);
    this.#translation = startTranslation(sessionId, { serverPrefix, isFree });
    this.turn = new AgentTurn({
      agentType: AGENT_TYPE,
      sessionId,
      stallTimeoutMs,
      limits,
      hasEndpoint: endpointModels !== undefined,
      loginCommand,
      checkEndpoint,
      onEvent,
      interrupt: (turn) => this.#interrupt(turn),
      stallError: () => this.#stallError(),
    });
    this.#requests = options.createRequests(this);
  }

  /** The schema of the answer. */
  get outputSchema(): JsonSchema | undefined {
    return this.#options.outputSchema;
  }

  /** How far OpenCode is with the turn. */
  get progress(): OpenCodeTurn {
    return this.#progress;
  }

  /** The model's message in progress; empty before the first one. */
  get answerId(): string {
    return this.#translation.answerId;
  }

  /** The messages of the turn, those of sub-agents included. */
  get messageIds(): Iterable<string> {
    return this.#translation.messages.keys();
  }

  /** The tool call with this id, once it is known. */
  toolOf(callId: string): KnownTool | undefined {
    return this.#translation.tools.get(callId);
  }

  /** Sends the turn's message with `send`. Rejects if the schema is invalid or OpenCode does not accept the message. */
  async begin(send: () => Promise<void>): Promise<void> {
    const { outputSchema } = this.#options;
    if (outputSchema !== undefined) this.#validate = await createSchemaValidator(outputSchema);
    await send();
    // OpenCode accepted the message but may have failed before it recorded it.
    if (this.#progress.phase === "sent" && this.#progress.earlyError !== undefined) this.#endAfter(SETTLE_GRACE_MS);
  }

  /** Adds a message to the turn: sends it with `send`. */
  async steer(send: () => Promise<void>): Promise<void> {
    this.#progress = expectMessage(this.#progress);
    try {
      await send();
    } catch (error) {
      this.#progress = expectNoMessage(this.#progress);
      throw error;
    }
  }

  /** Handles an event of the session or of one of its sub-agents. */
  receive(event: OpenCodeEvent): void {
    if (this.turn.hasEnded || this.#isOfEarlierTurn(event)) return;
    const { state, events, finishedCall } = translateOpenCodeEvent(this.#translation, event);
    this.#translation = state;
    for (const translated of events) this.turn.publish(translated);
    if (finishedCall !== undefined) this.#noteCall(finishedCall);
    this.#requests.receive(event);
    if (!SIGNS_OF_NO_LIFE.has(event.type)) this.turn.touch();
    this.#progress = advanceTurn(this.#progress, event);
    clearTimeout(this.#graceTimer);
    if (this.#progress.phase === "ended") this.#end();
    else if (this.#progress.phase === "settling") this.#endAfter(SETTLE_GRACE_MS);
  }

  /** What OpenCode still reports of a turn that was stopped, or changes in its history when it compacts. */
  #isOfEarlierTurn(event: OpenCodeEvent): boolean {
    const messageId = messageIdOf(event);
    // A sub-agent may outlive a turn.
    if (sessionIdOf(event) !== this.#options.sessionId) return false;
    return messageId !== undefined && this.#options.earlierMessages.has(messageId);
  }

  /** Ends the turn at once, because OpenCode no longer works on it. */
  fail(error: AtomicError): void {
    clearTimeout(this.#graceTimer);
    this.turn.fail(error);
  }

  /** OpenCode reports a model call once its tools have run, and whether another one follows. */
  #noteCall({ isLast }: { readonly isLast: boolean }): void {
    this.turn.noteModelCall();
    if (!isLast) this.turn.noteModelCallAhead();
  }

  #endAfter(delayMs: number): void {
    clearTimeout(this.#graceTimer);
    this.#graceTimer = setTimeout(() => this.#end(), delayMs);
  }

  #stallError(): AtomicError | undefined {
    const { retry } = this.#progress;
    return retry === undefined ? undefined : toRetryError(retry, Date.now());
  }

  /** Invariant 1. */
  async #interrupt(turn: AgentTurn): Promise<void> {
    while (!turn.hasEnded) {
      await this.#options.abortVendor().catch(() => {
        // The next attempt, or the end of the server, decides.
      });
      const waiting = new AbortController();
      const pause = sleep(ABORT_INTERVAL_MS, undefined, { signal: waiting.signal }).catch(() => {
        // The turn has settled.
      });
      await Promise.race([turn.settled, pause]);
      waiting.abort();
    }
  }

  /** OpenCode has finished the turn. */
  #end(): void {
    clearTimeout(this.#graceTimer);
    const { phase, error, earlyError, structured } = this.#progress;
    const problem = error ?? (phase === "sent" ? earlyError : undefined);
    const isOfSchema = problem === undefined || stringOf(recordOf(problem).name) === "StructuredOutputError";
    if (this.#validate !== undefined && isOfSchema && !this.turn.signal.aborted) {
      this.#endStructured(this.#validate, structured);
    } else if (problem === undefined) {
      this.turn.complete();
    } else {
      this.turn.fail(toTurnError(problem, this.#errorContext(this.turn.content)));
    }
  }

  /** Invariant 2. */
  #endStructured(validate: SchemaValidator, structured: unknown): void {
    // An empty line separates it from the attempt before.
    const content = this.turn.content.slice(this.#attemptStart).replace(/^\n+/, "");
    const text = structured === undefined ? content : JSON.stringify(structured);
    const answer = readStructuredAnswer(text, validate);
    if (answer.type === "valid") {
      this.turn.complete({ structured: answer.value });
      return;
    }
    if (this.#retries === STRUCTURED_OUTPUT_RETRIES) {
      this.turn.fail(new StructuredOutputError(AGENT_TYPE, answer.problems, text));
      return;
    }
    this.#retries += 1;
    this.#attemptStart = this.turn.content.length;
    const { sessionId, prompt } = this.#options;
    const { earlierMessages, messages } = this.#progress;
    this.#progress = startTurn(sessionId, new Set([...earlierMessages, ...messages]));
    prompt(describeProblems(answer.problems)).catch((error: unknown) => {
      this.turn.fail(toTurnError({ data: { message: String(error) } }, this.#errorContext(content)));
    });
  }

  #errorContext(content: string): TurnErrorContext {
    const { endpointModels } = this.#options;
    return { content, now: Date.now(), endpointModels, model: this.#translation.model };
  }
}
