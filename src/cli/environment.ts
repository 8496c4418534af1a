import { join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Redactor } from "../contracts/index.ts";
import type { UserCode } from "./user-code/user-code.ts";

/** An output for text. */
export interface TextOutput {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number;
  /** The stream itself, for libraries that draw. */
  readonly stream: Writable;
}

/** Whether errors are printed with their stacks. */
export function isDebug({ env }: Pick<CliEnvironment, "env">): boolean {
  return (env.ATOMIC_DEBUG ?? "") !== "";
}

/** Whether a program reads the output. Does not need parsed arguments, so it also works when parsing fails. */
export function isJsonWanted({ args }: Pick<CliEnvironment, "args">): boolean {
  return args.includes("--json") || isJsonReview(args);
}

/** Whether the call is a review that prints its result as JSON on standard output. */
function isJsonReview(args: readonly string[]): boolean {
  if (args[0] !== "review") return false;
  const isToFile = args.some((word) => word === "--output" || word.startsWith("--output="));
  const format = args[args.indexOf("--format") + 1] ?? "";
  return !isToFile && (args.includes("--format=json") || (args.includes("--format") && /^\s*json\s*$/i.test(format)));
}

/** The folder with the user's settings, workflows and runs: `ATOMIC_HOME`, or `.atomic` in the home. */
export function findAtomicHome({
  env,
  workingDirectory,
  userHomeDirectory,
}: Pick<CliEnvironment, "env" | "workingDirectory" | "userHomeDirectory">): string {
  return resolve(workingDirectory, env.ATOMIC_HOME || join(userHomeDirectory, ".atomic"));
}

/** What a UI that draws by itself needs of the process, and the code of workflows and tools does not get. */
export interface ProcessScreen {
  /** Lets libraries write to standard output themselves, until the returned function is called. */
  lendOutput(): () => void;
  /** Ends the process at once. */
  leave(exitCode: number): void;
}

/** A signal that stops a call. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Everything the program knows about its process. Only `main.ts` reads the process and creates it. */
export interface CliEnvironment {
  /** Without the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly userHomeDirectory: string;
  readonly pid: number;
  /** When this process started, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** A person's input, or a pipe. */
  readonly stdin: Readable;
  /** Whether standard input is a pipe or a file rather than a keyboard. */
  readonly hasPipedInput: boolean;
  /** Whether a person at the terminal can answer questions. */
  readonly isInteractive: boolean;
  /** Knows the secrets of the environment, and those of the settings that were loaded. */
  readonly redactor: Redactor;
  /** Effects of workflow and tool code on this process. */
  readonly userCode: UserCode;
  readonly screen: ProcessScreen;
  /**
   * Listens for SIGINT, SIGTERM and SIGHUP; returns a function that stops listening. Without a listener, a signal ends the
   * process. So does the second signal, after `onLeave`.
   */
  onSignal(listener: (signal: StopSignal) => void, onLeave?: () => void): () => void;
  /**
   * Sends a signal to another process that executes a run. Returns false if it does not exist or may not be signalled.
   *
   * @param signal @default SIGTERM
   */
  interrupt(pid: number, signal?: "SIGTERM" | "SIGKILL"): boolean;
}
