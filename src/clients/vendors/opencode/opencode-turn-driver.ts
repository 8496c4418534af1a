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
import { AgentTurn } from "../../turn/agent-turn.ts";
import {
  createSchemaValidator,
  describeProblems,
  readStructuredAnswer,
  type SchemaValidator,
  STRUCTURED_OUTPUT_RETRIES,
} from "../../turn/structured/structured-output.ts";
import { AGENT_TYPE, toRetryError, toTurnError } from "./opencode-errors.ts";
import { type KnownTool, startTranslation, type TranslationState, translateOpenCodeEvent } from "./opencode-events.ts";
import type { OpenCodeRequests } from "./opencode-requests.ts";
import { advanceTurn, expectMessage, expectNoMessage, type OpenCodeTurn, startTurn } from "./opencode-turn.ts";
import type { OpenCodeEvent } from "./opencode-wire.ts";

/** What a turn needs of its session. */
export interface OpenCodeTurnDriverOptions {
  readonly sessionId: string;
  /** What the names of the session's own MCP servers begin with. */
  readonly serverPrefix: string;
  /** The user's messages of earlier turns. */
  readonly earlierMessages: ReadonlySet<string>;
  readonly stallTimeoutMs: number;
  /** The shape that the answer must have. */
  readonly outputSchema: JsonSchema | undefined;
  readonly limits: SessionLimits;
  readonly hasEndpoint: boolean;
  /** Tells OpenCode to stop; may fail, and may come too early to have an effect. */
  readonly abortVendor: () => Promise<void>;
  /** Hands a text to OpenCode, with all the settings of the turn. */
  readonly prompt: (text: string) => Promise<void>;
  /** Makes what answers the permissions and questions of this turn. */
  readonly createRequests: (driver: OpenCodeTurnDriver) => OpenCodeRequests;
  /** Hears every event before the reader of the turn does. */
  readonly onEvent: (event: AgentEvent) => void;
}

/** How long an idle session without an answer may stay so, in milliseconds; see invariant 3 of `opencode-turn.ts`. */
const SETTLE_GRACE_MS = 1_000;
/** An abort that came before OpenCode began to work has no effect, so it is repeated. */
const ABORT_INTERVAL_MS = 250;
/** Events that come although nothing goes forward: OpenCode repeats a refused model call for ever. */
const SIGNS_OF_NO_LIFE: ReadonlySet<string> = new Set(["session.status", "session.updated", "session.diff"]);

/**
 * OpenCode's side of a turn: takes its events in, and tells the {@link AgentTurn} what they mean and when it is over.
 *
 * 1. An abort is repeated until OpenCode says that the session is idle, so that the next turn finds it so.
 * 2. An answer that does not fit the turn's schema is asked for again, in the same turn.
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
  /** Where the text of the present attempt begins. */
  #attemptStart = 0;

  constructor(options: OpenCodeTurnDriverOptions) {
    const { sessionId, stallTimeoutMs, limits, hasEndpoint, onEvent } = options;
    this.#options = options;
    this.#progress = startTurn(sessionId, options.earlierMessages);
    this.#translation = startTranslation(sessionId, options.serverPrefix);
    this.turn = new AgentTurn({
      agentType: AGENT_TYPE,
      sessionId,
      stallTimeoutMs,
      limits,
      hasEndpoint,
      onEvent,
      interrupt: (turn) => this.#interrupt(turn),
      stallError: () => this.#stallError(),
    });
    this.#requests = options.createRequests(this);
  }

  /** The shape that the answer must have. */
  get outputSchema(): JsonSchema | undefined {
    return this.#options.outputSchema;
  }

  /** How far OpenCode is with the turn. */
  get progress(): OpenCodeTurn {
    return this.#progress;
  }

  /** The message of the model's that is being written; empty before the first one. */
  get answerId(): string {
    return this.#translation.answerId;
  }

  /** The tool call with this identifier, once it is known. */
  toolOf(callId: string): KnownTool | undefined {
    return this.#translation.tools.get(callId);
  }

  /** Hands the turn's message over with `send`. Rejects when the schema is broken or OpenCode does not take it. */
  async begin(send: () => Promise<void>): Promise<void> {
    const { outputSchema } = this.#options;
    if (outputSchema !== undefined) this.#validate = await createSchemaValidator(outputSchema);
    await send();
    // OpenCode took the message but may have failed before it made one of it.
    if (this.#progress.phase === "sent" && this.#progress.earlyError !== undefined) this.#endAfter(SETTLE_GRACE_MS);
  }

  /** Adds a message to the turn: hands it over with `send`. */
  async steer(send: () => Promise<void>): Promise<void> {
    this.#progress = expectMessage(this.#progress);
    try {
      await send();
    } catch (error) {
      this.#progress = expectNoMessage(this.#progress);
      throw error;
    }
  }

  /** Takes an event of the session's, or of one of its sub-agents'. */
  receive(event: OpenCodeEvent): void {
    if (this.turn.hasEnded) return;
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

  /** Ends the turn at once: nothing of it goes on. */
  fail(error: AtomicError): void {
    clearTimeout(this.#graceTimer);
    this.turn.fail(error);
  }

  /** OpenCode tells of a model call when its tools have run, and whether it will go on. */
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

  /** OpenCode is done. */
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
      this.turn.fail(toTurnError(problem, { content: this.turn.content, now: Date.now() }));
    }
  }

  /** Invariant 2. */
  #endStructured(validate: SchemaValidator, structured: unknown): void {
    const content = this.turn.content.slice(this.#attemptStart);
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
      this.turn.fail(toTurnError({ data: { message: String(error) } }, { content, now: Date.now() }));
    });
  }
}
