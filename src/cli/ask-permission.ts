import type { Writable } from "node:stream";
import type { PermissionDecision, PermissionHandler, PermissionRequest } from "../contracts/index.ts";
import type { PromptStreams } from "./ask-question.ts";
import type { OneAtATime } from "./one-at-a-time.ts";
import type { RunReporter } from "./progress/run-reporter.ts";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";
import { formatPermissionRequest } from "./visible/format-permission-request.ts";

/** What a permission prompt works with. */
export interface PermissionPromptOptions {
  readonly streams: PromptStreams;
  readonly reporter: Pick<RunReporter, "pause">;
  /** Called when the person presses Ctrl+C instead of answering: a prompt takes that key for itself. */
  readonly onCancel: () => void;
  /** Shared by all prompts of a terminal: two that are open at once would both hear each key. */
  readonly oneAtATime: OneAtATime;
}

/** Lines of the screen that the question itself takes: the message, five choices, what the prompt draws around them. */
const QUESTION_ROWS = 9;

/** So many lines of a request are shown at once, however small the terminal is. */
const MIN_PAGE_ROWS = 4;

/** Asks the person at the terminal about tool calls, when it is their turn. */
export function createPermissionPrompt(options: PermissionPromptOptions): PermissionHandler {
  return (request, { signal }) => options.oneAtATime(() => ask(request, options, signal));
}

async function ask(
  request: PermissionRequest,
  { streams, reporter, onCancel }: PermissionPromptOptions,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  if (signal.aborted) return { type: "deny", reason: "The turn was cancelled." };
  const resume = reporter.pause();
  try {
    const decision = await showAndAsk(request, streams, signal);
    if (decision !== undefined) return decision;
    // The signal withdraws the question, too; then nobody pressed anything.
    if (!signal.aborted) onCancel();
    return { type: "deny", reason: "The user left the question unanswered." };
  } finally {
    resume();
  }
}

/** Shows the whole call, a page at a time; a "yes" can be chosen only behind the last one. Nothing when they leave. */
async function showAndAsk(
  request: PermissionRequest,
  streams: PromptStreams,
  signal: AbortSignal,
): Promise<PermissionDecision | undefined> {
  const { isCancel, select } = await import("@clack/prompts");
  const { columns, rows } = terminalSize(streams.output);
  const lines = formatPermissionRequest(request, columns);
  const pageRows = Math.max(MIN_PAGE_ROWS, rows - QUESTION_ROWS);
  for (let start = 0; ; start += pageRows) {
    const end = start + pageRows;
    if (!(await waitForQuietKeyboard(streams.input, signal))) return undefined;
    streams.output.write(`${lines.slice(start, end).join("\n")}\n`);
    const left = lines.length - end;
    const answer = await select<Answer>({
      ...streams,
      message: left > 0 ? "There is more of it." : "Allow this?",
      options:
        left > 0
          ? [{ value: "more", label: `Show the rest (${countLines(left)})` }, NO]
          : [...(request.isOnce === true ? YES.slice(0, 1) : YES), NO],
      signal,
    });
    if (isCancel(answer)) return undefined;
    if (answer === "deny") return { type: "deny", reason: "The user said no." };
    if (answer !== "more") return { type: "allow", scope: answer };
  }
}

type Answer = "once" | "session" | "project" | "deny" | "more";

const YES: readonly { readonly value: Answer; readonly label: string }[] = [
  { value: "once", label: "Yes, this once" },
  { value: "session", label: "Yes, and do not ask again in this session" },
  { value: "project", label: "Yes, and never ask again in this project" },
];

const NO: { readonly value: Answer; readonly label: string } = { value: "deny", label: "No" };

function countLines(count: number): string {
  return count === 1 ? "1 more line" : `${count} more lines`;
}

/** The size of the terminal that an output is; the usual one where it is none. */
function terminalSize(output: Writable): { readonly columns: number; readonly rows: number } {
  const read = (name: "columns" | "rows"): number | undefined => {
    const value: unknown = Reflect.get(output, name);
    return typeof value === "number" && value > 0 ? value : undefined;
  };
  return { columns: read("columns") ?? 80, rows: read("rows") ?? 24 };
}
