import { platform } from "node:os";
import { basename } from "node:path";
import { execPath } from "node:process";
import type { Readable } from "node:stream";
import { messageOf, withResolvers } from "../../../contracts/index.ts";
import {
  type ConfinedCommand,
  confinedCommands,
  describeExit,
  type ProcessGroup,
  startProcessGroup,
} from "../../../system/index.ts";
import { ScriptProcessError } from "./script-errors.ts";
import type { ScriptHost } from "./script-host.ts";
import { parseTurn, type ScriptMessage, type ScriptSaying, type ScriptTurn } from "./script-messages.ts";
import { MAX_SCRIPT_BYTES, SCRIPT_PROGRAM } from "./script-program.ts";

/** So much of what a process writes on its standard error is kept, in characters. */
const MAX_LAST_WORDS = 300;

/** A process that says more in one turn is ended: it would fill the memory. In characters. */
const MAX_TURN_LENGTH = 50_000_000;

/** What a person reads when the system's walls are there and cannot be used. */
const NO_WALLS =
  "The script runs with nothing but its context between it and your account, because its sandbox did not start:";

/** Settings of {@link ScriptProcess}. */
export interface ScriptProcessOptions {
  readonly host: ScriptHost;
  /** Receives what the script does, in order. @throws what the script cannot have done; the process is ended */
  readonly onSaid: (saying: ScriptSaying) => void;
  /** Called at most once: the process has ended by itself, or was ended for what it said. */
  readonly onFailure: (error: ScriptProcessError) => void;
}

/**
 * The process that runs a script, with as few rights as the system can give. While it works on a message, the ends of calls are
 * held, so that they reach the script one after the other.
 */
export class ScriptProcess {
  readonly #group: ProcessGroup;
  readonly #options: ScriptProcessOptions;
  #sentCount = 0;
  #releaseCalls: (() => void) | undefined;
  readonly #waiting: (() => void)[] = [];
  #isOver = false;
  #lastWords = "";
  readonly #started = withResolvers<boolean>();
  #hasStarted = false;

  /**
   * Starts the process.
   * @throws ScriptProcessError when it cannot be started, and the reason of the host's signal
   */
  static async start(options: ScriptProcessOptions): Promise<ScriptProcess> {
    const release = options.host.holdCalls();
    try {
      let problem = "";
      for (const command of confinedCommands(SCRIPT_PROGRAM, { platform: platform(), runtime: execPath })) {
        options.host.signal.throwIfAborted();
        const process = new ScriptProcess(command, options);
        if (await process.#started.promise) {
          if (problem !== "") options.host.warn(`${NO_WALLS} ${problem}`);
          return process;
        }
        problem = `${problem}${basename(command.command[0])}: ${process.#lastWords.trim()} `;
      }
      options.host.signal.throwIfAborted();
      throw new ScriptProcessError(`The script's process did not start: ${problem}`);
    } finally {
      release();
    }
  }

  private constructor({ command, env, workingDirectory }: ConfinedCommand, options: ScriptProcessOptions) {
    this.#options = options;
    this.#group = startProcessGroup(command, { env, workingDirectory, hasInput: true, graceMs: 0 });
    const { leader } = this.#group;
    const stop = (): void => void this.stop();
    options.host.signal.addEventListener("abort", stop, { once: true });
    leader.once("error", (error) => this.#end(messageOf(error)));
    leader.once("exit", (code, signal) => this.#end(describeExit(code, signal)));
    void this.#group.ended.then(() => options.host.signal.removeEventListener("abort", stop));
    // A process that has ended reads nothing; how it ended says more.
    leader.stdin?.on("error", () => undefined);
    leader.stderr?.on("data", (chunk: Buffer) => {
      this.#lastWords = `${this.#lastWords}${chunk}`.slice(-MAX_LAST_WORDS);
    });
    if (leader.stdout !== null) readLines(leader.stdout, (line) => this.#read(line));
  }

  /** Sends a message. */
  send(message: ScriptMessage): void {
    if (this.#isOver) return;
    this.#sentCount++;
    this.#releaseCalls ??= this.#options.host.holdCalls();
    this.#group.leader.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when the process has worked off all messages, or has ended. */
  async idle(): Promise<void> {
    // Ends of calls that have just arrived are sent.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#releaseCalls !== undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    this.#finish();
    await this.#group.stop();
  }

  #read(line: string | undefined): void {
    if (this.#isOver) return;
    let turn: ScriptTurn;
    try {
      if (line === undefined) throw new RangeError(`More than ${MAX_TURN_LENGTH} characters in one turn.`);
      turn = parseTurn(line);
      for (const saying of turn.said) this.#options.onSaid(saying);
    } catch (error) {
      this.#fail(`was ended for what it sent: ${messageOf(error)}`);
      return;
    }
    this.#hasStarted = true;
    this.#started.resolve(true);
    if (turn.count === this.#sentCount) this.#rest();
  }

  #end(how: string): void {
    if (this.#hasStarted) this.#fail(`ended (${how}). It may use ${MAX_SCRIPT_BYTES / 1_000_000_000} GB of memory.`);
    // Of a command that cannot be started.
    if (this.#lastWords.trim() === "") this.#lastWords = how;
    this.#finish();
  }

  #fail(what: string): void {
    if (this.#isOver) return;
    void this.stop();
    this.#options.onFailure(new ScriptProcessError(`The process of the script ${what}`));
  }

  #finish(): void {
    this.#isOver = true;
    this.#started.resolve(false);
    this.#rest();
  }

  #rest(): void {
    this.#releaseCalls?.();
    this.#releaseCalls = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Calls a function for each line of a stream, and with undefined for one that is too long. */
function readLines(stream: Readable, onLine: (line: string | undefined) => void): void {
  let parts: string[] = [];
  let length = 0;
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = chunk.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      onLine(parts.join("") + line);
      [parts, length] = [[], 0];
    }
    parts.push(rest);
    length += rest.length;
    if (length <= MAX_TURN_LENGTH) return;
    onLine(undefined);
    [parts, length] = [[], 0];
  });
}
