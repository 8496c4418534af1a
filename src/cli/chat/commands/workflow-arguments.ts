import { nearestName, type WorkflowInput } from "../../../contracts/index.ts";
import { UsageError } from "../../config/usage-error.ts";

/** The arguments of a workflow's slash command. */
export interface WorkflowArguments {
  /** What the run is for. Empty for none. */
  readonly prompt: string;
  /** Options of `atomic run`: `--input` with a name and a value, as often as needed, and `--alongside`. */
  readonly options: readonly string[];
  /** Whether the person asks with `--help` what the workflow takes. If so, nothing else is read. @default false */
  readonly isHelp?: boolean;
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
 * Splits what follows the name of a workflow: `--input NAME=VALUE`, `--alongside`, `--help`, the options of the inputs that it
 * declares, such as `--verify-command "npm test"` or `--no-review`, and the prompt, which is everything else. Words in quotes
 * are no options, nor is what follows a `--` before the prompt. Pure.
 *
 * @throws UsageError for another option, and for one without its value
 */
export function parseWorkflowArguments(args: string, inputs: readonly WorkflowInput[] | undefined): WorkflowArguments {
  const words = wordsOf(args);
  const options: string[] = [];
  const prompt: string[] = [];
  let textStart = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) continue;
    const before = args.slice(textStart, word.start);
    if (word.text === "--" && !word.isQuoted && [...prompt, before].join("").trim() === "") {
      textStart = word.end;
      break;
    }
    const found = readOption(word, words[index + 1], inputs ?? []);
    if (found === undefined) continue;
    if (found === "help") return { prompt: "", options: [], isHelp: true };
    options.push(...(found === "alongside" ? ["--alongside"] : ["--input", `${found.name}=${found.value}`]));
    prompt.push(before);
    const last = typeof found === "object" && found.hasTakenNext ? words[++index] : word;
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

interface FoundInput {
  readonly name: string;
  readonly value: string;
  readonly hasTakenNext: boolean;
}

/** Undefined for a word of the prompt. @throws UsageError */
function readOption(
  word: Word,
  next: Word | undefined,
  inputs: readonly WorkflowInput[],
): FoundInput | "alongside" | "help" | undefined {
  const [, flag, attached] = (word.isQuoted ? null : /^--([a-z][\w-]*)(?:=([\s\S]*))?$/i.exec(word.text)) ?? [];
  if (flag === undefined) return undefined;
  const given = attached ?? next?.text;
  const hasTakenNext = attached === undefined;
  if (flag === "input") {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(given ?? "") ?? [];
    if (name === undefined) throw new UsageError(`--input takes NAME=VALUE. ${IN_PROMPT}`);
    return { name, value: value ?? "", hasTakenNext };
  }
  const input = inputs.find((known) => flagsOf(known).includes(flag));
  if (input !== undefined && isYesOrNo(input)) {
    return { name: input.name, value: attached ?? "true", hasTakenNext: false };
  }
  if (input !== undefined) {
    if (given === undefined) throw new UsageError(`--${flag} takes a value. ${IN_PROMPT}`);
    return { name: input.name, value: given, hasTakenNext };
  }
  const denied = inputs.find((known) => denialsOf(known).includes(flag));
  if (denied !== undefined) return { name: denied.name, value: "false", hasTakenNext: false };
  if ((flag === "alongside" || flag === "help") && attached === undefined) return flag;
  throw unknownOption(flag, inputs);
}

/** How a word that looks like an option gets into the prompt. */
const IN_PROMPT = "If the word belongs to the prompt, quote it, or write -- before the prompt.";

/** As in the shell: a misspelled option must not be a word of the prompt, without which the agents work. */
function unknownOption(flag: string, inputs: readonly WorkflowInput[]): UsageError {
  const own = inputs.filter(({ name }) => name !== "prompt");
  const known = [...own.flatMap((input) => [...flagsOf(input), ...denialsOf(input)]), "input", "alongside", "help"];
  // Every word of two letters is near to the initials of an input.
  const nearest = nearestName(
    flag,
    known.filter((name) => name.length > 2),
  );
  const all = [...own.map((input) => flagsOf(input)[0]), "input", "alongside", "help"].map((name) => `--${name}`);
  const hint = nearest === undefined ? `Options: ${all.join(", ")}.` : `Did you mean --${nearest}?`;
  return new UsageError(`Unknown option --${flag}. ${hint} ${IN_PROMPT}`);
}

function denialsOf(input: WorkflowInput): readonly string[] {
  return isYesOrNo(input) ? flagsOf(input).map((name) => `no-${name}`) : [];
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

/** Whether the options of an input take no value. */
export function isYesOrNo({ schema }: Pick<WorkflowInput, "schema">): boolean {
  return schema.type === "boolean";
}

/** The text without quotes that are around all of it, as people paste from a shell. */
function unquote(text: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')$/s.exec(text) ?? [];
  return double?.replace(/\\(.)/g, "$1") ?? single ?? text;
}
