import {
  type AskedQuestion,
  askedQuestionsOf,
  columnsOf,
  countDone,
  formatAnswer,
  safeLine,
  safeText,
  type TaskItem,
  taskItemsOf,
} from "../../view/index.ts";
import type { ToolEntry } from "../chat/chat-entry.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { type LineTone, type TranscriptLine, wrapColumns } from "./transcript-line.ts";

/** What a tool call shows in place of its output: the agent's list of tasks, or its questions. */
export type ToolList =
  | { readonly type: "tasks"; readonly items: readonly TaskItem[] }
  | { readonly type: "questions"; readonly questions: readonly AskedQuestion[] };

/** The longest text of a task, an option or a question that is shown, in characters. */
const MAX_LENGTH = 2_000;

/** The longest list of tasks that is open before anybody opens it. */
const MAX_OPEN_TASKS = 10;

/** The list of a tool call. Undefined for other calls, and for an input in a form that is not known. */
export function toolListOf({ toolName, input, output }: ToolEntry): ToolList | undefined {
  const items = taskItemsOf(toolName, input);
  if (items !== undefined) return { type: "tasks", items };
  const questions = askedQuestionsOf(toolName, input, output);
  return questions === undefined ? undefined : { type: "questions", questions };
}

/** Whether a list is open before anybody opens it. A question that waits is in its own form. */
export function isListOpenAtFirst(list: ToolList, status: ToolEntry["status"]): boolean {
  return list.type === "tasks" ? list.items.length <= MAX_OPEN_TASKS : status !== "running";
}

/** What a card calls a list. */
export function verbOfList({ type }: ToolList): string {
  return type === "tasks" ? "Tasks" : "Question";
}

/** The end of the card's line: `2 of 5 done`. */
export function outcomeOfList(list: ToolList): string {
  return list.type === "tasks" && list.items.length > 0 ? countDone(list.items) : "";
}

/** How a list is laid out. */
export interface ListLayout {
  readonly columns: number;
  readonly glyphs: Glyphs;
}

/** The lines below the card: a box for each task; each question with its options and the answer. */
export function listToLines(list: ToolList, layout: ListLayout): readonly TranscriptLine[] {
  if (list.type === "tasks") {
    return list.items.flatMap(({ text, state }) =>
      signedLines(text, { ...layout, sign: layout.glyphs[BOXES[state]], tone: TASK_TONES[state] }),
    );
  }
  const { questions } = list;
  return questions.flatMap((question, index) => {
    const lines = questionToLines(question, layout);
    return index === 0 ? lines : [{ text: "", tone: "text" } as const, ...lines];
  });
}

const TASK_TONES = { pending: "text", "in progress": "accent", done: "muted", cancelled: "muted" } as const;

const BOXES = { pending: "unchecked", "in progress": "begun", done: "checked", cancelled: "crossed" } as const;

function questionToLines(asked: AskedQuestion, layout: ListLayout): readonly TranscriptLine[] {
  const { question, options, ownAnswer } = asked;
  const { chosen, unchosen, pointer } = layout.glyphs;
  const own = ownAnswer === undefined ? [] : signedLines(ownAnswer, { ...layout, sign: pointer, tone: "user" });
  return [
    ...signedLines(question, { ...layout, sign: "?", tone: "text" }),
    ...options.flatMap(({ label, description, isChosen }) => {
      const text = withDescription(label, description);
      return signedLines(text, { ...layout, sign: isChosen ? chosen : unchosen, tone: isChosen ? "user" : "muted" });
    }),
    ...own,
  ];
}

/** A text after a sign, its further lines aligned with the first. */
function signedLines(
  text: string,
  { sign, tone, columns }: ListLayout & { readonly sign: string; readonly tone: LineTone },
): readonly TranscriptLine[] {
  const room = Math.max(4, columns - columnsOf(sign) - 1);
  const indent = " ".repeat(columnsOf(sign));
  return shortLine(text, room).map((part, index) => ({
    text: `${index === 0 ? sign : indent} ${part}`.trimEnd(),
    tone,
  }));
}

function shortLine(text: string, columns: number): readonly string[] {
  return wrapColumns(oneLine(text), columns);
}

/** A text in one line that is safe for a terminal. */
function oneLine(text: string): string {
  return safeText(text.slice(0, MAX_LENGTH).toWellFormed()).replace(/\s+/g, " ").trim();
}

/** A list as Markdown, below the line of its call. */
export function listToMarkdown(list: ToolList): string {
  if (list.type === "tasks") {
    return list.items
      .map(({ text, state }) => {
        const note = state === "in progress" || state === "cancelled" ? ` (${state})` : "";
        return `- [${state === "done" ? "x" : " "}] ${oneLine(text)}${note}`;
      })
      .join("\n");
  }
  return list.questions
    .map((asked) => {
      const answer = oneLine(formatAnswer(asked));
      const options = asked.options.map(
        ({ label, description }) => `- ${oneLine(withDescription(label, description))}`,
      );
      const parts = [`> ${oneLine(asked.question)}`, options.join("\n"), answer === "" ? "" : `Answer: ${answer}`];
      return parts.filter((part) => part !== "").join("\n\n");
    })
    .join("\n\n");
}

function withDescription(label: string, description: string | undefined): string {
  return description === undefined ? label : `${label}: ${description}`;
}

/** A list in words, which can be read aloud, without a sign for the state of anything. */
export function listToWords(list: ToolList): readonly string[] {
  const line = (text: string): string => safeLine(oneLine(text), MAX_LENGTH);
  if (list.type === "tasks") {
    const { items } = list;
    const title = items.length === 0 ? "no tasks" : countDone(items);
    return [`tasks: ${title}`, ...items.map(({ text, state }) => `  ${state}: ${line(text)}`)];
  }
  return list.questions.flatMap((asked) => {
    const answer = formatAnswer(asked);
    return [
      `question: ${line(asked.question)}`,
      ...asked.options.map(({ label, description }) => `  option: ${line(withDescription(label, description))}`),
      ...(answer === "" ? [] : [`  answer: ${line(answer)}`]),
    ];
  });
}
