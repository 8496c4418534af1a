import type { DebugReport } from "../contracts/index.ts";

const MAX_SUMMARY_LENGTH = 1_000;
const MAX_TRACE_LENGTH = 8_000;
const MAX_FILES = 20;

/** What is added to what an error tells by itself. */
export interface DebugReportOptions {
  readonly relevantFiles?: readonly string[];
  readonly suggestedFixes?: readonly string[];
}

/**
 * A report about a failure: what went wrong, its stack and its causes, and the files that the stacks name. For a `.catch`
 * that leaves it in the state, or tells whoever watches with the signal `debug_report_generated`.
 *
 * ```ts
 * .catch((error) => ({
 *   signals: [{ type: "debug_report_generated", report: createDebugReport(error, { suggestedFixes: ["Run npm install"] }) }],
 *   goto: "repair",
 * }))
 * ```
 */
export function createDebugReport(error: Error, options: DebugReportOptions = {}): DebugReport {
  const chain = causesOf(error);
  const text = chain.map((link, index) => `${index === 0 ? "" : "Caused by "}${link.stack ?? String(link)}`).join("\n");
  const summary = chain.map(({ name, message }) => `${name}: ${message}`).join(" ← ");
  const stackTrace = withoutEscapes(text);
  return {
    errorSummary: cut(withoutEscapes(summary), MAX_SUMMARY_LENGTH),
    stackTrace: cut(stackTrace, MAX_TRACE_LENGTH),
    relevantFiles: [...new Set([...(options.relevantFiles ?? []), ...filesIn(stackTrace)])].slice(0, MAX_FILES),
    suggestedFixes: options.suggestedFixes ?? [],
  };
}

/** What terminals take for colours and other commands; `node:util` would take milliseconds of every start on Node. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const ESCAPES = /[\u001b\u009b](?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\[?[0-?]*[ -/]*[@-~])/g;

function withoutEscapes(text: string): string {
  return text.replace(ESCAPES, "");
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** An error and what it says has caused it; a circle ends where it begins. */
function causesOf(error: Error): readonly Error[] {
  const chain = new Set<Error>();
  for (let link: unknown = error; link instanceof Error && !chain.has(link); link = link.cause) chain.add(link);
  return [...chain];
}

/** Files that frames of a stack name, without those of packages and of the runtime. */
function filesIn(stackTrace: string): readonly string[] {
  const files: string[] = [];
  for (const [, path = ""] of stackTrace.matchAll(/(?:\(|at |file:\/\/)(\/[^\s():]+):\d+(?::\d+)?/g)) {
    if (!path.includes("/node_modules/")) files.push(path);
  }
  return files;
}
