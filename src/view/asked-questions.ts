import { isRecord } from "../contracts/index.ts";

/** A question of an agent's own tool, with its answer. The texts are not safe for a terminal. */
export interface AskedQuestion {
  readonly question: string;
  /** A short title. */
  readonly header?: string;
  readonly options: readonly AskedOption[];
  /** What the person said in their own words. Absent when they only chose options, and before they answered. */
  readonly ownAnswer?: string;
}

/** An answer that the agent offered. */
export interface AskedOption {
  readonly label: string;
  readonly description?: string;
  readonly isChosen: boolean;
}

/** The vendors' tools that ask a person: Claude Code's, OpenCode's and Copilot's. */
const TOOLS = /^(?:AskUserQuestion|question|ask_user|ask_question)$/i;

const MAX_QUESTIONS = 20;
const MAX_OPTIONS = 100;

/**
 * The questions of a tool call. The answers are read from the tool's output, which is empty until it ended. Undefined when
 * the call is no question, or in a form that is not known.
 */
export function askedQuestionsOf(toolName: string, input: unknown, output = ""): readonly AskedQuestion[] | undefined {
  if (!TOOLS.test(toolName) || !isRecord(input)) return undefined;
  const list: readonly unknown[] = Array.isArray(input.questions) ? input.questions : [input];
  if (list.length === 0 || list.length > MAX_QUESTIONS) return undefined;
  const drafts = list.flatMap((raw) => draftOf(raw) ?? []);
  if (drafts.length !== list.length) return undefined;
  return drafts.map((draft, index) => answered(draft, answerOf(drafts, index, output)));
}

interface Draft {
  readonly question: string;
  readonly header?: string;
  readonly options: readonly Omit<AskedOption, "isChosen">[];
}

function draftOf(raw: unknown): Draft | undefined {
  if (!isRecord(raw) || typeof raw.question !== "string" || raw.question.trim() === "") return undefined;
  const { question, header } = raw;
  const list: unknown = raw.options ?? raw.choices ?? [];
  if (!Array.isArray(list) || list.length > MAX_OPTIONS) return undefined;
  const options = list.flatMap(optionOf);
  if (options.length !== list.length) return undefined;
  return { question, options, ...(typeof header === "string" && header !== "" ? { header } : {}) };
}

function optionOf(raw: unknown): Draft["options"] {
  if (typeof raw === "string") return [{ label: raw }];
  if (!isRecord(raw) || typeof raw.label !== "string") return [];
  const { label, description } = raw;
  return [{ label, ...(typeof description === "string" && description !== "" ? { description } : {}) }];
}

/** The start of Copilot's output, which contains the answer to its only question. */
const ONE_ANSWER = /^User (?:selected|responded): ?/;

/** Claude Code and OpenCode list them: `"Which one?"="Red, Blue", "Why?"="Because."`. */
function answerOf(drafts: readonly Draft[], index: number, output: string): string | undefined {
  if (drafts.length === 1 && ONE_ANSWER.test(output)) return output.replace(ONE_ANSWER, "").trim();
  const start = startOf(drafts[index], output);
  if (start === undefined) return undefined;
  const next = output.indexOf(`", "${drafts[index + 1]?.question ?? ""}"="`, start);
  const end = drafts[index + 1] !== undefined && next !== -1 ? next : output.lastIndexOf('"');
  const answer = output.slice(start, Math.max(start, end));
  return answer === "Unanswered" ? undefined : answer;
}

function startOf(draft: Draft | undefined, output: string): number | undefined {
  if (draft === undefined) return undefined;
  const mark = `"${draft.question}"="`;
  const index = output.indexOf(mark);
  return index === -1 ? undefined : index + mark.length;
}

/** Chosen labels are listed with commas; what is left is the person's own text. */
function answered({ question, header, options }: Draft, answer: string | undefined): AskedQuestion {
  let rest = answer === undefined ? "" : `, ${answer}, `;
  const chosen = new Set<string>();
  for (const { label } of options.toSorted((one, other) => other.label.length - one.label.length)) {
    const index = rest.indexOf(`, ${label}, `);
    if (index === -1) continue;
    chosen.add(label);
    rest = `${rest.slice(0, index)}, ${rest.slice(index + label.length + 4)}`;
  }
  const own = rest.replace(/^(?:, )+|(?:, )+$/g, "").trim();
  return {
    ...{ question, options: options.map((option) => ({ ...option, isChosen: chosen.has(option.label) })) },
    ...(header === undefined ? {} : { header }),
    ...(own === "" ? {} : { ownAnswer: own }),
  };
}

/** The answer in one text: the chosen labels, then the person's own words. Empty before the answer. */
export function formatAnswer({ options, ownAnswer }: AskedQuestion): string {
  const labels = options.filter(({ isChosen }) => isChosen).map(({ label }) => label);
  return [...labels, ...(ownAnswer === undefined ? [] : [ownAnswer])].join(", ");
}
