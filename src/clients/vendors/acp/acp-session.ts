import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  type ContextUsage,
  CostUnknownError,
  type McpServerStatus,
  NoTurnRunningError,
  recordOf,
  type Session,
  type SessionConfig,
  SessionLimits,
  stringOf,
  type ToolContext,
  type ToolVerdict,
  type TurnOptions,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { missingCapability } from "../../options/capabilities.ts";
import { PermissionGate } from "../../policy/permission-gate.ts";
import { toAgentName } from "../../tools/allowed-tool-calls.ts";
import type { HostedToolCall } from "../../tools/tool-endpoint.ts";
import { TurnRunner, type TurnTask } from "../../turn/turn-runner.ts";
import { ClaudeGuard } from "../claude-settings/claude-guard.ts";
import type { OpenCodeCall } from "../opencode-settings/opencode-call.ts";
import { OpenCodeCallGate } from "../opencode-settings/opencode-call-gate.ts";
import { AcpAgentRequests } from "./acp-agent-requests.ts";
import type { AcpAgentRequest, AcpConnection, AcpReceiver } from "./acp-connection.ts";
import { type AcpSessionSetup, reopenSession } from "./acp-open-session.ts";
import { hasImage, toContentBlocks } from "./acp-prompt.ts";
import { runPrompt } from "./acp-run-prompt.ts";
import { type AcpSettings, readSettings } from "./acp-settings.ts";
import { AcpTerminals } from "./acp-terminals.ts";
import { AcpTurn } from "./acp-turn.ts";
import { type AcpMeter, readMeter, toContextUsage } from "./acp-usage.ts";

/** The name under which an agent knows Atomic's own tools. */
export const TOOL_SERVER = "atomic";

/** What a session needs of its client. */
export interface AcpSessionOptions {
  readonly id: string;
  readonly config: SessionConfig;
  readonly setup: AcpSessionSetup;
  /** The names of the session's MCP servers. */
  readonly mcpServers: readonly string[];
  /** The home folder (`~`) of Claude Code, where it calls back before each tool call. */
  readonly guardHome: string | undefined;
  /** The environment of commands that Atomic runs for the agent. */
  readonly commandEnv: Readonly<Record<string, string>>;
  /** The message that makes the agent compact the conversation. */
  readonly compactCommand: string | undefined;
  /** Arguments of tool calls that the agent adds. */
  readonly addedInputs: readonly string[];
  readonly tellsContextUsage: boolean;
  readonly hidesUsage: boolean;
  readonly stallTimeoutMs: number;
  readonly meter: AcpMeter;
  /** Whether the model is known to be free. */
  readonly isFree: boolean;
  /** Returns the running agent, restarted if it has ended. */
  readonly connect: () => Promise<AcpConnection>;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onSettings: (settings: AcpSettings) => void;
  /** Frees the client's resources of the session. */
  readonly onDestroy: () => Promise<void>;
}

/** A cancel is repeated until the agent confirms it: the first one may arrive before the agent has started the turn. */
const CANCEL_INTERVAL_MS = 250;
const CANCEL_ATTEMPTS = 20;

/** A conversation with an ACP agent. */
export class AcpSession implements Session, AcpReceiver {
  readonly id: string;
  /** Decides about each tool call, where the agent is Claude Code. */
  readonly guard: ClaudeGuard | undefined;
  readonly #options: AcpSessionOptions;
  readonly #runner: TurnRunner;
  readonly #requests: AcpAgentRequests;
  readonly #terminals: AcpTerminals;
  readonly #calls: OpenCodeCallGate;
  readonly #limits: SessionLimits;
  #running: AcpTurn | undefined;
  /** The agent that has this session open. */
  #connection: AcpConnection | undefined;
  #meter: AcpMeter;
  /** The conversation's cost before the current turn, where it is known. */
  #priorCostUsd: number | undefined;
  /** The settings that the agent last offered. */
  #settings: AcpSettings = {};
  /** Aborted when the session ends, also while it is being opened. */
  #ending = new AbortController();

  constructor(options: AcpSessionOptions) {
    const { id, config, setup, mcpServers, commandEnv } = options;
    const { workingDirectory, agentType } = setup;
    this.id = id;
    this.#options = options;
    this.#meter = options.meter;
    this.#runner = new TurnRunner(id);
    this.#terminals = new AcpTerminals(agentType);
    this.#limits = new SessionLimits({ agentType, config, hidesCalls: true, isFree: options.isFree });
    const place = { agentType, config, sessionId: id, workingDirectory, homeFolder: options.guardHome ?? "" };
    this.guard =
      options.guardHome === undefined ? undefined : new ClaudeGuard({ ...place, turn: () => this.#runner.turn });
    const gate = new PermissionGate({ config, workingDirectory });
    const running = () => (this.#running?.turn.hasEnded === false ? this.#running : undefined);
    this.#calls = new OpenCodeCallGate({ agentType, sessionId: id, gate, turn: () => running()?.turn });
    this.#requests = new AcpAgentRequests({
      guard: this.guard,
      sessionId: id,
      workingDirectory,
      mcpServers,
      commandEnv,
      gate,
      calls: () => (this.#connection?.decidesCalls ? this.#calls : undefined),
      onQuestion: config.onQuestion,
      terminals: this.#terminals,
      turn: running,
    });
  }

  get isBusy(): boolean {
    return this.#runner.isBusy;
  }

  /** The conversation's size and cost as last reported. */
  get meter(): AcpMeter {
    return this.#meter;
  }

  async send(message: AgentPrompt, options: TurnOptions = {}): Promise<AgentReply> {
    return this.#runner.run(this.#taskFor(message, options), options);
  }

  async *stream(message: AgentPrompt, options: TurnOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    yield* this.#runner.stream(this.#taskFor(message, options), options);
  }

  async steer(message: AgentPrompt): Promise<void> {
    const { agentType, workingDirectory } = this.#options.setup;
    const connection = this.#connection ?? (await this.#options.connect());
    if (!connection.features.steering) throw missingCapability(agentType, "steer");
    if (this.#runner.turn === undefined) throw new NoTurnRunningError(this.id);
    const answer = await connection.request(
      "_session/steering",
      {
        sessionId: this.id,
        prompt: toContentBlocks(message, { workingDirectory, isPlain: connection.decidesCalls }),
        _meta: { steering: { idleBehavior: "promptRequired" } },
      },
      { sessionId: this.id },
    );
    if (stringOf(answer.outcome) === "promptRequired") throw new NoTurnRunningError(this.id);
  }

  async abort(): Promise<void> {
    await this.#runner.abort();
  }

  async summarize(): Promise<void> {
    const { compactCommand, setup } = this.#options;
    if (compactCommand === undefined) throw missingCapability(setup.agentType, "summarize");
    const task = this.#taskFor(compactCommand, {});
    await this.#runner.run({
      ...task,
      begin: async (turn) => {
        await this.#prompt(compactCommand, {});
        // Few agents report a compaction. The end of the command implies it.
        if (this.#running?.hasCompacted === false) turn.publish({ type: "compacted", sessionId: this.id });
        turn.complete();
      },
    });
  }

  async getContextUsage(): Promise<ContextUsage> {
    if (!this.#options.tellsContextUsage) throw missingCapability(this.#options.setup.agentType, "contextUsage");
    return toContextUsage(this.#meter);
  }

  async getSystemToolsTokens(): Promise<number> {
    throw missingCapability(this.#options.setup.agentType, "systemToolsTokens");
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    throw missingCapability(this.#options.setup.agentType, "mcpStatus");
  }

  async destroy(): Promise<void> {
    await this.end(new DOMException("The session was destroyed.", "AbortError"));
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.unregister(this.id, this);
    if (connection?.isOpen !== true || !connection.features.closeSession) return;
    const closing = { timeoutMs: 2_000, isOptional: true };
    await connection.request("session/close", { sessionId: this.id }, closing).catch(() => {
      // The agent keeps the session open until its process ends. Nothing in Atomic depends on it.
    });
  }

  /** Aborts the current turn with this reason and frees Atomic's resources. */
  async end(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    this.#ending = new AbortController();
    await this.#runner.end(reason);
    await this.#terminals.releaseAll();
    await this.#options.onDestroy();
  }

  /** Call when the agent has opened this session. `settings` are the ones it offers. */
  adopt(connection: AcpConnection, settings: AcpSettings): void {
    this.#connection = connection;
    this.guard?.startProcess();
    this.#setSettings(settings);
    connection.register(this.id, this);
  }

  /** Opens this session in a running agent, unless it is open there already. @throws UnknownSessionError */
  async open(connection: AcpConnection): Promise<void> {
    if (connection === this.#connection) return;
    const { signal } = this.#ending;
    // Late updates of the previous process belong to no turn.
    this.#connection?.unregister(this.id, this);
    this.guard?.startProcess();
    // Updates during the opening, such as the replayed history, affect only the meter.
    connection.register(this.id, this);
    try {
      const { settings } = await reopenSession(connection, this.#options.setup, this.id);
      signal.throwIfAborted();
      this.#setSettings(settings);
    } catch (error) {
      connection.unregister(this.id, this);
      throw error;
    }
    this.#connection = connection;
  }

  /** The context for a call of one of Atomic's tools; undefined for a call that needed approval and has none. */
  takeToolCall({ toolName, input }: HostedToolCall): ToolContext | undefined {
    const gate = this.#connection?.decidesCalls ? this.#calls : undefined;
    const isAllowed =
      this.guard?.takeToolCall({ name: `mcp__${TOOL_SERVER}__${toAgentName(toolName)}`, input }) ??
      gate?.takeToolCall({ name: `${TOOL_SERVER}_${toAgentName(toolName)}`, input }) ??
      true;
    if (!isAllowed) return undefined;
    const { agentType, workingDirectory } = this.#options.setup;
    const running = this.#running;
    return {
      sessionID: this.id,
      messageID: running?.messageId ?? "",
      agent: agentType,
      directory: workingDirectory,
      abort: running?.turn.signal ?? AbortSignal.abort(new DOMException("No turn is in progress.", "AbortError")),
    };
  }

  onUpdate(update: unknown): void {
    const { sessionUpdate } = recordOf(update);
    if (sessionUpdate === "usage_update") this.#noteUsage(update);
    if (sessionUpdate === "config_option_update") this.#setSettings(readSettings(update, this.#settings));
    if (this.#running?.turn.hasEnded !== false) return;
    this.#running.receive(update);
    if (this.guard?.isInPlace === false && isWork(update, this.#running)) this.guard.giveUpTurn();
    this.#checkCall(recordOf(update), this.#running);
  }

  async onRequest(request: AcpAgentRequest): Promise<unknown> {
    return this.#requests.answer(request);
  }

  async decideCall(call: OpenCodeCall): Promise<ToolVerdict> {
    return this.#calls.decide(call);
  }

  onEnd(): void {
    // Otherwise its commands would outlive the agent, and nobody could end them.
    void this.#terminals.releaseAll();
  }

  /** Ends the turn when a call of an agent that calls back has completed in this turn without a callback. */
  #checkCall({ toolCallId, status }: UnknownRecord, { turn, runningCalls, toolNameOf }: AcpTurn): void {
    const callId = stringOf(toolCallId);
    if (callId === "" || this.#connection?.decidesCalls !== true) return;
    // Replayed calls of earlier turns are never in progress.
    if (status === "in_progress") runningCalls.add(callId);
    if (status !== "completed" || !runningCalls.has(callId)) return;
    const error = this.#calls.ungated(toolNameOf(callId), { sessionId: this.id, callId });
    if (error !== undefined) void turn.giveUp(error);
  }

  /** Updates the turn's cost during the turn, where the agent reports the conversation's cost that early. */
  #noteUsage(update: unknown): void {
    this.#meter = readMeter(this.#meter, update);
    const { totalCostUsd } = this.#meter;
    if (totalCostUsd === undefined || this.#priorCostUsd === undefined) return;
    this.#running?.turn.noteCost(totalCostUsd - this.#priorCostUsd);
  }

  /** Agents report the cost of a whole conversation, so the earlier cost of a resumed one may be unknown. */
  #requirePrice(): void {
    const { config, setup, isFree } = this.#options;
    if (isFree || config.maxBudgetUsd === undefined || this.#meter.totalCostUsd !== undefined) return;
    throw new CostUnknownError(setup.agentType);
  }

  #setSettings(settings: AcpSettings): void {
    this.#settings = settings;
    this.#options.onSettings(settings);
  }

  #taskFor(message: AgentPrompt, options: TurnOptions): TurnTask {
    const { setup, mcpServers, addedInputs, onEvent, stallTimeoutMs } = this.#options;
    const { agentType } = setup;
    return {
      create: async () => {
        const connection = await this.#options.connect();
        await this.open(connection);
        await connection.requireGate(this.#options.setup.workingDirectory);
        if (hasImage(message) && !connection.features.images) throw missingCapability(agentType, "images");
        this.#requirePrice();
        const running: AcpTurn = new AcpTurn(
          {
            agentType,
            sessionId: this.id,
            stallTimeoutMs: options.stallTimeoutMs ?? stallTimeoutMs,
            limits: this.#limits,
            onEvent: (event) => {
              if (event.type === "tool-end") this.guard?.noteToolEnd(event);
              onEvent(event);
            },
            interrupt: () => this.#interrupt(connection, running),
          },
          { mcpServers, addedInputs },
        );
        this.#running = running;
        this.#priorCostUsd = this.#meter.totalCostUsd;
        return running.turn;
      },
      begin: async (turn) => turn.complete(await this.#prompt(message, options)),
    };
  }

  async #prompt(message: AgentPrompt, { outputSchema }: TurnOptions): Promise<{ readonly structured?: unknown }> {
    const { agentType, workingDirectory } = this.#options.setup;
    const running = this.#running;
    const connection = this.#connection;
    // The task's `create` has set both.
    if (running === undefined || connection === undefined)
      throw new Error("A prompt was sent before its turn was made.");
    running.isCommand = typeof message === "string" && message.trimStart().startsWith("/");
    try {
      const answer = await runPrompt(message, {
        agentType,
        connection,
        running,
        workingDirectory,
        meter: () => this.#meter,
        hidesUsage: this.#options.hidesUsage,
        isPlain: connection.decidesCalls && message !== this.#options.compactCommand,
        ...(outputSchema === undefined ? {} : { outputSchema }),
      });
      // Claude Code gets no further prompt without its guard.
      if (this.guard?.isInPlace === false && !running.isCommand) this.guard.giveUpTurn();
      return answer;
    } finally {
      if (running.turn.signal.aborted) await this.#terminals.killAll();
      if (!connection.isOpen) await this.#terminals.releaseAll();
    }
  }

  /** Ends an agent that does not stop, together with its other sessions. The next turn restarts it. */
  async #interrupt(connection: AcpConnection, running: AcpTurn): Promise<void> {
    const { turn } = running;
    // Do not wait for either: a command may ignore signals, and an agent may not read its input.
    void this.#terminals.killAll();
    for (let attempt = 0; attempt < CANCEL_ATTEMPTS && !turn.hasEnded && connection.isOpen; attempt++) {
      void connection.notify("session/cancel", { sessionId: this.id });
      const waiting = new AbortController();
      const pause = sleep(CANCEL_INTERVAL_MS, undefined, { signal: waiting.signal }).catch(() => {
        // The turn has settled.
      });
      await Promise.race([turn.settled, pause]);
      waiting.abort();
    }
    // A turn that was given up has also ended, and its late updates would count as the next turn's.
    if (!turn.hasEnded || running.isPrompting) await connection.stop();
  }
}

/** Whether an update shows the model at work, rather than a command such as compacting. */
function isWork(update: unknown, { isCommand }: AcpTurn): boolean {
  const { sessionUpdate } = recordOf(update);
  return sessionUpdate === "tool_call" || (sessionUpdate === "agent_message_chunk" && !isCommand);
}
