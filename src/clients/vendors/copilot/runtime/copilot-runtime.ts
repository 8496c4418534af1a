import { platform } from "node:os";
import path from "node:path";
import type { AgentCrashedError } from "../../../../contracts/index.ts";
import { type AgentProcess, startAgentProcess } from "../../../process/agent-process.ts";
import { makeNeutralFolder } from "../../../process/neutral-folder.ts";
import type { ProcessSandbox } from "../../../process/process-sandbox.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../../process/temporary-folder.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";
import { openStdioRelay, type StdioRelay } from "./stdio-relay.ts";

/** Settings of {@link startCopilotRuntime}. */
export interface StartCopilotRuntimeOptions {
  readonly command: readonly [file: string, ...args: string[]];
  /** The runtime's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the runtime, ready or not. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Creates the sandbox of the runtime, which starts in the given folder. @default none */
  readonly openSandbox?: (folder: string) => Promise<ProcessSandbox | undefined>;
}

/** A running runtime that uses its standard input and output, and the one connection to it. */
export interface CopilotRuntime extends Pick<StdioRelay, "port" | "token"> {
  /** Resolves when the process has ended, by itself or by `stop`, and its last output has arrived. */
  readonly ended: Promise<AgentCrashedError>;
  /** False as soon as the process is known to have ended. */
  isAlive(): boolean;
  /** Ends the process and everything it started in its group. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the runtime in its own process group, which ends together with this process, and in an empty folder: each session
 * has its own working directory. The SDK could start it, too, but does not supervise it and prints its output.
 */
export async function startCopilotRuntime(options: StartCopilotRuntimeOptions): Promise<CopilotRuntime> {
  const { command, env, signal, openSandbox } = options;
  const folder = await makeTemporaryFolder("copilot");
  const removeFolder = () => removeTemporaryFolder(folder);
  try {
    const workingDirectory = await makeNeutralFolder(folder);
    const sandbox = await openSandbox?.(folder);
    // When a sandbox ends, the kernel ends everything in it.
    const held = sandbox === undefined ? holdInput(command, path.join(folder, "input")) : command;
    const agent = startAgentProcess({
      agentType: AGENT_TYPE,
      command: held,
      env,
      workingDirectory,
      hasInput: true,
      signal,
      sandbox,
    });
    return await connectRuntime(agent, removeFolder);
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/**
 * Runs `"$@"` with an input that never ends: it holds the pipe named `$0` open for writing itself. A `cat` forwards the
 * input. So the runtime does not exit by itself when Atomic dies, which would hide its commands from the supervisor, which
 * looks for its descendants.
 */
const HOLD_SCRIPT = [
  "exec 4<&0",
  '{ mkfifo -m 600 "$0" && exec 5<>"$0" && rm -f "$0"; } || exit 1',
  "cat <&4 >&5 4<&- 2>/dev/null &",
  'exec "$@" <&5 4<&- 5<&-',
].join("\n");

function holdInput(command: readonly [string, ...string[]], pipe: string): [string, ...string[]] {
  return platform() === "win32" ? [...command] : ["sh", "-c", HOLD_SCRIPT, pipe, ...command];
}

async function connectRuntime(agent: AgentProcess, removeFolder: () => Promise<void>): Promise<CopilotRuntime> {
  const { ended, stdin, stdout } = agent;
  // Set, because of `hasInput`.
  if (stdin === undefined) throw new Error("The runtime has no standard input.");
  const state = { isAlive: true };
  const noteEnd = (): void => {
    state.isAlive = false;
  };
  // Which of the two comes first depends on the engine.
  stdout.once("close", () => {
    noteEnd();
    // The relay has closed the output of a process that sends something other than messages and may still run.
    if (!stdout.readableEnded) void agent.stop();
  });
  void ended.then(noteEnd);
  const relay = await openStdioRelay({ input: stdin, output: stdout });
  void ended.then(() => relay.close());
  return {
    port: relay.port,
    token: relay.token,
    ended,
    isAlive: () => state.isAlive,
    stop: async () => {
      relay.close();
      await agent.stop();
      await removeFolder();
    },
  };
}
