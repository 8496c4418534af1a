import { randomUUID } from "node:crypto";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import type { WorkflowFile } from "../../discovery/index.ts";
import {
  CHECK_PROGRAM,
  type CheckedKind,
  type CheckRequest,
  type CheckResults,
  PLACE_FOR_CODE,
} from "./check-request.ts";
import { commandOfFile } from "./own-command.ts";
import { parseCheckResult } from "./parse-check-result.ts";
import { runOwnProgram } from "./run-own-program.ts";

/** Settings of {@link checkInChild}. */
export interface CheckInChildOptions<Kind extends CheckedKind> {
  /** What the file defines. */
  readonly kind: Kind;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** How long the file's code may take, in milliseconds. */
  readonly importTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How long the process may take to begin, in milliseconds, on a machine with much else to do. */
const START_TIMEOUT_MS = 60_000;

/** The child's own limit comes first: it can say more. */
const MARGIN_MS = 500;

/**
 * Executes a file of workflows or tools in a process of its own that has a time limit, and reports what it defines and what
 * is wrong with it. Throws only the signal's reason.
 */
export async function checkInChild<Kind extends CheckedKind>(
  file: WorkflowFile,
  options: CheckInChildOptions<Kind>,
): Promise<CheckResults[Kind]> {
  const request = createRequest([file, []], options);
  const { result, ...ended } = await runProgram(request, options);
  const failed = (): CheckResults[CheckedKind] => ({ problems: [describeEnd(file.path, ended)] });
  // The cast is true: the result has the kind of the request, and each kind can have problems only.
  return (parseCheckResult(result, request) ?? failed()) as CheckResults[Kind];
}

/**
 * Executes files of workflows in one process, one after the other, up to the first in which something is wrong. Returns the
 * results of those before it: what is wrong with a file may come from an earlier one, so it needs a process of its own.
 * Throws only the signal's reason.
 */
export async function checkTogether(
  files: readonly [WorkflowFile, ...WorkflowFile[]],
  options: CheckInChildOptions<"workflow">,
): Promise<readonly CheckResults["workflow"][]> {
  const [file, ...others] = files;
  const request = createRequest([file, others], options);
  const { result } = await runProgram(request, options);
  const lines = result.split("\n").filter((line) => line.startsWith(`${request.token} {`));
  const found: CheckResults["workflow"][] = [];
  for (const [index, one] of files.entries()) {
    // The cast is true: the result has the kind of the request.
    const parsed = parseCheckResult(`${lines[index]}\n`, { ...request, file: one }) as
      | CheckResults["workflow"]
      | undefined;
    if (parsed?.workflow === undefined || parsed.problems.length > 0) break;
    found.push(parsed);
  }
  return found;
}

function createRequest(
  [file, others]: readonly [WorkflowFile, readonly WorkflowFile[]],
  { kind, workingDirectory, importTimeoutMs }: CheckInChildOptions<CheckedKind>,
): CheckRequest {
  return { kind, file, others, workingDirectory, importTimeoutMs, token: randomUUID() };
}

/** How the program ended, and what it sent. */
interface ProgramResult extends ChildEnd {
  readonly result: string;
}

async function runProgram(
  request: CheckRequest,
  { kind, env, importTimeoutMs, signal }: CheckInChildOptions<CheckedKind>,
): Promise<ProgramResult> {
  let lineCount = 0;
  const { isTimeUp, ...ended } = await runOwnProgram({
    ...commandOfFile(new URL("check-program.ts", import.meta.url), [CHECK_PROGRAM]),
    ...{ env, request, signal, timeoutMs: START_TIMEOUT_MS },
    // Each file has its own time; its code can delay only the end of its own process.
    onResult(result) {
      const count = result.split(`${request.token} `).length;
      const isNew = count > lineCount;
      lineCount = Math.max(lineCount, count);
      return isNew ? importTimeoutMs + MARGIN_MS : undefined;
    },
  });
  return { kind, ...ended, passedLimitMs: isTimeUp ? importTimeoutMs : undefined };
}

interface ChildEnd {
  readonly kind: CheckedKind;
  readonly end: string;
  /** What it printed. @default nothing */
  readonly said?: string;
  /** The limit in milliseconds, if the time was up. */
  readonly passedLimitMs?: number | undefined;
}

function describeEnd(path: string, { kind, end, said = "", passedLimitMs }: ChildEnd): DiscoveryProblem {
  if (passedLimitMs !== undefined) {
    const message = `Loading did not finish within ${passedLimitMs} ms.`;
    const remedy = `Look for a loop at the top level that never ends; move slow work into ${PLACE_FOR_CODE[kind]}.`;
    return { path, message, remedy, severity: "error", isTimeout: true };
  }
  // The supervising shell prints the name of a signal.
  const words = said.trim() === "" || end.startsWith("SIG") ? "" : ` It said: ${JSON.stringify(said.trim())}.`;
  const message = `Loading it ended its process (${end}).${words}`;
  return { path, message, remedy: "Correct the file: its code runs whenever it is loaded.", severity: "error" };
}
