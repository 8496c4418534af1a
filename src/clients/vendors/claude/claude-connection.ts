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

/** What a connection needs of its session. */
export interface OpenClaudeConnectionOptions {
  readonly sdk: typeof import("@anthropic-ai/claude-agent-sdk");
  readonly queryOptions: Options;
  /** The conversation's, by which the commands are known that a killed process leaves behind. */
  readonly sessionId: string;
  readonly workingDirectory: string;
  /** Encloses the process. @default none */
  readonly sandbox?: ProcessSandbox | undefined;
  /** How long the process may take until it takes messages, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Hears every message of Claude Code's. */
  readonly onMessage: (message: unknown) => void;
  /** The process has ended without being asked to. */
  readonly onCrash: (error: AgentCrashedError) => void;
}

/** A conversation under way in a process of Claude Code. */
export interface ClaudeConnection {
  readonly query: Query;
  /** False as soon as the process has ended, or is being ended. */
  readonly isOpen: boolean;
  /** Resolves when Claude Code takes messages. Rejects with AgentCrashedError when it does not come to that. */
  readonly ready: Promise<void>;
  /** Hands Claude Code a message; it keeps a queue of its own. */
  push(message: SDKUserMessage): void;
  /** Stops what goes on and drops the messages that wait. */
  interrupt(): Promise<void>;
  /** Ends the process and its commands; what it has to write it may write. Idempotent. */
  close(): Promise<void>;
}

/** How long the process may take to end by itself once it gets no more messages, in milliseconds. */
const CLOSE_GRACE_MS = 2_000;

/** How long the last messages of an ended process may take to arrive, in milliseconds. */
const LAST_MESSAGES_GRACE_MS = 300;

/** Starts a process of Claude Code for one session; it takes message after message. */
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
    // One that hung could not end them itself.
    await killLeftoverCommands(sessionId);
  };
  const ready = waitForStart({ query, crashed, startTimeoutMs, hasHooks: queryOptions.hooks !== undefined });
  // Who does not wait for the start hears of its failure by `onCrash`.
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
  /** Whether something is to be decided. */
  readonly hasHooks: boolean;
}): Promise<void> {
  const { query, crashed, startTimeoutMs, hasHooks } = parts;
  const waiting = new AbortController();
  const tooLate = sleep(startTimeoutMs, `it took no messages within ${startTimeoutMs} ms`, { signal: waiting.signal });
  try {
    const started = query.initializationResult().then((answer) => (hasHooks ? findMissingGate(answer) : undefined));
    // When the process ends, the question fails as well, with less to say about it.
    const failed = started.catch((error: unknown) => toMissingGate(error) ?? crashed);
    const answer = await Promise.race([failed, crashed.then(async (error) => (await failed) ?? error), tooLate]);
    if (answer instanceof AtomicError) throw answer;
    if (typeof answer === "string") throw new AgentCrashedError(AGENT_TYPE, answer, []);
  } finally {
    waiting.abort();
    tooLate.catch(() => {}); // that is the abort
  }
}

/** Whether Claude Code has taken the hooks that decide about its tool calls. */
function findMissingGate(started: unknown): PermissionGateMissingError | undefined {
  const { hooks_applied: hasHooks, hook_on_failure_supported: blocks } = recordOf(started);
  if (hasHooks === true && blocks === true) return undefined;
  return new PermissionGateMissingError(AGENT_TYPE, "Claude Code did not confirm the hooks");
}

/** The SDK refuses a Claude Code that would go on where a hook fails. */
function toMissingGate(cause: unknown): PermissionGateMissingError | undefined {
  const message = messageOf(cause);
  return /onFailure/.test(message) ? new PermissionGateMissingError(AGENT_TYPE, message, { cause }) : undefined;
}

/** Resolves with the error that the SDK's stream ended with, if any. */
async function listen(query: Query, onMessage: (message: unknown) => void): Promise<unknown> {
  try {
    for await (const message of query) onMessage(message);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The last messages come before the news that the process has ended: they may say why. */
async function waitForEnd(parts: {
  readonly process: ClaudeProcess["process"] | undefined;
  readonly listening: Promise<unknown>;
}): Promise<AgentCrashedError> {
  const { process, listening } = parts;
  if (process === undefined)
    return new AgentCrashedError(AGENT_TYPE, `it did not start: ${String(await listening)}`, []);
  const error = await process.ended;
  await Promise.race([listening, sleep(LAST_MESSAGES_GRACE_MS, undefined, { ref: false })]);
  // What the process had started must not outlive it.
  void process.stop();
  return error;
}

/** The declarations of the SDK leave out that `interrupt` can drop the messages that wait; older versions ignore it. */
async function interrupt(query: Query): Promise<void> {
  // The cast is true: the SDK 0.3 has the option, which its declarations keep back as internal.
  const stoppable = query as unknown as { interrupt(options: { readonly cancelQueued: boolean }): Promise<unknown> };
  await stoppable.interrupt({ cancelQueued: true });
}
