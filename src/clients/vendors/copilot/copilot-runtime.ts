import { platform } from "node:os";
import path from "node:path";
import type { AgentCrashedError } from "../../../contracts/index.ts";
import { type AgentProcess, startAgentProcess } from "../../process/agent-process.ts";
import { makeNeutralFolder } from "../../process/neutral-folder.ts";
import type { ProcessSandbox } from "../../process/process-sandbox.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../process/temporary-folder.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";
import { openStdioRelay, type StdioRelay } from "./stdio-relay.ts";

/** Settings of {@link startCopilotRuntime}. */
export interface StartCopilotRuntimeOptions {
  readonly command: readonly [file: string, ...args: string[]];
  /** The runtime's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the runtime, ready or not. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Makes what encloses the runtime, which is started in the given folder. @default there is none */
  readonly openSandbox?: (folder: string) => Promise<ProcessSandbox | undefined>;
}

/** A running runtime that speaks through its standard input and output, and the one connection that leads there. */
export interface CopilotRuntime extends Pick<StdioRelay, "port" | "token"> {
  /** Resolves when the process has ended, by itself or by `stop`, and its last words have arrived. */
  readonly ended: Promise<AgentCrashedError>;
  /** False as soon as the process is known to be gone. */
  isAlive(): boolean;
  /** Ends the process and everything it started in its group. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the runtime in a process group of its own that ends together with this process, in an empty folder: what it works
 * in, it is told for each session. The SDK could start it too, but neither supervises it nor keeps its words to itself.
 */
export async function startCopilotRuntime(options: StartCopilotRuntimeOptions): Promise<CopilotRuntime> {
  const { command, env, signal, openSandbox } = options;
  const folder = await makeTemporaryFolder("copilot");
  const removeFolder = () => removeTemporaryFolder(folder);
  try {
    const workingDirectory = await makeNeutralFolder(folder);
    const sandbox = await openSandbox?.(folder);
    // When a sandbox ends, the kernel ends all that is in it.
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
 * Runs `"$@"` with an input that does not end: its own end of the pipe named `$0` is open for writing, too. A `cat` brings
 * what comes. So the runtime does not end by itself when Atomic dies, which would hide the commands that it has started
 * from the supervisor, who looks for its descendants.
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
  // The options asked for an input.
  if (stdin === undefined) throw new Error("The runtime has no standard input.");
  const state = { isAlive: true };
  const noteEnd = (): void => {
    state.isAlive = false;
  };
  // Which of the two comes first depends on the engine.
  stdout.once("close", () => {
    noteEnd();
    // The relay has given up a process that says what is no message, and that may run on.
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
