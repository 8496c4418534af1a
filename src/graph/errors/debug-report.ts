import { stripVTControlCharacters } from "node:util";
import { causesOf, type DebugReport, namedMessageOf } from "../../contracts/index.ts";
import { stackOf } from "../../system/index.ts";

const MAX_SUMMARY_LENGTH = 1_000;
const MAX_FILES = 20;

/** Details to add to an error's own. */
export interface DebugReportOptions {
  readonly relevantFiles?: readonly string[];
  readonly suggestedFixes?: readonly string[];
}

/**
 * A report about a failure: the message, the stack and the causes, and the files that the stacks name. A `.catch` can
 * store it in the state, or send it to subscribers with the signal `debug_report_generated`.
 *
 * ```ts
 * .catch((error) => ({
 *   signals: [{ type: "debug_report_generated", report: createDebugReport(error, { suggestedFixes: ["Run npm install"] }) }],
 *   goto: "repair",
 * }))
 * ```
 */
export function createDebugReport(error: Error, options: DebugReportOptions = {}): DebugReport {
  const summary = causesOf(error).map(namedMessageOf).join(" ← ");
  const stackTrace = stackOf(error);
  return {
    errorSummary: cut(stripVTControlCharacters(summary), MAX_SUMMARY_LENGTH),
    stackTrace,
    relevantFiles: [...new Set([...(options.relevantFiles ?? []), ...filesIn(stackTrace)])].slice(0, MAX_FILES),
    suggestedFixes: options.suggestedFixes ?? [],
  };
}

/** The files in a stack's frames, except those of packages and the runtime. */
function filesIn(stackTrace: string): readonly string[] {
  const files: string[] = [];
  for (const [, path = ""] of stackTrace.matchAll(/(?:\(|at |file:\/\/)(\/[^\s():]+):\d+(?::\d+)?/g)) {
    if (!path.includes("/node_modules/")) files.push(path);
  }
  return files;
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
