import { setTimeout as sleep } from "node:timers/promises";
import type { Options, Query, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  AgentCrashedError,
  AtomicError,
  messageOf,
  PermissionGateMissingError,
  recordOf,
} from "../../../contracts/index.ts";
import type { ProcessSandbox } from "../../process/process-sandbox.ts";
import { createEventQueue } from "../../turn/event-queue.ts";
import { AGENT_TYPE } from "./claude-errors.ts";
import { type ClaudeProcess, startClaudeProcess } from "./claude-process.ts";
import { killLeftoverCommands } from "./leftover-commands.ts";

/** Settings of {@link openClaudeConnection}. */
export interface OpenClaudeConnectionOptions {
  readonly sdk: typeof import("@anthropic-ai/claude-agent-sdk");
  readonly queryOptions: Options;
  /** Identifies the commands that a killed process leaves running. */
  readonly sessionId: string;
  readonly workingDirectory: string;
  /** The sandbox of the process. @default none */
  readonly sandbox?: ProcessSandbox | undefined;
  /** How long the process may take until it accepts messages, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Receives every message from Claude Code. */
  readonly onMessage: (message: unknown) => void;
  /** The process has ended without a stop. */
  readonly onCrash: (error: AgentCrashedError) => void;
}

/** A process of Claude Code with one conversation. */
export interface ClaudeConnection {
  readonly query: Query;
  /** False once the process has ended or is being ended. */
  readonly isOpen: boolean;
  /** Resolves when Claude Code accepts messages. Rejects with AgentCrashedError if it never does. */
  readonly ready: Promise<void>;
  /** Sends a message. Claude Code has its own queue. */
  push(message: SDKUserMessage): void;
  /** Stops the current turn and drops the queued messages. */
  interrupt(): Promise<void>;
  /** Ends the process, which may finish writing its files, and its commands. Idempotent. */
  close(): Promise<void>;
}

/** How long the process may take to end on its own after its input has ended, in milliseconds. */
const CLOSE_GRACE_MS = 2_000;

/** How long the last messages of an ended process may take to arrive, in milliseconds. */
const LAST_MESSAGES_GRACE_MS = 300;

/** Starts a process of Claude Code for one session and any number of messages. */
export function openClaudeConnection(options: OpenClaudeConnectionOptions): ClaudeConnection {
  const { sdk, queryOptions, sessionId, workingDirectory, sandbox, startTimeoutMs, onMessage, onCrash } = options;
  const inbox = createEventQueue<SDKUserMessage>();
  const started: ClaudeProcess[] = [];
  const query = sdk.query({
    prompt: inbox,
    options: {
      ...queryOptions,
      spawnClaudeCodeProcess: (spawn) => {
        const claude = startClaudeProcess(spawn, { workingDirectory, sandbox });
        started.push(claude);
        return claude.spawned;
      },
    },
  });
  const process = started[0]?.process;
  const state = { isOpen: true, closing: undefined as Promise<void> | undefined };
  const listening = listen(query, onMessage);
  const crashed = waitForEnd({ process, listening });
  const ended = crashed.then((error) => {
    const isCrash = state.isOpen;
    state.isOpen = false;
    if (!isCrash) return;
    void killLeftoverCommands(sessionId);
    onCrash(error);
  });
  const close = async () => {
    state.isOpen = false;
    inbox.close();
    await Promise.race([ended, sleep(CLOSE_GRACE_MS, undefined, { ref: false })]);
    query.close();
    await process?.stop();
    await ended;
    // A process that hung could not end them itself.
    await killLeftoverCommands(sessionId);
  };
  const ready = waitForStart({ query, crashed, startTimeoutMs, hasHooks: queryOptions.hooks !== undefined });
  // A caller that does not await the start learns of its failure from `onCrash`.
  ready.catch(close);
  return {
    query,
    ready,
    get isOpen() {
      return state.isOpen;
    },
    push: (message) => inbox.push(message),
    interrupt: () => interrupt(query),
    close: () => {
      state.closing ??= close();
      return state.closing;
    },
  };
}

async function waitForStart(parts: {
  readonly query: Query;
  readonly crashed: Promise<AgentCrashedError>;
  readonly startTimeoutMs: number;
  /** Whether hooks decide about tool calls. */
  readonly hasHooks: boolean;
}): Promise<void> {
  const { query, crashed, startTimeoutMs, hasHooks } = parts;
  const waiting = new AbortController();
  const tooLate = sleep(startTimeoutMs, `it took no messages within ${startTimeoutMs} ms`, { signal: waiting.signal });
  try {
    const started = query.initializationResult().then((answer) => (hasHooks ? findMissingGate(answer) : undefined));
    // When the process ends, the question also fails, with less detail.
    const failed = started.catch((error: unknown) => toMissingGate(error) ?? crashed);
    const answer = await Promise.race([failed, crashed.then(async (error) => (await failed) ?? error), tooLate]);
    if (answer instanceof AtomicError) throw answer;
    if (typeof answer === "string") throw new AgentCrashedError(AGENT_TYPE, answer, []);
  } finally {
    waiting.abort();
    tooLate.catch(() => {}); // it was aborted
  }
}

/** Returns an error unless Claude Code has confirmed the hooks that decide about its tool calls. */
function findMissingGate(started: unknown): PermissionGateMissingError | undefined {
  const { hooks_applied: hasHooks, hook_on_failure_supported: blocks } = recordOf(started);
  if (hasHooks === true && blocks === true) return undefined;
  return new PermissionGateMissingError(AGENT_TYPE, "Claude Code did not confirm the hooks");
}

/** The SDK rejects a Claude Code that would continue when a hook fails. */
function toMissingGate(cause: unknown): PermissionGateMissingError | undefined {
  const message = messageOf(cause);
  return /onFailure/.test(message) ? new PermissionGateMissingError(AGENT_TYPE, message, { cause }) : undefined;
}

/** Resolves with the error that ended the SDK's stream, if any. */
async function listen(query: Query, onMessage: (message: unknown) => void): Promise<unknown> {
  try {
    for await (const message of query) onMessage(message);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Waits for the last messages before the crash is reported: they may contain its cause. */
async function waitForEnd(parts: {
  readonly process: ClaudeProcess["process"] | undefined;
  readonly listening: Promise<unknown>;
}): Promise<AgentCrashedError> {
  const { process, listening } = parts;
  if (process === undefined)
    return new AgentCrashedError(AGENT_TYPE, `it did not start: ${String(await listening)}`, []);
  const error = await process.ended;
  await Promise.race([listening, sleep(LAST_MESSAGES_GRACE_MS, undefined, { ref: false })]);
  // The commands of the process must not outlive it.
  void process.stop();
  return error;
}

/** The SDK does not declare that `interrupt` can drop the queued messages. Older versions ignore the option. */
async function interrupt(query: Query): Promise<void> {
  // The cast is true: the SDK 0.3 has this internal option.
  const stoppable = query as unknown as { interrupt(options: { readonly cancelQueued: boolean }): Promise<unknown> };
  await stoppable.interrupt({ cancelQueued: true });
}
