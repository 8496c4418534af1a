import type {
  AgentQuestion,
  AgentQuestionAnswer,
  PermissionDecision,
  PermissionRequest,
} from "../../contracts/index.ts";
import { describeTooLong } from "../../view/index.ts";
import { describeRemembered, toReadable } from "../../view/permissions.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { ASCII_GLYPHS } from "../theme/glyphs.ts";
import { labelled, labelledMarked, plainLine } from "./plain-lines.ts";

/** What a typed line means for an open question. */
export type PlainAnswer =
  | { readonly type: "decision"; readonly decision: PermissionDecision }
  | { readonly type: "answer"; readonly answer: AgentQuestionAnswer }
  /** What the person has to type instead. */
  | { readonly type: "unclear"; readonly hint: string };

/** Everything that a person must see of a permission request, safe for a terminal. */
export type DescribeRequest = (request: PermissionRequest) => readonly string[];

/** How a question is shown. */
export interface PlainAskOptions {
  readonly describeRequest: DescribeRequest;
  /** The rows of a page. Undefined where nothing scrolls away unseen, such as a pipe. */
  readonly rows?: number | undefined;
}

type Scope = "once" | "session" | "project";

const SCOPES: readonly { readonly scope: Scope; readonly text: string }[] = [
  { scope: "once", text: "yes, once" },
  { scope: "session", text: "yes, for this session" },
  { scope: "project", text: "yes, always in this project" },
];

/** Rows of a page that are not the request's: the choices and what covers them, or how to read on. */
const CHOICE_ROWS = 7;

/** The fewest rows of a request on a page. */
const MIN_PAGE_ROWS = 4;

/** The lines of a question, page by page. The numbers to type are on the last page. */
export function askToPages(ask: OpenAsk, options: PlainAskOptions): readonly (readonly string[])[] {
  return ask.type === "permission" ? permissionPages(ask.request, options) : [questionLines(ask.question)];
}

/** What a typed line answers. A "yes" is possible only when no page of the request is left. */
export function readAnswer(ask: OpenAsk, line: string, { pagesLeft = 0 } = {}): PlainAnswer {
  if (ask.type === "question") return readChoice(ask.question, line);
  const answer = readDecision(ask.request, line);
  const isEarly = pagesLeft > 0 && !(answer.type === "decision" && answer.decision.type === "deny");
  return isEarly ? { type: "unclear", hint: moreHint(ask.request) } : answer;
}

/** The ways to say yes. None to a call that nobody can read. */
function scopesOf(request: PermissionRequest): typeof SCOPES {
  if (toReadable(request).tooLong !== undefined) return [];
  return request.isOnce === true ? SCOPES.slice(0, 1) : SCOPES;
}

function permissionPages(
  request: PermissionRequest,
  { describeRequest, rows }: PlainAskOptions,
): readonly (readonly string[])[] {
  const readable = toReadable(request);
  const scopes = scopesOf(request);
  const covers = scopes.length > 1 ? [`asks: 2 and 3 allow ${plainLine(describeRemembered(request), 1_000)}.`] : [];
  const choices = [...scopes.map(({ text }) => text), "no; a reason may follow"];
  const numbers = [...covers, ...choices.map((text, index) => `asks: ${index + 1} ${text}`)];
  const body = [
    ...(readable.tooLong === undefined ? [] : [`asks: ${readable.tooLong}`]),
    ...labelled("asks", describeRequest(readable.request).map(withAsciiStart).join("\n")),
  ];
  const size = rows === undefined ? body.length : Math.max(MIN_PAGE_ROWS, rows - CHOICE_ROWS);
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) => {
    const left = body.length - (index + 1) * size;
    const next = left > 0 ? [`asks: ${left} more ${left === 1 ? "row" : "rows"}. ${moreHint(request)}`] : numbers;
    return [...body.slice(index * size, (index + 1) * size), ...next];
  });
}

/** The sign before a line of the agent's text, and before the rest of a wrapped one, in ASCII. */
function withAsciiStart(line: string): string {
  return line.replace(/^ {2}│/, `  ${ASCII_GLYPHS.line}`).replace(/^ {2}┆/, `  ${ASCII_GLYPHS.wrapped}`);
}

function moreHint(request: PermissionRequest): string {
  return `Press Enter to read on, then yes is possible. ${scopesOf(request).length + 1} says no.`;
}

function readDecision(request: PermissionRequest, line: string): PlainAnswer {
  const scopes = scopesOf(request);
  const noNumber = scopes.length + 1;
  const [, number = "", reason = ""] = /^(\d+)(?:[\s.:,-]+(.*))?$/s.exec(line.trim()) ?? [];
  const chosen = scopes[Number(number) - 1];
  if (number !== "" && chosen !== undefined && reason === "") {
    return { type: "decision", decision: { type: "allow", scope: chosen.scope } };
  }
  if (Number(number) === noNumber) {
    const said = reason === "" ? "The user denied this call." : `The user denied this call: ${reason}`;
    return { type: "decision", decision: { type: "deny", reason: said } };
  }
  const numbers = noNumber === 1 ? "1" : `a number from 1 to ${noNumber}`;
  return { type: "unclear", hint: `Type ${numbers}. After ${noNumber}, a reason may follow.` };
}

function questionLines({ header, question, options, isMultiple }: AgentQuestion): readonly string[] {
  const title = [header, question].filter((part) => part !== undefined && part !== "").join(": ");
  const choices = options.map(({ label, description }, index) => {
    const detail = description === undefined || description === "" ? "" : ` - ${plainLine(description, 200)}`;
    return `asks: ${index + 1} ${plainLine(label, 200)}${detail}`;
  });
  return [...labelledMarked("asks", title), ...choices, `asks: ${hintOf({ options, isMultiple })}`];
}

function hintOf({ options, isMultiple }: Pick<AgentQuestion, "options" | "isMultiple">): string {
  if (options.length === 0) return "Type your answer. 0 leaves it unanswered.";
  const numbers = isMultiple ? "Type numbers such as 1,2" : `Type a number from 1 to ${options.length}`;
  return `${numbers}, or an answer of your own. 0 leaves it unanswered.`;
}

function readChoice({ options, isMultiple }: AgentQuestion, line: string): PlainAnswer {
  const text = line.trim();
  const unclear: PlainAnswer = { type: "unclear", hint: hintOf({ options, isMultiple }) };
  if (text === "") return unclear;
  if (text === "0") {
    return { type: "answer", answer: { type: "decline", reason: "The user left the question unanswered." } };
  }
  const tooLong = describeTooLong(text);
  if (tooLong !== undefined) return { type: "unclear", hint: tooLong };
  if (options.length === 0 || !/^\d+(?:[\s,]+\d+)*$/.test(text)) {
    return { type: "answer", answer: { type: "answer", values: [text] } };
  }
  const places = [...new Set(text.split(/[\s,]+/).map(Number))];
  const chosen = places.flatMap((place) => options[place - 1]?.label ?? []);
  if (chosen.length !== places.length || (!isMultiple && chosen.length > 1)) return unclear;
  return { type: "answer", answer: { type: "answer", values: chosen } };
}
