import { setTimeout as sleep } from "node:timers/promises";
import type { OpencodeClient } from "@opencode-ai/sdk/v2/client";
import {
  type AgentCrashedError,
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  type ContextUsage,
  type JsonSchema,
  type McpServerStatus,
  NoTurnRunningError,
  type Session,
  type SessionConfig,
  SessionLimits,
  stringOf,
  type ToolContext,
  type ToolDefinition,
  type ToolVerdict,
  type TurnOptions,
} from "../../../contracts/index.ts";
import { missingCapability } from "../../options/capabilities.ts";
import { PermissionGate } from "../../policy/permission-gate.ts";
import { toAgentName } from "../../tools/allowed-tool-calls.ts";
import type { HostedToolCall } from "../../tools/tool-endpoint.ts";
import type { OpenedTools, ToolHost } from "../../tools/tool-host.ts";
import type { AgentTurnOptions } from "../../turn/agent-turn.ts";
import { TurnRunner } from "../../turn/turn-runner.ts";
import type { OpenCodeCall } from "../opencode-settings/opencode-call.ts";
import { OpenCodeCallGate } from "../opencode-settings/opencode-call-gate.ts";
import type { OpenCodeModel } from "../opencode-settings/opencode-model.ts";
import {
  loadDefaultModel,
  loadLastAnswer,
  loadModelDisplayInfo,
  loadVariant,
  toContextUsage,
} from "./opencode-models.ts";
import { buildOpenCodePrompt } from "./opencode-prompt.ts";
import { OpenCodeRequests } from "./opencode-requests.ts";
import { OpenCodeTurnDriver } from "./opencode-turn-driver.ts";
import { rereadSession } from "./reread-session.ts";
import type { OpenCodeConnection } from "./server/opencode-connection.ts";
import { AGENT_TYPE } from "./server/opencode-errors.ts";
import type { SessionReceiver } from "./server/opencode-router.ts";
import { serverRule } from "./server/opencode-rules.ts";
import { bareToolName, SessionServers } from "./server/opencode-servers.ts";
import { type OpenCodeEvent, parseMessage } from "./server/opencode-wire.ts";

/** How long to wait for the exit of a server that no longer accepts calls, in milliseconds. */
const CRASH_NOTICE_MS = 2_000;

/** What a session needs from its client. */
export interface OpenCodeSessionOptions {
  readonly id: string;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  /** The folder to which OpenCode's file names are relative. */
  readonly worktree: string;
  /** Environment variables that override OpenCode's own for the MCP servers that it starts. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Absent if OpenCode chooses. */
  readonly model: OpenCodeModel | undefined;
  readonly stallTimeoutMs: number;
  /** The models of the user's own endpoint, which are the only ones then. */
  readonly endpointModels: readonly string[] | undefined;
  readonly checkEndpoint?: AgentTurnOptions["checkEndpoint"];
  /** Whether the model is known to cost nothing. */
  readonly isFree: boolean;
  /** Atomic's own tools that the session may call, and their server. */
  readonly tools: readonly ToolDefinition[];
  readonly toolHost: ToolHost;
  /** Returns the running server, or starts a new one if it has ended. */
  readonly connect: () => Promise<OpenCodeConnection>;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onDestroy: () => void;
}

/** A conversation with OpenCode. */
export class OpenCodeSession implements Session, SessionReceiver {
  readonly id: string;
  readonly #options: OpenCodeSessionOptions;
  readonly #limits: SessionLimits;
  readonly #runner: TurnRunner;
  readonly #gate: PermissionGate;
  readonly #calls: OpenCodeCallGate;
  readonly #servers: SessionServers;
  readonly #earlierMessages = new Set<string>();
  /** The latest turn, which may have ended. */
  #driver: OpenCodeTurnDriver | undefined;
  #connection: OpenCodeConnection | undefined;
  #connecting: Promise<void> = Promise.resolve();
  #openedTools: OpenedTools | undefined;
  /** Aborted when the session ends, also while it is being opened. */
  #ending = new AbortController();
  /** The model's variant for the session's effort, once it was looked up. */
  #variant: Promise<string | undefined> | undefined;

  constructor(options: OpenCodeSessionOptions) {
    const { id, config, workingDirectory, childEnv } = options;
    this.id = id;
    this.#options = options;
    this.#limits = new SessionLimits({ agentType: AGENT_TYPE, config, pricesEachCall: true, isFree: options.isFree });
    this.#runner = new TurnRunner(id);
    this.#gate = new PermissionGate({ config, workingDirectory });
    this.#servers = new SessionServers({ sessionId: id, directory: workingDirectory, childEnv });
    this.#calls = new OpenCodeCallGate({
      agentType: AGENT_TYPE,
      sessionId: id,
      gate: this.#gate,
      beforeTool: config.beforeTool,
      nameOf: (tool) => bareToolName(tool, this.#servers.prefix),
      turn: () => this.#running?.turn,
    });
  }

  get isBusy(): boolean {
    return this.#runner.isBusy;
  }

  /** Connects the session to a running server: its events, its MCP servers, its tools. Idempotent. */
  async open(connection: OpenCodeConnection): Promise<void> {
    const connecting = this.#connecting.then(() => this.#adopt(connection));
    this.#connecting = connecting.catch(() => {}); // the caller gets the error below
    await connecting;
  }

  async send(message: AgentPrompt, options: TurnOptions = {}): Promise<AgentReply> {
    return this.#runner.run(this.#createTask(message, options), options);
  }

  async *stream(message: AgentPrompt, options: TurnOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    yield* this.#runner.stream(this.#createTask(message, options), options);
  }

  async steer(message: AgentPrompt): Promise<void> {
    const driver = this.#running;
    // A turn that is being stopped accepts no more messages.
    if (driver === undefined || driver.turn.signal.aborted) throw new NoTurnRunningError(this.id);
    await driver.steer(() => this.#prompt(message, driver.outputSchema));
  }

  async abort(): Promise<void> {
    await this.#runner.abort();
  }

  async summarize(): Promise<void> {
    await this.#runner.run({
      create: () => this.#createTurn({}),
      begin: async () => {
        const { sdk } = await this.#connect();
        const { providerID, modelID } = await this.#modelInUse(sdk);
        await sdk.session.summarize({ ...this.#address(), providerID, modelID }, { throwOnError: true });
      },
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

  async getSystemToolsTokens(): Promise<number> {
    throw missingCapability(AGENT_TYPE, "systemToolsTokens");
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    const { sdk } = await this.#connect();
    return this.#servers.load(sdk);
  }

  async destroy(): Promise<void> {
    const connection = this.#connection;
    await this.end(new DOMException("The session was destroyed.", "AbortError"));
    if (connection?.isOpen) await this.#servers.remove(connection.sdk);
  }

  /** Aborts the turn in progress with this reason, and releases the connection. */
  async end(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    this.#ending = new AbortController();
    await this.#runner.end(reason);
    this.#connection?.unregister(this.id, this);
    this.#connection = undefined;
    await this.#openedTools?.close();
    this.#openedTools = undefined;
    this.#options.onDestroy();
  }

  receive(event: OpenCodeEvent): void {
    if (this.#running !== undefined) {
      this.#running.receive(event);
      return;
    }
    // Late events belong to no turn.
    if (event.type === "message.updated") this.#earlierMessages.add(parseMessage(event.properties.info).id);
    // Between turns every request is rejected: those of an aborted turn would wait forever.
    const asked = this.#asked(stringOf(event.properties.id));
    const sdk = this.#connection?.sdk;
    if (event.type === "permission.asked") void sdk?.permission.reply({ ...asked, reply: "reject" });
    if (event.type === "question.asked") void sdk?.question.reject(asked);
  }

  onReconnect(): void {
    const driver = this.#running;
    const connection = this.#connection;
    if (driver === undefined || connection === undefined) return;
    const { workingDirectory } = this.#options;
    rereadSession({ sdk: connection.sdk, sessionId: this.id, directory: workingDirectory, turn: driver.progress }).then(
      (events) => {
        for (const event of events) connection.deliver(event);
      },
      () => {
        // The connection was lost again: the next one reads the session again.
      },
    );
  }

  onServerEnd(error: AgentCrashedError): void {
    this.#connection = undefined;
    this.#running?.fail(error);
  }

  async decideCall(call: OpenCodeCall): Promise<ToolVerdict> {
    return this.#calls.decide(call.tool.startsWith(this.#servers.prefix) ? { ...call, isMcp: true } : call);
  }

  async prepareSubagent(subagentId: string): Promise<void> {
    const { config, tools, workingDirectory: directory } = this.#options;
    if (tools.length === 0 && Object.keys(config.mcpServers ?? {}).length === 0) return;
    const rules = { sessionID: subagentId, directory, permission: [serverRule(this.#servers.prefix)] };
    await this.#connection?.sdk.session.update(rules, { throwOnError: true });
  }

  get #running(): OpenCodeTurnDriver | undefined {
    return this.#driver?.turn.hasEnded === false ? this.#driver : undefined;
  }

  #createTask(message: AgentPrompt, options: TurnOptions) {
    return {
      create: () => this.#createTurn(options),
      begin: async () => this.#driver?.begin(() => this.#prompt(message, options.outputSchema)),
    };
  }

  async #createTurn({ stallTimeoutMs = this.#options.stallTimeoutMs, outputSchema }: TurnOptions) {
    const { sdk, loginCommand } = await this.#connect();
    for (const messageId of this.#driver?.messageIds ?? []) this.#earlierMessages.add(messageId);
    const driver = new OpenCodeTurnDriver({
      sessionId: this.id,
      serverPrefix: this.#servers.prefix,
      isFree: this.#options.isFree,
      earlierMessages: this.#earlierMessages,
      stallTimeoutMs,
      outputSchema,
      limits: this.#limits,
      endpointModels: this.#options.endpointModels,
      loginCommand,
      checkEndpoint: this.#options.checkEndpoint,
      onEvent: this.#options.onEvent,
      abortVendor: async () => {
        await sdk.session.abort(this.#address(), { throwOnError: true });
      },
      prompt: (text) => this.#prompt(text, outputSchema),
      createRequests: (created) => this.#createRequests(created),
    });
    this.#driver = driver;
    return driver.turn;
  }

  #createRequests(driver: OpenCodeTurnDriver): OpenCodeRequests {
    const { config, workingDirectory, worktree } = this.#options;
    return new OpenCodeRequests({
      turn: driver.turn,
      gate: this.#gate,
      calls: this.#calls,
      context: {
        sessionId: this.id,
        workingDirectory,
        worktree,
        serverPrefix: this.#servers.prefix,
        toolOf: (callId) => driver.toolOf(callId),
      },
      onQuestion: config.onQuestion,
      replies: {
        replyToPermission: async (requestID, reply) => {
          await this.#connection?.sdk.permission.reply({ ...this.#asked(requestID), ...reply }, { throwOnError: true });
        },
        replyToQuestion: async (requestID, answers) => {
          await this.#connection?.sdk.question.reply({ ...this.#asked(requestID), answers }, { throwOnError: true });
        },
      },
    });
  }

  async #prompt(message: AgentPrompt, outputSchema: JsonSchema | undefined): Promise<void> {
    const { sdk, ended } = await this.#connect();
    const { model, config } = this.#options;
    const { systemPrompt } = config;
    const variant = await this.#knownVariant(sdk);
    const prompt = buildOpenCodePrompt(message, { model, variant, systemPrompt, outputSchema });
    try {
      await sdk.session.promptAsync({ ...this.#address(), ...prompt }, { throwOnError: true });
    } catch (error) {
      // A dead server rejects calls before its exit is reported. The exit fails the turn and explains more.
      if (error instanceof TypeError) await Promise.race([ended, sleep(CRASH_NOTICE_MS, undefined, { ref: false })]);
      throw error;
    }
  }

  async #knownVariant(sdk: OpencodeClient): Promise<string | undefined> {
    const loading = this.#variant ?? this.#loadVariant(sdk);
    this.#variant = loading;
    try {
      return await loading;
    } catch (error) {
      // The next message repeats the lookup.
      if (this.#variant === loading) this.#variant = undefined;
      throw error;
    }
  }

  async #loadVariant(sdk: OpencodeClient): Promise<string | undefined> {
    const { config, workingDirectory } = this.#options;
    if (config.reasoningEffort === undefined) return undefined;
    const model = await this.#modelInUse(sdk);
    return loadVariant({ sdk, directory: workingDirectory }, { model, effort: config.reasoningEffort });
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
    await this.open(connection);
    return connection;
  }

  async #adopt(connection: OpenCodeConnection): Promise<void> {
    // OpenCode may have closed the folder in the meantime.
    await connection.openFolder(this.#options.workingDirectory);
    if (connection === this.#connection) return;
    const { signal } = this.#ending;
    connection.register(this.id, this);
    const { config, tools, toolHost } = this.#options;
    try {
      if (tools.length > 0)
        this.#openedTools ??= await toolHost.open({ tools, context: (call) => this.#toolContext(call) });
      await this.#servers.add(connection.sdk, { servers: config.mcpServers ?? {}, tools: this.#openedTools?.server });
      signal.throwIfAborted();
    } catch (error) {
      connection.unregister(this.id, this);
      if (signal.aborted) await this.#letGoOf(connection);
      throw error;
    }
    this.#connection = connection;
  }

  /** Removes what was set up after the session had ended. */
  async #letGoOf({ sdk }: OpenCodeConnection): Promise<void> {
    await this.#openedTools?.close();
    this.#openedTools = undefined;
    await this.#servers.remove(sdk).catch(() => {
      // The server has ended, and they with it.
    });
  }

  #toolContext({ toolName, input }: HostedToolCall): ToolContext | undefined {
    const name = `${this.#servers.prefix}_${toAgentName(toolName)}`;
    if (!this.#calls.takeToolCall({ name, input })) return undefined;
    const driver = this.#running;
    return {
      sessionID: this.id,
      messageID: driver?.answerId ?? "",
      agent: AGENT_TYPE,
      directory: this.#options.workingDirectory,
      abort: driver?.turn.signal ?? AbortSignal.abort(new DOMException("No turn runs.", "AbortError")),
    };
  }

  #address(): { sessionID: string; directory: string } {
    return { sessionID: this.id, directory: this.#options.workingDirectory };
  }

  #asked(requestID: string): { requestID: string; directory: string } {
    return { requestID, directory: this.#options.workingDirectory };
  }
}
