import type { CommanderError } from "commander";
import { AtomicError, messageOf, messageWithCauses, StructuredOutputError } from "../contracts/index.ts";
import { stackOf, userFrameOf } from "../system/index.ts";
import { safeText } from "../view/index.ts";
import { canOpenChat } from "./chat-program.ts";
import { UsageError } from "./config/usage-error.ts";
import { type CliEnvironment, findAtomicHome, isDebug, isJsonWanted } from "./environment.ts";
import { ExitCode, exitCodeOfError } from "./exit-code.ts";
import { formatError } from "./output/format-error.ts";
import { formatJson } from "./output/format-json.ts";
import { explainSystemError, OutputError } from "./unusable-place.ts";

/** The longest part of an answer that is printed when it does not fit its schema. */
const MAX_ANSWER_CHARACTERS = 2_000;

/** Runs one call of Atomic and returns its exit code. Never throws. */
export async function runCli(environment: CliEnvironment): Promise<ExitCode> {
  try {
    const exitCode = await runCall(environment);
    const leftError = environment.userCode.leftError();
    if (leftError === undefined) return exitCode;
    reportError(environment, leftError);
    return exitCode === ExitCode.done ? ExitCode.failed : exitCode;
  } catch (thrown) {
    const { CommanderError } = await import("./program.ts");
    if (thrown instanceof CommanderError) return endParsing(environment, thrown);
    // It loads the engine, which `--version` and the help do not need.
    const { explainForCommandLine } = await import("./output/explain-for-command-line.ts");
    const atomicHome = findAtomicHome(environment);
    const explained = explainSystemError(thrown, atomicHome);
    const { explainWrongKind } = await import("./entities/explain-wrong-kind.ts");
    const named = await explainWrongKind(environment, explained);
    const error = explainForCommandLine(named, { args: environment.args, atomicHome });
    reportError(environment, error);
    return exitCodeOfError(error);
  }
}

async function runCall(environment: CliEnvironment): Promise<ExitCode> {
  // Without arguments there is nothing to parse: the chat opens before the parser, with all commands, would be loaded.
  if (environment.args.length === 0 && canOpenChat(environment)) {
    const { chatCommand } = await import("./commands/chat-command.ts");
    return await chatCommand(environment, {});
  }
  const { runProgram } = await import("./program.ts");
  return await runProgram(environment);
}

/** The parser has printed the help, the version or its error, except for an error where a program reads the output. */
function endParsing(environment: CliEnvironment, error: CommanderError): ExitCode {
  if (error.exitCode === 0) return ExitCode.done;
  if (isJsonWanted(environment)) reportError(environment, new UsageError(parserMessage(error)));
  return ExitCode.usage;
}

function parserMessage({ code, message }: CommanderError): string {
  if (code === "commander.help") return "The command is incomplete. See: atomic --help";
  return message.replace(/^error: /, "").replaceAll("\n", " ");
}

/** The answer shows whether to change the schema or the message. */
function formatUnfitAnswer({ content }: StructuredOutputError): string {
  const rest = content.length > MAX_ANSWER_CHARACTERS ? " …" : "";
  return `The answer that does not fit:\n${safeText(content.slice(0, MAX_ANSWER_CHARACTERS)).trim()}${rest}\n`;
}

/** Prints an error for a person or, with `--json`, for a program. */
export function reportError(
  environment: Pick<CliEnvironment, "args" | "env" | "redactor" | "stdout" | "stderr">,
  error: unknown,
): void {
  const { text: redact } = environment.redactor;
  const stdout = { write: (text: string) => environment.stdout.write(redact(text)) };
  const stderr = { write: (text: string) => environment.stderr.write(redact(text)) };
  const frame = error instanceof Error ? userFrameOf(error) : undefined;
  const isExpected = error instanceof AtomicError;
  // If standard output is broken, standard error reports it.
  if (isJsonWanted(environment) && !(error instanceof OutputError)) {
    const runId = isExpected && "runId" in error ? error.runId : null;
    const code = isExpected ? error.code : "UNEXPECTED";
    const where = frame === undefined ? {} : { frame };
    stdout.write(`${formatJson({ type: "error", runId, code, message: messageWithCauses(error), ...where })}\n`);
    return;
  }
  if (error instanceof StructuredOutputError) stderr.write(formatUnfitAnswer(error));
  stderr.write(`${formatError(error)}\n`);
  if (!(error instanceof Error)) return;
  const isNamed = frame !== undefined && messageOf(error).includes(frame);
  if (frame !== undefined && !isNamed) stderr.write(`       at ${safeText(frame)}\n`);
  if (isDebug(environment)) stderr.write(`${safeText(stackOf(error))}\n`);
  // A bug report needs the stack of an unexpected error.
  else if (!isExpected) stderr.write("       This is unexpected. Set ATOMIC_DEBUG=1 to print the stack.\n");
}
