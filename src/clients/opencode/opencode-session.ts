import type { OpencodeClient } from "@opencode-ai/sdk/v2/client";
import {
  type AgentCrashedError,
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  type ContextUsage,
  type McpServerStatus,
  type PermissionPolicy,
  promptTextOf,
  type Session,
  SessionBusyError,
  type SessionConfig,
  type TurnOptions,
} from "../../contracts/index.ts";
import { missingCapability } from "../capabilities.ts";
import type { OpenCodeConnection, SessionReceiver } from "./opencode-connection.ts";
import { loadDefaultModel, loadLastAnswer, loadModelDisplayInfo, toContextUsage } from "./opencode-models.ts";
import type { OpenCodeModel } from "./opencode-options.ts";
import { OpenCodePermissionAnswerer, type SessionAllowances } from "./opencode-permission-answerer.ts";
import { OpenCodeRunningTurn } from "./opencode-running-turn.ts";
import { fieldsOf, type OpenCodeEvent, textOf } from "./opencode-wire.ts";
import { rereadSession } from "./reread-session.ts";

/** What a session needs of its client. */
export interface OpenCodeSessionOptions {
  readonly id: string;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  /** The folder that OpenCode names files relative to. */
  readonly worktree: string;
  /** Absent when OpenCode is to choose. */
  readonly model: OpenCodeModel | undefined;
  readonly stallTimeoutMs: number;
  /** The running server, started again if it has ended. */
  readonly connect: () => Promise<OpenCodeConnection>;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onDestroy: () => void;
}

/** How often OpenCode asks the model again for an answer of the right shape. */
const STRUCTURED_OUTPUT_RETRIES = 2;

const ASK_EVERYTHING: PermissionPolicy = { rules: [] };

/** A conversation with OpenCode. */
export class OpenCodeSession implements Session, SessionReceiver {
  readonly id: string;
  readonly #options: OpenCodeSessionOptions;
  readonly #allowances: SessionAllowances = new Set();
  readonly #earlierMessages = new Set<string>();
  #isBusy = false;
  #turn: OpenCodeRunningTurn | undefined;
  #connection: OpenCodeConnection | undefined;

  constructor(options: OpenCodeSessionOptions) {
    this.id = options.id;
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  async send(message: AgentPrompt, options: TurnOptions = {}): Promise<AgentReply> {
    return this.#runTurn(options, (sdk) => this.#prompt(sdk, message, options));
  }

  async *stream(message: AgentPrompt, options: TurnOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    yield* this.#streamTurn(options, (sdk) => this.#prompt(sdk, message, options));
  }

  async steer(): Promise<void> {
    throw missingCapability("opencode", "steer");
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    throw missingCapability("opencode", "mcpStatus");
  }

  async abort(): Promise<void> {
    await this.#turn?.abort(new DOMException("The turn was aborted.", "AbortError"));
  }

  async summarize(): Promise<void> {
    await this.#runTurn({}, async (sdk) => {
      const { providerID, modelID } = await this.#modelInUse(sdk);
      await sdk.session.summarize({ ...this.#address(), providerID, modelID }, { throwOnError: true });
    });
  }

  async getContextUsage(): Promise<ContextUsage> {
    const { sdk } = await this.#connect();
    const query = { sdk, directory: this.#options.workingDirectory };
    const answer = await loadLastAnswer(query, this.id);
    const model =
      answer === undefined ? await this.#modelInUse(sdk) : { providerID: answer.providerId, modelID: answer.modelId };
    const { contextWindowTokens = 0 } = await loadModelDisplayInfo(query, model);
    return toContextUsage(answer, contextWindowTokens);
  }

  async destroy(): Promise<void> {
    await this.end(new DOMException("The session was destroyed.", "AbortError"));
  }

  /** Aborts what runs, with this reason, and lets go of the connection. */
  async end(reason: unknown): Promise<void> {
    await this.#turn?.abort(reason);
    this.#connection?.unregister(this.id, this);
    this.#connection = undefined;
    this.#options.onDestroy();
  }

  receive(event: OpenCodeEvent): void {
    if (this.#turn !== undefined) {
      this.#turn.receive(event);
      return;
    }
    // Between turns nothing may be asked; what an aborted turn left open would wait for ever.
    if (event.type === "permission.asked") void this.#reply(textOf(event.properties.id), { reply: "reject" });
    if (event.type === "question.asked") void this.#rejectQuestion(textOf(event.properties.id)).catch(() => {});
  }

  onReconnect(): void {
    const turn = this.#turn;
    const connection = this.#connection;
    if (turn === undefined || connection === undefined) return;
    const { workingDirectory } = this.#options;
    rereadSession({ sdk: connection.sdk, sessionId: this.id, directory: workingDirectory, turn: turn.turn }).then(
      (events) => {
        for (const event of events) connection.deliver(event);
      },
      () => {
        // The connection was lost again: the next one reads anew.
      },
    );
  }

  onServerEnd(error: AgentCrashedError): void {
    this.#connection = undefined;
    this.#turn?.fail(error);
  }

  async #runTurn(options: TurnOptions, begin: (sdk: OpencodeClient) => Promise<void>): Promise<AgentReply> {
    const turns: OpenCodeRunningTurn[] = [];
    for await (const _event of this.#streamTurn(options, begin, (turn) => turns.push(turn))) {
      // Only the end counts.
    }
    const turn = turns[0];
    if (turn === undefined) throw new Error("A turn ended that was never started.");
    return turn.result();
  }

  async *#streamTurn(
    options: TurnOptions,
    begin: (sdk: OpencodeClient) => Promise<void>,
    onTurn?: (turn: OpenCodeRunningTurn) => void,
  ): AsyncGenerator<AgentEvent, void, undefined> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#isBusy) throw new SessionBusyError(this.id);
    this.#isBusy = true;
    let turn: OpenCodeRunningTurn | undefined;
    const onAbort = () => void turn?.abort(signal?.reason);
    try {
      const { sdk } = await this.#connect();
      signal?.throwIfAborted();
      turn = this.#createTurn(sdk, options);
      this.#turn = turn;
      onTurn?.(turn);
      signal?.addEventListener("abort", onAbort, { once: true });
      turn.start(() => begin(sdk));
      yield* turn.events;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      // Does nothing to a turn that has ended; the reader may have left early.
      await turn?.abort(new DOMException("The turn's events are no longer read.", "AbortError"));
      for (const message of turn?.turn.messages ?? []) this.#earlierMessages.add(message);
      this.#turn = undefined;
      this.#isBusy = false;
    }
  }

  #createTurn(
    sdk: OpencodeClient,
    { stallTimeoutMs = this.#options.stallTimeoutMs }: TurnOptions,
  ): OpenCodeRunningTurn {
    const { config, workingDirectory, worktree, onEvent } = this.#options;
    return new OpenCodeRunningTurn({
      sessionId: this.id,
      earlierMessages: this.#earlierMessages,
      stallTimeoutMs,
      onEvent,
      abortVendor: async () => {
        await sdk.session.abort(this.#address(), { throwOnError: true });
      },
      rejectQuestion: (questionId) => this.#rejectQuestion(questionId),
      createAnswerer: ({ publish, onWaitingChange, toolNameOf }) =>
        new OpenCodePermissionAnswerer(
          {
            context: { sessionId: this.id, workingDirectory, worktree, toolNameOf },
            policy: config.permissions ?? ASK_EVERYTHING,
            handler: config.onPermissionAsk,
            reply: (requestId, reply) => this.#reply(requestId, reply),
            publish,
            onWaitingChange,
          },
          this.#allowances,
        ),
    });
  }

  async #prompt(sdk: OpencodeClient, message: AgentPrompt, { outputSchema }: TurnOptions): Promise<void> {
    const { model, config } = this.#options;
    await sdk.session.promptAsync(
      {
        ...this.#address(),
        parts: [{ type: "text", text: promptTextOf(message) }],
        ...(model === undefined ? {} : { model }),
        ...(typeof config.systemPrompt === "string" ? { system: config.systemPrompt } : {}),
        ...(outputSchema === undefined
          ? {}
          : { format: { type: "json_schema", schema: outputSchema, retryCount: STRUCTURED_OUTPUT_RETRIES } }),
      },
      { throwOnError: true },
    );
  }

  async #reply(
    requestId: string,
    reply: { readonly reply: "once" | "reject"; readonly message?: string },
  ): Promise<void> {
    await this.#connection?.sdk.permission.reply(
      { requestID: requestId, directory: this.#options.workingDirectory, ...reply },
      { throwOnError: true },
    );
  }

  async #rejectQuestion(questionId: string): Promise<void> {
    const directory = this.#options.workingDirectory;
    await this.#connection?.sdk.question.reject({ requestID: questionId, directory }, { throwOnError: true });
  }

  async #modelInUse(sdk: OpencodeClient): Promise<OpenCodeModel> {
    const query = { sdk, directory: this.#options.workingDirectory };
    if (this.#options.model !== undefined) return this.#options.model;
    const answer = await loadLastAnswer(query, this.id);
    if (answer !== undefined) return { providerID: answer.providerId, modelID: answer.modelId };
    return (await loadDefaultModel(query)) ?? { providerID: "", modelID: "" };
  }

  async #connect(): Promise<OpenCodeConnection> {
    const connection = await this.#options.connect();
    if (connection !== this.#connection) {
      this.#connection = connection;
      connection.register(this.id, this);
    }
    return connection;
  }

  #address(): { sessionID: string; directory: string } {
    return { sessionID: this.id, directory: this.#options.workingDirectory };
  }
}

/** The folder that OpenCode names a session's files relative to. */
export async function loadWorktree(sdk: OpencodeClient, directory: string): Promise<string> {
  const { data } = await sdk.path.get({ directory }, { throwOnError: true });
  return textOf(fieldsOf(data).worktree) || directory;
}
