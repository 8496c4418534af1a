import type {
  AgentQuestion,
  AgentQuestionAnswer,
  PermissionDecision,
  PermissionRequest,
} from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { labelled } from "./plain-lines.ts";

/** What a typed line means for an open question. */
export type PlainAnswer =
  | { readonly type: "decision"; readonly decision: PermissionDecision }
  | { readonly type: "answer"; readonly answer: AgentQuestionAnswer }
  /** What the person has to type instead. */
  | { readonly type: "unclear"; readonly hint: string };

/** Everything that a person must see of a permission request, safe for a terminal. */
export type DescribeRequest = (request: PermissionRequest) => readonly string[];

type Scope = "once" | "session" | "project";

const SCOPES: readonly { readonly scope: Scope; readonly text: string }[] = [
  { scope: "once", text: "yes, once" },
  { scope: "session", text: "yes, for this session" },
  { scope: "project", text: "yes, always in this project" },
];

/** The lines of a question, with the numbers to type. */
export function askToLines(ask: OpenAsk, describeRequest: DescribeRequest): readonly string[] {
  return ask.type === "permission" ? permissionLines(ask.request, describeRequest) : questionLines(ask.question);
}

/** What a typed line answers. */
export function readAnswer(ask: OpenAsk, line: string): PlainAnswer {
  return ask.type === "permission" ? readDecision(ask.request, line) : readChoice(ask.question, line);
}

function scopesOf({ isOnce = false }: PermissionRequest): typeof SCOPES {
  return isOnce ? SCOPES.slice(0, 1) : SCOPES;
}

function permissionLines(request: PermissionRequest, describeRequest: DescribeRequest): readonly string[] {
  const scopes = scopesOf(request);
  const choices = [...scopes.map(({ text }) => text), "no; a reason may follow"];
  return [
    ...labelled("asks", describeRequest(request).join("\n")),
    ...choices.map((text, index) => `asks: ${index + 1} ${text}`),
  ];
}

function readDecision(request: PermissionRequest, line: string): PlainAnswer {
  const scopes = scopesOf(request);
  const noNumber = scopes.length + 1;
  const [, number = "", reason = ""] = /^(\d+)(?:[\s.:,-]+(.*))?$/.exec(line.trim()) ?? [];
  const chosen = scopes[Number(number) - 1];
  if (number !== "" && chosen !== undefined && reason === "") {
    return { type: "decision", decision: { type: "allow", scope: chosen.scope } };
  }
  if (Number(number) === noNumber) {
    const said = reason === "" ? "The user denied this call." : `The user denied this call: ${reason}`;
    return { type: "decision", decision: { type: "deny", reason: said } };
  }
  return { type: "unclear", hint: `Type a number from 1 to ${noNumber}. After ${noNumber}, a reason may follow.` };
}

function questionLines({ header, question, options, isMultiple }: AgentQuestion): readonly string[] {
  const title = [header, question].filter((part) => part !== undefined && part !== "").join(": ");
  const choices = options.map(({ label, description }, index) => {
    const detail = description === undefined || description === "" ? "" : ` - ${safeLine(description, 200)}`;
    return `asks: ${index + 1} ${safeLine(label, 200)}${detail}`;
  });
  return [...labelled("asks", title), ...choices, `asks: ${hintOf({ options, isMultiple })}`];
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
  if (options.length === 0 || !/^\d+(?:[\s,]+\d+)*$/.test(text)) {
    return { type: "answer", answer: { type: "answer", values: [text] } };
  }
  const places = [...new Set(text.split(/[\s,]+/).map(Number))];
  const chosen = places.flatMap((place) => options[place - 1]?.label ?? []);
  if (chosen.length !== places.length || (!isMultiple && chosen.length > 1)) return unclear;
  return { type: "answer", answer: { type: "answer", values: chosen } };
}
