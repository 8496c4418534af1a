import { AtomicError } from "../../contracts/index.ts";
import { joinArguments, splitArguments } from "./split-arguments.ts";

/** A prompt has places for values that the call does not have. */
export class PromptInputMissingError extends AtomicError {
  /** Another attempt meets the same text. */
  readonly isRetryable = false;

  constructor(
    readonly promptName: string,
    readonly missing: readonly PromptInput[],
  ) {
    const shown = missing.slice(0, MAX_SHOWN);
    const more = missing.length > MAX_SHOWN ? `, and ${missing.length - MAX_SHOWN} more` : "";
    const places = shown.map(({ place, hint }) => (hint === undefined ? place : `${place} (${hint})`)).join(", ");
    const values = shown.map(({ name }) => (/\s/.test(name) ? `'${name}=…'` : `${name}=…`)).join(" ");
    super(
      "PROMPT_INPUT_MISSING",
      `The prompt "${promptName}" has no value for ${places}${more}. Add to its arguments: ${values}${more === "" ? "" : " …"}`,
    );
  }
}

/** How many places an error names. */
const MAX_SHOWN = 10;

/** A place for a value in a prompt file. */
export interface PromptInput {
  readonly name: string;
  /** As the prompt has it, for example `${input:goal}`. */
  readonly place: string;
  /** The prompt's own hint, or why the value has to be an argument. */
  readonly hint?: string;
}

/** The values for the places of a prompt file. */
export interface PromptInputs {
  /** By the name in `${input:name}`. */
  readonly values: ReadonlyMap<string, string>;
  /** By the name in `${name}`: what an editor would know. */
  readonly editorValues: Readonly<Record<string, string>>;
  readonly missing: readonly PromptInput[];
  /** The arguments that no place has taken. */
  readonly rest: string;
}

const INPUT = /\$\{input:([^}:${\n]{1,100})(?::([^}${\n]{0,500}))?\}/g;

/** Variables of a prompt file that VS Code takes from its editor. */
const EDITOR_VARIABLE =
  /\$\{(file|fileBasename|fileBasenameNoExtension|fileDirname|fileExtname|fileWorkspaceFolder|relativeFile|relativeFileDirname|lineNumber|columnNumber|selection|selectedText)\}/g;

/**
 * Assigns the arguments of a call to the places of a Copilot prompt: `name=value` to the place of that name, the other words
 * to the inputs that are left, in order of appearance. The last of these takes all words that are left. Pure.
 */
export function readPromptInputs(text: string, args: string): PromptInputs {
  const inputs = unique(
    [...text.matchAll(INPUT)].map(([, name = "", hint]) => ({
      name,
      place: `\${input:${name}}`,
      ...(hint === undefined || hint === "" ? {} : { hint }),
    })),
  );
  // Code in a prompt has places of its own language.
  const outside = text.replace(/```[\s\S]*?```/g, "");
  const ofEditor = unique(
    [...outside.matchAll(EDITOR_VARIABLE)].map(([place, name = ""]) => ({
      name,
      place,
      hint: "only an editor has it",
    })),
  );
  const names = new Set([...inputs, ...ofEditor].map(({ name }) => name));
  const named = new Map<string, string>();
  const words: string[] = [];
  for (const word of splitArguments(args)) {
    const [name = "", ...value] = word.split("=");
    if (value.length > 0 && names.has(name) && !named.has(name)) named.set(name, value.join("="));
    else words.push(word);
  }
  const values = new Map(
    inputs.flatMap(({ name }) => (named.has(name) ? [[name, named.get(name) ?? ""] as const] : [])),
  );
  const open = inputs.filter(({ name }) => !named.has(name));
  // The only input takes everything as it was typed.
  const isWhole = inputs.length === 1 && named.size === 0;
  for (const [index, { name }] of open.slice(0, words.length).entries()) {
    const isLast = index === open.length - 1;
    values.set(name, isWhole ? args.trim() : words.slice(index, isLast ? undefined : index + 1).join(" "));
  }
  const editorNames = ofEditor.map(({ name }) => name).filter((name) => named.has(name));
  return {
    values,
    editorValues: Object.fromEntries(editorNames.map((name) => [name, named.get(name) ?? ""])),
    missing: [...open.filter(({ name }) => !values.has(name)), ...ofEditor.filter(({ name }) => !named.has(name))],
    rest: open.length > 0 ? "" : named.size === 0 ? args.trim() : joinArguments(words),
  };
}

/** The first input of each name. */
function unique(inputs: readonly PromptInput[]): readonly PromptInput[] {
  const byName = new Map<string, PromptInput>();
  for (const input of inputs) if (!byName.has(input.name)) byName.set(input.name, input);
  return [...byName.values()];
}
