import { randomUUID } from "node:crypto";
import type { AgentProcess } from "../../process/agent-process.ts";
import { startAgentProcess } from "../../process/agent-process.ts";

/** A command that Atomic runs for an agent. */
export interface AcpTerminalCommand {
  /** The program, or a whole command line when there are no arguments. */
  readonly command: string;
  readonly args: readonly string[];
  readonly workingDirectory: string;
  /** The command's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** How much of the end of the output is kept, in bytes. @default 1 MiB */
  readonly outputByteLimit?: number;
}

/** How a command ended, in ACP's form. */
export interface AcpExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The output of a command, in ACP's form. */
export interface AcpTerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus?: AcpExitStatus;
}

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;

/** One running command. */
class AcpTerminal {
  readonly exited: Promise<AcpExitStatus>;
  readonly #process: AgentProcess;
  readonly #maxBytes: number;
  /** The output, trimmed to the limit from time to time. */
  #chunks: Buffer[] = [];
  #keptBytes = 0;
  #isTruncated = false;
  #exitStatus: AcpExitStatus | undefined;

  constructor(agentType: string, { command, args, workingDirectory, env, outputByteLimit }: AcpTerminalCommand) {
    this.#maxBytes = Math.max(0, outputByteLimit ?? DEFAULT_OUTPUT_BYTES);
    const line = args.length === 0 ? ["sh", "-c", command] : [command, ...args];
    this.#process = startAgentProcess({
      agentType,
      command: ["sh", "-c", 'exec "$@" 2>&1', "sh", ...line],
      env,
      workingDirectory,
    });
    this.#process.stdout.on("data", (chunk: Buffer) => this.#keep(chunk));
    this.exited = this.#process.ended.then(async ({ ending }) => {
      // Further output of the command's background jobs is ignored.
      await this.#process.stop();
      // A process that left the command's group may hold the output open for ever.
      this.#process.stdout.destroy();
      this.#exitStatus = parseEnding(ending);
      return this.#exitStatus;
    });
  }

  get output(): AcpTerminalOutput {
    const output = this.#cutOutput()
      .toString("utf8")
      .replace(/^\uFFFD+/, "");
    const exitStatus = this.#exitStatus;
    return { output, truncated: this.#isTruncated, ...(exitStatus === undefined ? {} : { exitStatus }) };
  }

  async kill(): Promise<void> {
    await this.#process.stop();
  }

  /** Trims only when the output has reached twice the limit. */
  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#keptBytes > 2 * this.#maxBytes) this.#cutOutput();
  }

  #cutOutput(): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#isTruncated ||= all.length > this.#maxBytes;
    const kept = all.subarray(Math.max(0, all.length - this.#maxBytes));
    this.#chunks = [kept];
    this.#keptBytes = kept.length;
    return kept;
  }
}

/** The commands that Atomic runs for the agent of one session, each in a process group of its own. */
export class AcpTerminals {
  readonly #agentType: string;
  readonly #terminals = new Map<string, AcpTerminal>();
  #releasing: Promise<unknown> = Promise.resolve();

  constructor(agentType: string) {
    this.#agentType = agentType;
  }

  /** Starts a command. Returns the id of its terminal. */
  create(command: AcpTerminalCommand): string {
    const id = randomUUID();
    this.#terminals.set(id, new AcpTerminal(this.#agentType, command));
    return id;
  }

  /** The output of a command so far; undefined for an unknown terminal. */
  output(id: string): AcpTerminalOutput | undefined {
    return this.#terminals.get(id)?.output;
  }

  /** Waits until a command ends; undefined for an unknown terminal. */
  async waitForExit(id: string): Promise<AcpExitStatus | undefined> {
    return this.#terminals.get(id)?.exited;
  }

  /** Ends a command and everything it started. False for an unknown terminal. */
  async kill(id: string): Promise<boolean> {
    const terminal = this.#terminals.get(id);
    await terminal?.kill();
    return terminal !== undefined;
  }

  /** Ends a command and forgets it. False for an unknown terminal. */
  async release(id: string): Promise<boolean> {
    const isKnown = await this.kill(id);
    this.#terminals.delete(id);
    return isKnown;
  }

  /** Ends all commands. Their output can still be read. */
  async killAll(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map((terminal) => terminal.kill()));
  }

  /** Ends all commands and forgets them. Also waits for those that an earlier call is ending. */
  async releaseAll(): Promise<void> {
    this.#releasing = Promise.all([this.#releasing, this.killAll()]);
    this.#terminals.clear();
    await this.#releasing;
  }
}

/** Reads `exit code 1` or `signal SIGKILL`. */
function parseEnding(ending: string): AcpExitStatus {
  const exitCode = /^exit code (\d+)$/.exec(ending)?.[1];
  if (exitCode !== undefined) return { exitCode: Number(exitCode), signal: null };
  return { exitCode: null, signal: /^signal (\w+)$/.exec(ending)?.[1] ?? ending };
}
