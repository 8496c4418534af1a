import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentCrashedError } from "../../contracts/index.ts";
import { type AgentProcess, startAgentProcess } from "../process/agent-process.ts";
import type { ProcessSandbox } from "../process/process-sandbox.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";

/** Settings of {@link startCopilotRuntime}. */
export interface StartCopilotRuntimeOptions {
  readonly command: readonly [file: string, ...args: string[]];
  /** The runtime's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** Give up waiting for the runtime's port after this long, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Ends the runtime, ready or not. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Encloses the runtime. @default none */
  readonly sandbox?: ProcessSandbox | undefined;
}

/** A running runtime that listens on 127.0.0.1. */
export interface CopilotRuntime {
  readonly port: number;
  /** Resolves when the process has ended, by itself or by `stop`, and its last words have arrived. */
  readonly ended: Promise<AgentCrashedError>;
  /** False as soon as the process is known to be gone. */
  isAlive(): boolean;
  /** Ends the process and everything it started in its group. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the runtime in a process group of its own that ends together with this process. The SDK could start it too, but
 * neither supervises it nor keeps its words to itself.
 * @throws AgentCrashedError when it ends, or names no port, within `startTimeoutMs`
 */
export async function startCopilotRuntime(options: StartCopilotRuntimeOptions): Promise<CopilotRuntime> {
  const { command, env, workingDirectory, startTimeoutMs, signal, sandbox } = options;
  const agent = startAgentProcess({ agentType: AGENT_TYPE, command, env, workingDirectory, signal, sandbox });
  const { ended, stop, stdout } = agent;
  const state = { isAlive: true };
  const noteEnd = (): void => {
    state.isAlive = false;
  };
  // Which of the two comes first depends on the engine.
  stdout.once("close", noteEnd);
  void ended.then(noteEnd);
  try {
    return { port: await waitForPort(agent, startTimeoutMs), ended, isAlive: () => state.isAlive, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitForPort({ stdout, ended, lastLines }: AgentProcess, startTimeoutMs: number): Promise<number> {
  const timeout = new AbortController();
  // It is read to the end, so that the runtime never blocks on a full pipe.
  const lines = createInterface({ input: stdout });
  const port = new Promise<number>((resolve) => {
    lines.on("line", (line) => {
      const named = /listening on port (\d+)/i.exec(line)?.[1];
      if (named !== undefined) resolve(Number(named));
    });
  });
  try {
    return await Promise.race([
      port,
      ended.then((error) => Promise.reject(error)),
      sleep(startTimeoutMs, undefined, { signal: timeout.signal }).then(() => {
        throw new AgentCrashedError(AGENT_TYPE, `no port within ${startTimeoutMs} ms`, [...lastLines]);
      }),
    ]);
  } finally {
    timeout.abort();
  }
}
