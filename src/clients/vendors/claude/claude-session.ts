import { setImmediate } from "node:timers/promises";
import type { Options, Query } from "@anthropic-ai/claude-agent-sdk";
import {
  type AgentCrashedError,
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  AgentTurnError,
  type ContextUsage,
  type JsonSchema,
  type McpServerStatus,
  messageOf,
  NoTurnRunningError,
  promptPartsOf,
  recordOf,
  recordsOf,
  type Session,
  type SessionConfig,
  SessionDestroyedError,
  SessionLimits,
  type ToolDefinition,
  type TurnOptions,
} from "../../../contracts/index.ts";
import { DEFAULT_START_TIMEOUT_MS } from "../../options/client-options.ts";
import { isFreeModel } from "../../options/read-client-config.ts";
import { CLAUDE_INSTRUCTIONS, loadProjectInstructions } from "../../policy/project-instructions.ts";
import { createSchemaValidator, type SchemaValidator } from "../../turn/structured/structured-output.ts";
import { TurnRunner, type TurnTask } from "../../turn/turn-runner.ts";
import { ClaudeGuard } from "../claude-settings/claude-guard.ts";
import { configDirectoryOf, homeFolderOf, needsInstructions } from "../claude-settings/claude-restrictions.ts";
import { CUSTOM_TOOL_SERVER, STRUCTURED_OUTPUT_TOOL } from "../claude-settings/claude-tools.ts";
import { type ClaudeConnection, openClaudeConnection } from "./claude-connection.ts";
import { AGENT_TYPE } from "./claude-errors.ts";
import { buildQueryOptions, type ClaudeOptions, resolveModel } from "./claude-options.ts";
import { ClaudeRunningTurn, isClaudeCommand } from "./claude-running-turn.ts";
import { openClaudeSandbox } from "./claude-sandbox.ts";
import { findSessionFile } from "./claude-session-files.ts";
import { createToolServer } from "./claude-tool-server.ts";
import { parseUsage, priceUsage } from "./claude-usage.ts";
import type { IdleProcesses, RestingSession } from "./idle-processes.ts";

/** The installed Claude Code. */
export interface ClaudeInstallation {
  readonly sdk: typeof import("@anthropic-ai/claude-agent-sdk");
  readonly executable: string;
  /** How to sign in with it. */
  readonly loginCommand: string;
}

/** What a session needs from its client. */
export interface ClaudeSessionOptions {
  readonly id: string;
  readonly client: ClaudeOptions;
  readonly installation: ClaudeInstallation;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  /** The tools that Atomic offers to the model. */
  readonly tools: readonly ToolDefinition[];
  readonly onEvent: (event: AgentEvent) => void;
  readonly onDestroy: () => void;
  /** Decides how long the process is kept between turns. */
  readonly idleProcesses: IdleProcesses;
}

/** How long the hook before a tool may take, in seconds. It may wait for a person. */
const HOOK_TIMEOUT_SECONDS = 7 * 24 * 3600;

/**
 * A conversation with Claude Code: one process, which starts with the first turn and serves all turns.
 *
 * 1. The process is restarted with the conversation so far when it has ended, and when a turn needs another schema for
 *    its answer, which only a start can set.
 * 2. The conversation exists once its file exists. Then it can be resumed; before that it can only be created.
 */
export class ClaudeSession implements Session, RestingSession {
  readonly id: string;
  readonly #options: ClaudeSessionOptions;
  readonly #runner: TurnRunner;
  readonly #guard: ClaudeGuard;
  readonly #limits: SessionLimits;
  #running: ClaudeRunningTurn | undefined;
  #connection: ClaudeConnection | undefined;
  #hasEnded = false;
  /** The answers' schema with which the process was started. */
  #schemaKey = "";
  /** Messages that were added to a stopped turn, and that Claude Code dropped unread. */
  #unread: readonly AgentPrompt[] = [];
  /** Settles when the last requested start is over. */
  #starting: Promise<unknown> = Promise.resolve();

  constructor(options: ClaudeSessionOptions) {
    this.#options = options;
    this.id = options.id;
    this.#runner = new TurnRunner(options.id);
    const { config, workingDirectory } = options;
    const isFree = isFreeModel(config, options.client);
    this.#limits = new SessionLimits({ agentType: AGENT_TYPE, config, isFree, asksAhead: true });
    const turn = () => this.#runner.turn;
    const homeFolder = homeFolderOf(options.client);
    this.#guard = new ClaudeGuard({
      agentType: AGENT_TYPE,
      config,
      sessionId: options.id,
      workingDirectory,
      homeFolder,
      turn,
    });
  }

  get isBusy(): boolean {
    return this.#runner.isBusy;
  }

  /** The conversation's process, if it has one. */
  get query(): Query | undefined {
    return this.#connection?.isOpen === true ? this.#connection.query : undefined;
  }

  async send(message: AgentPrompt, options: TurnOptions = {}): Promise<AgentReply> {
    try {
      return await this.#runner.run(this.#task(message, options), options);
    } finally {
      this.#leave();
    }
  }

  async *stream(message: AgentPrompt, options: TurnOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    try {
      yield* this.#runner.stream(this.#task(message, options), options);
    } finally {
      this.#leave();
    }
  }

  async steer(message: AgentPrompt): Promise<void> {
    const running = this.#running;
    if (running === undefined || running.turn.signal.aborted) throw new NoTurnRunningError(this.id);
    running.add(message);
  }

  async abort(): Promise<void> {
    await this.#runner.abort();
  }

  async summarize(): Promise<void> {
    await this.send("/compact");
  }

  async getContextUsage(): Promise<ContextUsage> {
    const usage = await this.#ask((query) => query.getContextUsage({ detail: "summary" }));
    // The provider's count for the last call since the conversation was compacted, if any.
    const { apiUsage } = recordOf(usage);
    const last = parseUsage(apiUsage);
    const { maxTokens } = usage;
    const counted = last.inputTokens + last.cacheReadTokens + last.cacheWriteTokens + last.outputTokens;
    const usedTokens = counted > 0 ? counted : usage.totalTokens;
    return { usedTokens, maxTokens, fraction: maxTokens > 0 ? Math.min(1, usedTokens / maxTokens) : 0 };
  }

  async getSystemToolsTokens(): Promise<number> {
    const { categories } = await this.#ask((query) => query.getContextUsage({ detail: "summary" }));
    const counted = categories.filter(({ id, kind }) => kind === "used" && id !== undefined && SYSTEM_ROWS.has(id));
    return counted.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    const servers = await this.#ask((query) => query.mcpServerStatus());
    return servers
      .filter(({ name }) => name !== CUSTOM_TOOL_SERVER)
      .map(({ name, status, error }) => ({
        name,
        status: MCP_STATUS[status],
        ...(error === undefined ? {} : { detail: error }),
      }));
  }

  async destroy(): Promise<void> {
    await this.end(new DOMException("The session was destroyed.", "AbortError"));
    this.#options.onDestroy();
  }

  async rest(): Promise<void> {
    if (!this.isBusy) await this.#connection?.close();
  }

  /** Stops the running turn with this reason, and the process. No other turn starts. */
  async end(reason: unknown): Promise<void> {
    this.#hasEnded = true;
    this.#options.idleProcesses.remove(this);
    await this.#runner.end(reason);
    // Close an unfinished start first. Otherwise an unresponsive process would delay the end until the start times out.
    await this.#connection?.close();
    await this.#starting.catch(() => {}); // the caller of the start gets the error
    await this.#connection?.close();
  }

  /** Call after a turn or a question, even one that did not start. Another turn may be in progress. */
  #leave(): void {
    if (!this.#hasEnded && !this.isBusy) this.#options.idleProcesses.add(this);
  }

  #task(prompt: AgentPrompt, { outputSchema, stallTimeoutMs }: TurnOptions): TurnTask {
    const { client, installation, onEvent, config, idleProcesses } = this.#options;
    const made: ClaudeRunningTurn[] = [];
    return {
      create: async () => {
        idleProcesses.remove(this);
        const validate = outputSchema === undefined ? undefined : await createValidator(outputSchema);
        const running = new ClaudeRunningTurn({
          sessionId: this.id,
          connection: await this.#connect(outputSchema),
          stallTimeoutMs: stallTimeoutMs ?? client.stallTimeoutMs ?? 300_000,
          validate,
          limits: this.#limits,
          hasEndpoint: client.endpoint !== undefined,
          loginCommand: installation.loginCommand,
          checkEndpoint: client.checkEndpoint,
          onEvent: (event) => {
            if (event.type === "tool-end") this.#guard.noteToolEnd(event);
            onEvent(event);
          },
          price: (event) => ({ ...event, usage: this.#price(event.usage, resolveModel(client, config)) }),
        });
        made.push(running);
        return running.turn;
      },
      begin: async () => {
        for (const running of made) await this.#begin(running, prompt);
      },
    };
  }

  async #begin(running: ClaudeRunningTurn, prompt: AgentPrompt): Promise<void> {
    this.#running = running;
    void running.turn.settled.then(() => {
      if (this.#running === running) this.#running = undefined;
      this.#unread = [...this.#unread, ...running.dropped];
    });
    await running.begin(this.#withUnread(prompt));
  }

  /** A message after those that were dropped. A command has to be alone. */
  #withUnread(prompt: AgentPrompt): AgentPrompt {
    if (this.#unread.length === 0 || isClaudeCommand(prompt)) return prompt;
    const unread = this.#unread;
    this.#unread = [];
    return [...unread, prompt].flatMap(promptPartsOf);
  }

  /** Prices usage with the endpoint's prices: Claude Code knows only those of its own models. */
  #price(usage: Parameters<typeof priceUsage>[0], model: string | undefined): ReturnType<typeof priceUsage> {
    const { endpoint } = this.#options.client;
    if (endpoint === undefined) return usage;
    return priceUsage(
      usage,
      endpoint.models.find(({ id }) => id === model),
    );
  }

  /** Asks the process, which is not idle in the meantime. */
  async #ask<T>(question: (query: Query) => Promise<T>): Promise<T> {
    this.#options.idleProcesses.remove(this);
    try {
      return await question(this.query ?? (await this.#connect(undefined)).query);
    } finally {
      this.#leave();
    }
  }

  /** Returns the process for answers with this schema. Runs starts one after another. */
  #connect(outputSchema: JsonSchema | undefined): Promise<ClaudeConnection> {
    const start = () => this.#connectNow(outputSchema);
    const connecting = this.#starting.then(start, start);
    this.#starting = connecting;
    return connecting;
  }

  /** Invariants 1 and 2. */
  async #connectNow(outputSchema: JsonSchema | undefined): Promise<ClaudeConnection> {
    if (this.#hasEnded) throw new SessionDestroyedError(this.id);
    const schemaKey = JSON.stringify(outputSchema) ?? "";
    if (this.#connection?.isOpen === true && this.#schemaKey === schemaKey) return this.#connection;
    await this.#connection?.close();
    const { client, installation, workingDirectory } = this.#options;
    const isResumed = (await findSessionFile(configDirectoryOf(client), this.id)) !== undefined;
    const queryOptions = await this.#queryOptions({ isResumed, outputSchema });
    const sandbox = await openClaudeSandbox(client, { program: installation.executable, workingDirectory });
    this.#guard.startProcess();
    const connection: ClaudeConnection = openClaudeConnection({
      sdk: installation.sdk,
      queryOptions,
      sandbox,
      sessionId: this.id,
      workingDirectory,
      startTimeoutMs: client.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS,
      onMessage: (message) => {
        if (this.#connection !== connection) return;
        this.#guard.noteMessage(message, { isCommand: this.#running?.isCommand === true });
        this.#running?.take(message);
      },
      onCrash: (error) => this.#crash(connection, error),
    });
    this.#connection = connection;
    this.#schemaKey = schemaKey;
    await connection.ready.catch((error: unknown) => {
      throw this.#hasEnded ? new SessionDestroyedError(this.id) : error;
    });
    return connection;
  }

  async #queryOptions(start: {
    readonly isResumed: boolean;
    readonly outputSchema: JsonSchema | undefined;
  }): Promise<Options> {
    const { client, config, workingDirectory, tools, installation } = this.#options;
    const reading = {
      places: CLAUDE_INSTRUCTIONS,
      permissions: config.permissions,
      userFolder: configDirectoryOf(client),
    };
    const instructions = needsInstructions(client) ? await loadProjectInstructions(workingDirectory, reading) : "";
    // Claude Code does not know the prices of an endpoint's models.
    const maxBudgetUsd = client.endpoint === undefined ? this.#limits.remainingUsd : undefined;
    const options = buildQueryOptions(client, {
      ...start,
      ...(maxBudgetUsd === undefined || maxBudgetUsd === 0 ? {} : { maxBudgetUsd }),
      instructions,
      config,
      workingDirectory,
      executable: installation.executable,
      sessionId: this.id,
    });
    const turnSignal = () => this.#runner.turn?.signal ?? AbortSignal.abort();
    const toolServer = { tools, sessionId: this.id, workingDirectory, turnSignal };
    const servers = tools.length === 0 ? {} : { [CUSTOM_TOOL_SERVER]: await createToolServer(toolServer) };
    return {
      ...options,
      mcpServers: { ...options.mcpServers, ...servers },
      canUseTool: this.#guard.canUseTool,
      hooks: {
        PreToolUse: [{ hooks: [this.#guard.beforeTool], timeout: HOOK_TIMEOUT_SECONDS, onFailure: "block" }],
        PermissionRequest: [{ hooks: [this.#guard.beforeQuestion], onFailure: "block" }],
        UserPromptSubmit: [{ hooks: [this.#guard.beforePrompt], onFailure: "block" }],
        ...(config.permissionMode === "plan"
          ? { WorktreeCreate: [{ hooks: [this.#guard.beforeWorktree], onFailure: "block" }] }
          : {}),
        ...(config.maxBudgetUsd === undefined ? {} : { PostToolBatch: [{ hooks: [this.#afterTools] }] }),
      },
    };
  }

  /** Claude Code waits for this hook before it sends tool results to the model, also in sub-agents. */
  readonly #afterTools = async (hookInput: unknown) => {
    // Lets the earlier messages of Claude Code be handled first.
    await setImmediate();
    const names = recordsOf(recordOf(hookInput).tool_calls).map((call) => call.tool_name);
    const hasAnswer = names.every((name) => name === STRUCTURED_OUTPUT_TOOL);
    return hasAnswer || this.#running?.allowsCall() !== false ? {} : { continue: false };
  };

  #crash(connection: ClaudeConnection, error: AgentCrashedError): void {
    if (this.#connection === connection) this.#running?.crash(error);
  }
}

/** The system prompt's and the tools' part of Claude Code's context usage. */
const SYSTEM_ROWS: ReadonlySet<string> = new Set(["system_prompt", "system_tools", "mcp_tools", "mcp_instructions"]);

const MCP_STATUS = {
  connected: "connected",
  failed: "failed",
  "needs-auth": "needs-sign-in",
  pending: "connecting",
  disabled: "disabled",
} as const;

/** @throws AgentTurnError for an invalid schema */
async function createValidator(schema: JsonSchema): Promise<SchemaValidator> {
  try {
    return await createSchemaValidator(schema);
  } catch (cause) {
    const detail = `the output schema is invalid: ${messageOf(cause)}`;
    throw new AgentTurnError(AGENT_TYPE, detail, { cause, isRetryable: false });
  }
}
