import { join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { UserCode } from "./user-code/user-code.ts";

/** Where text goes. */
export interface TextOutput {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number;
  /** The stream itself, for libraries that draw. */
  readonly stream: Writable;
}

/** Whether somebody looks for the cause of a fault, and wants stacks. */
export function isDebug({ env }: Pick<CliEnvironment, "env">): boolean {
  return (env.ATOMIC_DEBUG ?? "") !== "";
}

/** The folder with the user's settings, workflows and runs: `ATOMIC_HOME`, or `.atomic` in the home. */
export function findAtomicHome({
  env,
  workingDirectory,
  userHomeDirectory,
}: Pick<CliEnvironment, "env" | "workingDirectory" | "userHomeDirectory">): string {
  return resolve(workingDirectory, env.ATOMIC_HOME || join(userHomeDirectory, ".atomic"));
}

/** Everything the program knows of the process it runs in; made in `main.ts`, the only place that reads it. */
export interface CliEnvironment {
  /** Without the program's own name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly userHomeDirectory: string;
  readonly pid: number;
  /** When this process began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** What a person types. */
  readonly stdin: Readable;
  /** Whether a pipe or a file leads into the program, and not a keyboard. */
  readonly hasPipedInput: boolean;
  /** Whether a person sits at the terminal and can be asked. */
  readonly isInteractive: boolean;
  /** What the code of workflows and tools does to this process. */
  readonly userCode: UserCode;
  /**
   * Hears SIGINT, SIGTERM and SIGHUP; returns how to stop hearing them. While nobody listens they end the process, and so
   * does the second one, after `onLeave`.
   */
  onSignal(listener: () => void, onLeave?: () => void): () => void;
  /** Ends another process's part in a run, as Ctrl+C would. False when there is no such process, or no right to. */
  interrupt(pid: number): boolean;
}
