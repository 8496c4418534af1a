import type { Writable } from "node:stream";
import type { PermissionDecision, PermissionHandler, PermissionRequest } from "../../contracts/index.ts";
import { describeRemembered, formatPermissionRequest } from "../../view/permissions.ts";
import type { RunReporter } from "../progress/run-reporter.ts";
import { askChoice, type Choice, type ChoiceAnswer, isSmall, type TerminalSize, terminalSize } from "./ask-choice.ts";
import type { OneAtATime } from "./one-at-a-time.ts";
import type { PromptStreams } from "./prompt-streams.ts";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";
import { shareAnswers } from "./share-answers.ts";

/** Settings of {@link createPermissionPrompt}. */
export interface PermissionPromptOptions {
  readonly streams: PromptStreams;
  readonly reporter: Pick<RunReporter, "pause">;
  /** Called when the person presses Ctrl+C: the prompt consumes that key. */
  readonly onCancel: () => void;
  /** Shared by all prompts of a terminal: two open prompts would both receive each key. */
  readonly oneAtATime: OneAtATime;
  /** What an answer that lasts longer than one call is for. @default "session" */
  readonly scope?: "run" | "session";
  /** As in {@link ShareAnswersOptions}. */
  readonly gatheringMs?: number;
}

/** Rows of a question besides its choices: the message, and the frame of the prompt. */
const QUESTION_ROWS = 5;

/** Columns before a choice. */
const CHOICE_INDENT = 5;

/** The minimum number of request lines on a page, even if the labels of the choices are long. */
const MIN_PAGE_ROWS = 4;

/** Rows of a question that is answered by a key. */
const KEY_ROWS = 2;

/** Asks the person at the terminal to approve tool calls: one at a time, and equal ones that wait together once. */
export function createPermissionPrompt(options: PermissionPromptOptions): PermissionHandler {
  return shareAnswers((request, signal) => ask(request, options, signal), options);
}

async function ask(
  request: PermissionRequest,
  { streams, reporter, onCancel, scope = "session" }: PermissionPromptOptions,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  if (signal.aborted) return { type: "deny", reason: "The turn was cancelled." };
  const resume = reporter.pause();
  try {
    const answer = await showAndAsk(request, answersTo(request, scope), { streams, signal });
    switch (answer.type) {
      case "chosen":
        return answer.value === "deny" ? SAID_NO : { type: "allow", scope: answer.value, answered: AT_TERMINAL };
      case "escape":
        return SAID_NO;
      case "cancel":
        onCancel();
        return { type: "deny", reason: "The user left the question unanswered." };
      case "withdrawn":
        streams.output.write("The question is withdrawn: the agent no longer waits for an answer.\n");
        return { type: "deny", reason: "The question was withdrawn." };
      case "closed":
        streams.output.write("Denied: standard input is closed, so nobody can answer.\n");
        return { type: "deny", reason: "Nobody can answer: standard input is closed." };
    }
  } finally {
    resume();
  }
}

/** Where the person answered, for the run's log. */
const AT_TERMINAL = "at the terminal";

const SAID_NO: PermissionDecision = { type: "deny", reason: "The user said no.", answered: AT_TERMINAL };

type Answer = "once" | "session" | "project" | "deny";

/** Shows the whole call, a page at a time; a "yes" can be chosen only after the last one. */
async function showAndAsk(
  request: PermissionRequest,
  answers: readonly Choice<Answer>[],
  { streams, signal }: { readonly streams: PromptStreams; readonly signal: AbortSignal },
): Promise<ChoiceAnswer<Answer>> {
  let layout = layOut(request, streams.output);
  for (let start = 0, isRest = false; ; ) {
    if (!(await waitForQuietKeyboard(streams.input, signal))) return { type: "cancel" };
    const size = terminalSize(streams.output);
    // After a resize the pages break at other places: restart, so that no line is skipped.
    if (size.columns !== layout.columns) {
      layout = layOut(request, streams.output);
      start = 0;
    }
    const pageRows = pageRowsOf(answers, size);
    const page = layout.lines.slice(start, isRest ? undefined : start + pageRows);
    const left = layout.lines.length - start - page.length;
    const question = { streams, signal, text: `${page.join("\n")}\n` };
    if (left <= 0) return askChoice({ ...question, message: "Allow this?", choices: answers });
    const rest = left > pageRows ? [{ value: "rest", label: "Show all of it at once", brief: "a all" } as const] : [];
    const choices = [
      { value: "page", label: `Show more (${countLines(left)})`, brief: "m more" } as const,
      ...rest,
      NO,
    ];
    const answer = await askChoice<"page" | "rest" | Answer>({ ...question, message: "There is more of it.", choices });
    if (answer.type !== "chosen") return answer;
    if (answer.value !== "page" && answer.value !== "rest") return { type: "chosen", value: answer.value };
    isRest = answer.value === "rest";
    start += page.length;
  }
}

function layOut(request: PermissionRequest, output: Writable) {
  const { columns } = terminalSize(output);
  return { columns, lines: formatPermissionRequest(request, columns) };
}

/** The answers to a request; those that last longer than this call name the calls that they allow. */
function answersTo(request: PermissionRequest, scope: "run" | "session"): readonly Choice<Answer>[] {
  const once: Choice<Answer> = { value: "once", label: "Yes, this once", brief: "y yes" };
  if (request.isOnce === true) return [once, NO];
  const remembered = describeRemembered(request);
  return [
    once,
    { value: "session", label: `Yes, and for this ${scope}: ${remembered}` },
    { value: "project", label: `Yes, and for good in this project: ${remembered}` },
    NO,
  ];
}

/** How many lines of a request fit above the question. */
function pageRowsOf(choices: readonly Choice<Answer>[], size: TerminalSize): number {
  if (isSmall(size)) return Math.max(1, size.rows - KEY_ROWS);
  const width = size.columns - CHOICE_INDENT;
  const rows = choices.map(({ label }) => Math.ceil(Bun.stringWidth(label) / width));
  return Math.max(MIN_PAGE_ROWS, size.rows - rows.reduce((sum, count) => sum + count, QUESTION_ROWS));
}

const NO: Choice<Answer> = { value: "deny", label: "No", brief: "n no" };

function countLines(count: number): string {
  return count === 1 ? "1 more line" : `${count} more lines`;
}
