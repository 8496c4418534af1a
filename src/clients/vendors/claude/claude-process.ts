import { EventEmitter } from "node:events";
import { platform } from "node:os";
import type { Writable } from "node:stream";
import type { SpawnedProcess, SpawnOptions } from "@anthropic-ai/claude-agent-sdk";
import { type AgentProcess, startAgentProcess } from "../../process/agent-process.ts";
import type { ProcessSandbox } from "../../process/process-sandbox.ts";
import { AGENT_TYPE } from "./claude-errors.ts";

/** A supervised process of Claude Code, and the SDK's view of it. */
export interface ClaudeProcess {
  readonly process: AgentProcess;
  readonly spawned: SpawnedProcess;
}

/**
 * The environment variables with Claude Code's credentials, and those that name the file descriptor from which it can
 * read the same credential.
 */
const SECRETS: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
  CLAUDE_CODE_OAUTH_TOKEN: "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
};

/**
 * Moves credentials out of the environment, which every command can read, into file descriptors. Windows has no such
 * descriptors.
 */
function splitSecrets(
  env: Readonly<Record<string, string>>,
): Pick<Parameters<typeof startAgentProcess>[0], "env" | "secrets"> {
  if (platform() === "win32") return { env };
  const isSecret = ([name, value]: readonly [string, string]) => SECRETS[name] !== undefined && value !== "";
  const variables = Object.entries(env);
  const secrets = variables.filter(isSecret).map(([name, value]) => [SECRETS[name] ?? name, value] as const);
  return {
    env: Object.fromEntries(variables.filter((variable) => !isSecret(variable))),
    secrets: Object.fromEntries(secrets),
  };
}

/** How Claude Code runs. */
export interface StartClaudeOptions {
  readonly workingDirectory: string;
  /** The sandbox of the process. @default none */
  readonly sandbox?: ProcessSandbox | undefined;
}

/** Starts Claude Code in its own process group, which ends together with this process. */
export function startClaudeProcess(
  { command, args, cwd, env }: SpawnOptions,
  { workingDirectory, sandbox }: StartClaudeOptions,
): ClaudeProcess {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const process = startAgentProcess({
    agentType: AGENT_TYPE,
    command: [command, ...args],
    ...splitSecrets(Object.fromEntries(variables)),
    workingDirectory: cwd ?? workingDirectory,
    hasInput: true,
    sandbox,
  });
  return { process, spawned: new SdkProcess(process) };
}

/** The process as the SDK expects it. It reports the end without the signal, which `AgentProcess` reports. */
class SdkProcess extends EventEmitter implements SpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: AgentProcess["stdout"];
  readonly #process: AgentProcess;
  #exitCode: number | null = null;
  #isKilled = false;

  constructor(process: AgentProcess) {
    super();
    if (process.stdin === undefined) throw new Error("The process of Claude Code was started without an input.");
    this.stdin = process.stdin;
    this.stdout = process.stdout;
    this.#process = process;
    void process.ended.then(({ ending }) => {
      this.#exitCode = ending === "exit code 0" ? 0 : 1;
      this.emit("exit", this.#exitCode, null);
    });
  }

  get killed(): boolean {
    return this.#isKilled;
  }

  get exitCode(): number | null {
    return this.#exitCode;
  }

  kill(): boolean {
    this.#isKilled = true;
    void this.#process.stop();
    return this.#exitCode === null;
  }
}
