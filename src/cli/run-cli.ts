import { AtomicError, messageOf } from "../contracts/index.ts";
import type { CliEnvironment } from "./environment.ts";
import { ExitCode, exitCodeOfError } from "./exit-code.ts";
import { formatError } from "./format-error.ts";
import { formatJson } from "./format-json.ts";
import { CommanderError, isJsonWanted, runProgram } from "./program.ts";
import { safeText } from "./safe-text.ts";
import { UsageError } from "./usage-error.ts";

/** Carries out one call of Atomic from its arguments to its exit code. Never throws. */
export async function runCli(environment: CliEnvironment): Promise<ExitCode> {
  try {
    return await runProgram(environment);
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      reportError(environment, error);
      return exitCodeOfError(error);
    }
    // The help or the version that was asked for has been written.
    if (error.exitCode === 0) return ExitCode.done;
    // So has the parser's message, except where a program reads the output.
    if (isJsonWanted(environment)) reportError(environment, new UsageError(parserMessage(error)));
    return ExitCode.usage;
  }
}

function parserMessage({ code, message }: CommanderError): string {
  if (code === "commander.help") return "The command is incomplete. See: atomic --help";
  return message.replace(/^error: /, "").replaceAll("\n", " ");
}

function reportError(environment: CliEnvironment, error: unknown): void {
  const { stdout, stderr, env } = environment;
  const isForeseen = error instanceof AtomicError;
  if (isJsonWanted(environment)) {
    const runId = isForeseen && "runId" in error ? error.runId : null;
    const code = isForeseen ? error.code : "UNEXPECTED";
    stdout.write(`${formatJson({ type: "error", runId, code, message: messageOf(error) })}\n`);
    return;
  }
  stderr.write(`${formatError(error)}\n`);
  // Where nobody foresaw it, the stack is what a report of the fault needs.
  if (error instanceof Error && (!isForeseen || env.ATOMIC_DEBUG)) stderr.write(`${safeText(error.stack ?? "")}\n`);
}
