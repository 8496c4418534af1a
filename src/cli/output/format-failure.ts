import type { RunErrorInfo } from "../../contracts/index.ts";
import { safeText } from "../../view/index.ts";

/** How much of a failure is shown. */
export interface FailureStyle {
  /** Whether to include the whole stack. */
  readonly isDebug: boolean;
}

/** Codes that say no more than that something is not one of Atomic's own errors. */
const FOREIGN_CODES: ReadonlySet<string> = new Set(["NODE_FAILED", "RUN_FAILED"]);

/** Formats a failure: the node and message, the code of an error of Atomic's, the place in the user's code, and with `isDebug` the whole stack. */
export function formatFailure(error: RunErrorInfo, { isDebug }: FailureStyle): readonly string[] {
  const where = error.nodeId === undefined ? "" : ` in "${safeText(error.nodeId)}"`;
  return [
    `Failed${where}: ${safeText(error.bound === undefined ? error.message : withoutRemedy(error.message))}`,
    ...(FOREIGN_CODES.has(error.code) ? [] : [`  (${safeText(error.code)})`]),
    ...formatFrame(error),
    ...(isDebug && error.stack !== undefined ? [safeText(error.stack)] : []),
  ];
}

/** Of a spent budget, the next line has the command with the option. */
function withoutRemedy(message: string): string {
  return message.replace(/ Raise it (?:\([^)]*\)|with --max-tokens), then resume the run\.$/, "");
}

/** The causes of an error of the user's own code, one per line. */
export function listCauses({ code, message }: RunErrorInfo): readonly string[] {
  return FOREIGN_CODES.has(code) ? message.split("\n").filter((line) => line.startsWith("Caused by: ")) : [];
}

/** The place in the user's own code where an error was thrown, if known. */
export function formatFrame({ frame }: RunErrorInfo): readonly string[] {
  return frame === undefined ? [] : [`  at ${safeText(frame)}`];
}
