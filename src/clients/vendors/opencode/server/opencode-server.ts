import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentCrashedError } from "../../../../contracts/index.ts";
import { type AgentProcess, startAgentProcess } from "../../../process/agent-process.ts";
import type { OpenedSandbox } from "../../../sandbox/open-sandbox.ts";
import { AGENT_TYPE } from "./opencode-errors.ts";

/** Settings of {@link startOpenCodeServer}. */
export interface StartOpenCodeServerOptions {
  readonly binaryPath: string;
  /** The server's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** Stop waiting for the server's address after this long, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Ends the server, ready or not. @default none */
  readonly signal?: AbortSignal | undefined;
  /** The sandbox of the server, which listens at its port. @default none */
  readonly sandbox?: OpenedSandbox | undefined;
}

/** A running `opencode serve`. */
export interface OpenCodeServer {
  readonly url: string;
  /** Resolves when the process has ended, by itself or by `stop`. */
  readonly ended: Promise<AgentCrashedError>;
  /** Ends the process and everything it started in its group. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts `opencode serve` on a free port of 127.0.0.1, in its own process group, which ends together with this process.
 * @throws AgentCrashedError if it ends before it prints its address, or does not print it within `startTimeoutMs`
 */
export async function startOpenCodeServer(options: StartOpenCodeServerOptions): Promise<OpenCodeServer> {
  const { binaryPath, env, workingDirectory, startTimeoutMs, signal, sandbox } = options;
  const server = startAgentProcess({
    agentType: AGENT_TYPE,
    command: [binaryPath, "serve", "--hostname=127.0.0.1", `--port=${sandbox?.port ?? 0}`],
    env,
    workingDirectory,
    signal,
    sandbox,
  });
  const { ended, stop } = server;
  try {
    return { url: await waitForAddress(server, startTimeoutMs), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitForAddress({ stdout, ended, lastLines }: AgentProcess, startTimeoutMs: number): Promise<string> {
  const timeout = new AbortController();
  // Read to the end, so the server never blocks on a full pipe.
  const lines = createInterface({ input: stdout });
  const address = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const url = /listening on (http\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  try {
    return await Promise.race([
      address,
      ended.then((error) => Promise.reject(error)),
      sleep(startTimeoutMs, undefined, { signal: timeout.signal }).then(() => {
        throw new AgentCrashedError(AGENT_TYPE, `no address within ${startTimeoutMs} ms`, [...lastLines]);
      }),
    ]);
  } finally {
    timeout.abort();
  }
}
