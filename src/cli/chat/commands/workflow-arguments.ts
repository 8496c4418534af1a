import type { WorkflowInput } from "../../../contracts/index.ts";

/** The arguments of a workflow's slash command. */
export interface WorkflowArguments {
  /** What the run is for. Empty for none. */
  readonly prompt: string;
  /** Options of `atomic run`: `--input` with a name and a value, as often as needed. */
  readonly options: readonly string[];
}

/** A word: quoted, with a quoted value as in `name="two words"`, or without quotes. */
const WORD = /([^\s"'=]+=)?(?:"((?:[^"\\]|\\.)*)"|'([^']*)')|(\S+)/g;

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly start: number;
  readonly end: number;
}

/**
 * Splits what follows the name of a workflow: `--input NAME=VALUE` and the options of the inputs that it declares, such as
 * `--verify-command "npm test"` or `--no-review`, and the prompt, which is everything else. Other options belong to the prompt,
 * because people write about options. Pure.
 */
export function parseWorkflowArguments(args: string, inputs: readonly WorkflowInput[] | undefined): WorkflowArguments {
  const words = wordsOf(args);
  const options: string[] = [];
  const prompt: string[] = [];
  let textStart = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    const found = word === undefined ? undefined : readOption(word, words[index + 1], inputs ?? []);
    if (word === undefined || found === undefined) continue;
    options.push("--input", `${found.name}=${found.value}`);
    prompt.push(args.slice(textStart, word.start));
    const last = found.hasTakenNext ? words[++index] : word;
    textStart = last?.end ?? args.length;
  }
  prompt.push(args.slice(textStart));
  const text = unquote(
    prompt
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .join(" "),
  );
  const first = inputs?.[0];
  // A workflow without a prompt takes what it declares first, as the review takes its base.
  if (text === "" || first === undefined || inputs?.some(({ name }) => name === "prompt"))
    return { prompt: text, options };
  return { prompt: "", options: ["--input", `${first.name}=${text}`, ...options] };
}

function wordsOf(args: string): readonly Word[] {
  return [...args.matchAll(WORD)].map((match) => {
    const [whole, name = "", double, single, plain] = match;
    const text = name + (double?.replace(/\\(.)/g, "$1") ?? single ?? plain ?? "");
    const isQuoted = name === "" && plain === undefined;
    return { text, isQuoted, start: match.index, end: match.index + whole.length };
  });
}

interface FoundOption {
  readonly name: string;
  readonly value: string;
  readonly hasTakenNext: boolean;
}

function readOption(word: Word, next: Word | undefined, inputs: readonly WorkflowInput[]): FoundOption | undefined {
  const [, flag, attached] = (word.isQuoted ? null : /^--([a-z][\w-]*)(?:=([\s\S]*))?$/i.exec(word.text)) ?? [];
  if (flag === undefined) return undefined;
  const given = attached ?? next?.text;
  const hasTakenNext = attached === undefined;
  if (flag === "input") {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(given ?? "") ?? [];
    return name === undefined ? undefined : { name, value: value ?? "", hasTakenNext };
  }
  const input = inputs.find((known) => flagsOf(known).includes(flag));
  if (input !== undefined && isYesOrNo(input)) {
    return { name: input.name, value: attached ?? "true", hasTakenNext: false };
  }
  if (input !== undefined) return given === undefined ? undefined : { name: input.name, value: given, hasTakenNext };
  const denied = inputs.find((known) => isYesOrNo(known) && flagsOf(known).some((name) => flag === `no-${name}`));
  return denied === undefined ? undefined : { name: denied.name, value: "false", hasTakenNext: false };
}

/** The options of an input: `verifyCommand` is `--verify-command` and `--verify`, `pullRequest` also `--pr`. */
export function flagsOf({ name }: Pick<WorkflowInput, "name">): readonly string[] {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[-_]/);
  const whole = words.join("-");
  const initials = words.length > 1 ? [words.map((word) => word.charAt(0)).join("")] : [];
  return [whole, ...(whole.endsWith("-command") ? [whole.slice(0, -"-command".length)] : []), ...initials];
}

function isYesOrNo({ schema }: WorkflowInput): boolean {
  return schema.type === "boolean";
}

/** The text without quotes that are around all of it, as people paste from a shell. */
function unquote(text: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')$/s.exec(text) ?? [];
  return double?.replace(/\\(.)/g, "$1") ?? single ?? text;
}
