import { AtomicError, messageOf } from "../contracts/index.ts";
import type { CliEnvironment } from "./environment.ts";
import { ExitCode, exitCodeOfError } from "./exit-code.ts";
import { formatError } from "./format-error.ts";
import { formatJson } from "./format-json.ts";
import { CommanderError, runProgram } from "./program.ts";

/** Carries out one call of Atomic from its arguments to its exit code. Never throws. */
export async function runCli(environment: CliEnvironment): Promise<ExitCode> {
  try {
    return await runProgram(environment);
  } catch (error) {
    // The parser has written its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    reportError(environment, error);
    return exitCodeOfError(error);
  }
}

function reportError({ args, stdout, stderr, env }: CliEnvironment, error: unknown): void {
  const code = error instanceof AtomicError ? error.code : "UNEXPECTED";
  if (args.includes("--json")) {
    const runId = error instanceof AtomicError && "runId" in error ? error.runId : null;
    stdout.write(`${formatJson({ type: "error", runId, code, message: messageOf(error) })}\n`);
    return;
  }
  stderr.write(`${formatError(error)}\n`);
  // Something nobody foresaw: the stack is what a report of the fault needs.
  const isUnforeseen = !(error instanceof AtomicError) && error instanceof Error;
  if ((isUnforeseen || env.ATOMIC_DEBUG) && error instanceof Error) stderr.write(`${error.stack ?? ""}\n`);
}
