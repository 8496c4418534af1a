import { setTimeout as sleep } from "node:timers/promises";
import type { CopilotSession as SdkSession } from "@github/copilot-sdk";
import {
  type AgentCrashedError,
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  AgentTurnError,
  AtomicError,
  type ContextUsage,
  type McpServerStatus,
  messageOf,
  NoTurnRunningError,
  type Session,
  SessionDestroyedError,
  SessionLimits,
  type ToolDefinition,
  type TurnOptions,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { PermissionGate } from "../../policy/permission-gate.ts";
import { AgentTurn, type AgentTurnOptions } from "../../turn/agent-turn.ts";
import { describeSchema } from "../../turn/structured/structured-output.ts";
import { TurnRunner, type TurnTask } from "../../turn/turn-runner.ts";
import { type Attachment, attachSession, cancelBackground, loadMcpStatus } from "./copilot-attachment.ts";
import { CopilotCallGate } from "./copilot-call-gate.ts";
import { startTranslation, type TranslationState, translateCopilotEvent } from "./copilot-events.ts";
import { toContextUsage, toSystemToolsTokens } from "./copilot-status.ts";
import { advanceProgress, startProgress, type TurnProgress } from "./copilot-turn.ts";
import { parseCopilotEvent } from "./copilot-wire.ts";
import { type CopilotConnection, withinFarewell } from "./runtime/copilot-connection.ts";
import { AGENT_TYPE, toTurnError, toWaitError, type WaitEvent } from "./runtime/copilot-errors.ts";
import { type SessionSettings, toCopilotMessage } from "./runtime/copilot-options.ts";
import { type AnswerCheck, createAnswerCheck } from "./structured-answer.ts";

/** What a session needs from its client. */
export interface CopilotSessionOptions {
  readonly id: string;
  readonly settings: SessionSettings;
  readonly tools: readonly ToolDefinition[];
  readonly stallTimeoutMs: number;
  /** Whether the models are those of the user's own endpoint. */
  readonly hasEndpoint: boolean;
  readonly checkEndpoint?: AgentTurnOptions["checkEndpoint"];
  /** Returns the running runtime, or starts a new one if it has ended. */
  readonly connect: () => Promise<CopilotConnection>;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onDestroy: () => void;
}

/** How often an abort is repeated: one that arrives before Copilot has started to work has no effect. */
const ABORT_ATTEMPTS = 20;
const ABORT_INTERVAL_MS = 250;

/** How long commands and sub-agents in the background may delay a turn after its answer, in milliseconds. */
const BACKGROUND_MS = 120_000;

/** How long Copilot may take to continue after background work has ended, in milliseconds. */
const BACKGROUND_GRACE_MS = 500;

/** A conversation in Copilot's runtime. If the runtime has ended, the session attaches to a new one. */
export class CopilotSession implements Session {
  readonly id: string;
  readonly #options: CopilotSessionOptions;
  readonly #runner: TurnRunner;
  readonly #calls: CopilotCallGate;
  readonly #limits: SessionLimits;
  #attachment: Attachment | undefined;
  /** True once the client has released the session, which must then not restart the runtime. */
  #hasEnded = false;
  #translation: TranslationState;
  #progress: TurnProgress = startProgress();
  #check: AnswerCheck | undefined;
  /** Settles when Copilot has taken the last message. */
  #sending: Promise<unknown> = Promise.resolve();
  #quietTimer: ReturnType<typeof setTimeout> | undefined;
  #isCompacting = false;
  /** What the runtime waits for before it retries a model call. */
  #wait: WaitEvent | undefined;
  /** The stall timeout of the turn in progress, in milliseconds. */
  #stallTimeoutMs: number;

  constructor(options: CopilotSessionOptions) {
    const { id, settings } = options;
    this.id = id;
    this.#stallTimeoutMs = options.stallTimeoutMs;
    this.#options = options;
    this.#runner = new TurnRunner(id);
    const { config, workingDirectory } = settings;
    this.#limits = new SessionLimits({ agentType: AGENT_TYPE, config });
    this.#calls = new CopilotCallGate({
      sessionId: id,
      config,
      workingDirectory,
      gate: new PermissionGate({ config, workingDirectory }),
      turn: () => this.#runner.turn,
      known: () => this.#translation,
    });
    this.#translation = this.#startTranslation();
  }

  /** True from the request of a turn until it has settled. */
  get isBusy(): boolean {
    return this.#runner.isBusy;
  }

  /** Creates the vendor's conversation. */
  async create(connection: CopilotConnection): Promise<void> {
    const { sdk } = await this.#attach(connection, "create");
    const { title } = this.#options.settings.config;
    if (title !== undefined) await connection.call(() => sdk.rpc.name.set({ name: title }));
  }

  /** Opens the vendor's conversation. @throws UnknownSessionError */
  async resume(connection: CopilotConnection): Promise<void> {
    await this.#attach(connection, "resume");
  }

  async send(message: AgentPrompt, options: TurnOptions = {}): Promise<AgentReply> {
    return this.#runner.run(this.#messageTask(message, options), options);
  }

  stream(message: AgentPrompt, options: TurnOptions = {}): AsyncIterable<AgentEvent> {
    return this.#runner.stream(this.#messageTask(message, options), options);
  }

  async steer(message: AgentPrompt): Promise<void> {
    if (this.#runner.turn === undefined) throw new NoTurnRunningError(this.id);
    const steering = toCopilotMessage(message, this.#options.settings.workingDirectory);
    await this.#call((sdk) => sdk.send({ ...steering, mode: "immediate" }));
  }

  async abort(): Promise<void> {
    await this.#runner.abort();
  }

  async summarize(): Promise<void> {
    const begin = async (turn: AgentTurn): Promise<void> => {
      this.#isCompacting = true;
      try {
        const { success } = await this.#call((sdk) => sdk.rpc.history.compact({}));
        if (success) turn.complete();
        else turn.fail(new AgentTurnError(AGENT_TYPE, "the conversation could not be compacted"));
      } finally {
        this.#isCompacting = false;
      }
    };
    await this.#runner.run({ create: () => this.#createTurn({}), begin });
  }

  async getContextUsage(): Promise<ContextUsage> {
    const limits = { promptTokenLimit: 0, outputTokenLimit: 0 };
    const { contextInfo } = await this.#call((sdk) => sdk.rpc.metadata.contextInfo(limits));
    return toContextUsage(contextInfo);
  }

  async getSystemToolsTokens(): Promise<number> {
    const limits = { promptTokenLimit: 0, outputTokenLimit: 0 };
    const { contextInfo } = await this.#call((sdk) => sdk.rpc.metadata.contextInfo(limits));
    return toSystemToolsTokens(contextInfo);
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    return loadMcpStatus(await this.#ensureAttached());
  }

  async destroy(): Promise<void> {
    await this.end(new DOMException("The session was destroyed.", "AbortError"));
  }

  /** Ends the turn in progress and releases the vendor's session. */
  async end(reason: unknown): Promise<void> {
    this.#hasEnded = true;
    await this.#runner.end(reason);
    const attachment = this.#attachment;
    this.#attachment = undefined;
    this.#options.onDestroy();
    if (attachment?.connection.isOpen) {
      await withinFarewell(attachment.connection.call(() => attachment.sdk.disconnect()));
    }
  }

  /** The runtime has ended, so the turn fails. */
  onRuntimeEnd(error: AgentCrashedError): void {
    if (this.#attachment?.connection.isOpen === false) this.#attachment = undefined;
    this.#runner.turn?.fail(error);
  }

  #messageTask(message: AgentPrompt, { outputSchema, ...options }: TurnOptions): TurnTask {
    return {
      create: async () => {
        this.#check = outputSchema === undefined ? undefined : await createAnswerCheck(outputSchema);
        return this.#createTurn(options);
      },
      begin: async (turn) => {
        const { prompt, ...rest } = toCopilotMessage(message, this.#options.settings.workingDirectory);
        const asked = outputSchema === undefined ? prompt : `${prompt}\n\n${describeSchema(outputSchema)}`;
        await this.#hand(turn, { prompt: asked, ...rest });
      },
    };
  }

  async #createTurn({ stallTimeoutMs = this.#options.stallTimeoutMs }: TurnOptions): Promise<AgentTurn> {
    await this.#ensureAttached();
    this.#translation = this.#startTranslation();
    this.#progress = startProgress();
    this.#wait = undefined;
    this.#stallTimeoutMs = stallTimeoutMs;
    return new AgentTurn({
      agentType: AGENT_TYPE,
      sessionId: this.id,
      stallTimeoutMs,
      limits: this.#limits,
      hasEndpoint: this.#options.hasEndpoint,
      checkEndpoint: this.#options.checkEndpoint,
      onEvent: this.#options.onEvent,
      interrupt: (turn) => this.#interrupt(turn),
      stallError: () => (this.#wait === undefined ? undefined : toWaitError(this.#wait)),
    });
  }

  #startTranslation(): TranslationState {
    return startTranslation(
      this.id,
      this.#options.tools.map(({ name }) => name),
    );
  }

  /** Sends a message, unless the turn is already being stopped. */
  async #hand(turn: AgentTurn, message: Parameters<SdkSession["send"]>[0]): Promise<void> {
    if (turn.signal.aborted) return;
    // `send` has an overload for texts that hides the one for objects.
    const sending = this.#call((sdk) => sdk.send(message as Exclude<typeof message, string>));
    this.#sending = sending;
    await sending;
  }

  async #attach(connection: CopilotConnection, how: "create" | "resume"): Promise<Attachment> {
    const { id, settings, tools } = this.#options;
    const handlers = { sessionId: id, calls: this.#calls, tools, turn: () => this.#runner.turn };
    const onEvent = (raw: unknown): void => this.#receive(raw);
    this.#attachment = await attachSession(connection, { how, settings, handlers, onEvent });
    return this.#attachment;
  }

  /**
   * The SDK's session. In a new runtime, the conversation is resumed, or created again if the old runtime never stored it.
   * @throws SessionDestroyedError
   */
  async #ensureAttached(): Promise<Attachment> {
    if (this.#hasEnded) throw new SessionDestroyedError(this.id);
    if (this.#attachment?.connection.isOpen) return this.#attachment;
    const connection = await this.#options.connect();
    try {
      return await this.#attach(connection, "resume");
    } catch (error) {
      if (error instanceof UnknownSessionError) return this.#attach(connection, "create");
      throw error;
    }
  }

  async #call<T>(work: (sdk: SdkSession) => Promise<T>): Promise<T> {
    const { connection, sdk } = await this.#ensureAttached();
    return connection.call(() => work(sdk));
  }

  #receive(raw: unknown): void {
    const { turn } = this.#runner;
    if (turn === undefined || turn.hasEnded) return;
    const event = parseCopilotEvent(raw);
    const { state, events } = translateCopilotEvent(this.#translation, event);
    this.#translation = state;
    this.#calls.watch(event, turn);
    for (const translated of events) {
      if (translated.type === "waiting") this.#wait = translated;
      else if (translated.type !== "vendor") this.#wait = undefined;
      turn.publish(translated);
    }
    if (event.type === "assistant.turn_start" && event.agentId === undefined) turn.noteModelCall();
    turn.touch();
    if (this.#isCompacting) return;
    const before = this.#progress.phase;
    this.#progress = advanceProgress(this.#progress, event);
    if (this.#progress.phase === before) return;
    clearTimeout(this.#quietTimer);
    if (this.#progress.phase === "over") this.#finish(turn);
    if (this.#progress.phase === "quiet") this.#awaitBackground(turn);
  }

  /** Ends the turn when the vendor is idle. */
  #finish(turn: AgentTurn): void {
    if (turn.signal.aborted || turn.hasEnded) return turn.complete();
    const { error, lastText } = this.#progress;
    if (error !== undefined) return turn.fail(toTurnError(error));
    const verdict = this.#check?.(lastText) ?? { type: "complete" };
    switch (verdict.type) {
      case "complete":
        return turn.complete();
      case "valid":
        return turn.complete({ structured: verdict.value });
      case "failed":
        return turn.fail(verdict.error);
      case "ask-again":
        this.#progress = startProgress();
        this.#hand(turn, { prompt: verdict.prompt }).catch((cause: unknown) => turn.fail(toFailure(cause)));
    }
  }

  /** A server that the agent started and left running must not delay the turn forever. */
  #awaitBackground(turn: AgentTurn): void {
    const waitMs = Math.min(BACKGROUND_MS, this.#stallTimeoutMs / 2);
    this.#quietTimer = setTimeout(() => {
      this.#endBackground(turn).catch((error: unknown) => turn.fail(toFailure(error)));
    }, waitMs);
    void turn.settled.then(() => clearTimeout(this.#quietTimer));
  }

  async #endBackground(turn: AgentTurn): Promise<void> {
    if (this.#attachment === undefined || turn.hasEnded) return;
    await cancelBackground(this.#attachment);
    await sleep(BACKGROUND_GRACE_MS, undefined, { ref: false });
    if (this.#progress.phase === "quiet" && this.#runner.turn === turn) this.#finish(turn);
  }

  /** Stops the vendor's work, and ends the turn as soon as the vendor is idle. */
  async #interrupt(turn: AgentTurn): Promise<void> {
    clearTimeout(this.#quietTimer);
    await this.#sending.catch(() => {
      // The sender has already received the error.
    });
    for (let attempt = 0; attempt < ABORT_ATTEMPTS && !turn.hasEnded; attempt++) {
      if (this.#attachment === undefined) return turn.complete();
      const { connection, sdk } = this.#attachment;
      if (this.#isCompacting) await connection.call(() => sdk.rpc.history.abortManualCompaction());
      await connection.call(() => sdk.abort());
      await cancelBackground(this.#attachment);
      const { processing } = await connection.call(() => sdk.rpc.metadata.isProcessing());
      // Copilot may not have started on a message that was just sent.
      if (!processing && (this.#progress.phase !== "sent" || attempt > 0)) return turn.complete();
      await sleep(ABORT_INTERVAL_MS, undefined, { ref: false });
    }
  }
}

function toFailure(thrown: unknown): AtomicError {
  return thrown instanceof AtomicError ? thrown : toTurnError({ message: messageOf(thrown) });
}
