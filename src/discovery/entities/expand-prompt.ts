import type { ProviderType, UnifiedEntity } from "./entity.ts";
import { PromptInputMissingError, type PromptInputs, readPromptInputs } from "./prompt-inputs.ts";
import { type PromptFiles, readPromptFiles } from "./read-prompt-files.ts";
import { ArgumentPlaceError, readShellPlaces, type ShellPlace, throwIfTooLong } from "./shell-place.ts";
import { splitArguments } from "./split-arguments.ts";

/** What the text of a command or a skill is expanded with. */
export interface ExpandPromptOptions extends PromptFiles {
  /** What follows the name, as it was typed. Undefined if only a run knows it: then no input counts as missing. */
  readonly args: string | undefined;
  /**
   * Runs a command line that the text has as `` !`git status` ``, and returns what it printed. Arguments in it are quoted
   * for a shell already.
   */
  readonly runCommand: (command: string) => Promise<string>;
  /** Values of `${NAME}`, such as `CLAUDE_PROJECT_DIR`. @default none */
  readonly variables?: Readonly<Record<string, string>>;
}

type Variables = Readonly<Record<string, string>>;

const COMMAND = /!`(?<inline>[^`\n]+)`/g;

/** Claude Code's commands are words of their own, or blocks of code with several lines. */
const CLAUDE_COMMAND = /```!(?<block>[\s\S]*?)```|(?<=^|\s)!`(?<inline>[^`\n]+)`/gm;

const PLACE =
  /(\\?)\$(?:ARGUMENTS\[(\d+)\]|(ARGUMENTS)\b|(\d)(?!\w)|\{input:([^}:${\n]{1,100})(?::[^}${\n]{0,500})?\}|\{([A-Za-z_]+)\}|([A-Za-z_]\w*))/g;

/** A path after an at sign that belongs to no word, such as an e-mail address; Claude Code's also in quotes. */
const FILE = /(?<![\w`@])@(?:"([^"\n]+)"|(\.?[^\s`,.;:!?"'()<>]*(?:\.[^\s`,.;:!?"'()<>]+)*))/g;

/**
 * Makes the message of a command or a skill, as its vendor does: arguments for `$ARGUMENTS` and `$1`, what commands print
 * for `` !`command` ``, and the texts of files that `@path` names after the rest. What commands print and files hold is
 * not expanded again, and arguments reach a shell as quoted words.
 *
 * @throws PromptInputMissingError before any command runs, ArgumentPlaceError for a command that has an argument where it
 *   cannot be quoted, CommandTooLongError, and what the callbacks throw
 */
export async function expandPrompt(
  { name, prompt, source, fields }: Pick<UnifiedEntity, "name" | "prompt" | "source" | "fields">,
  options: ExpandPromptOptions,
): Promise<string> {
  const { args = "" } = options;
  // Other vendors send these places as they are.
  const inputs = source.provider === "copilot" ? readPromptInputs(prompt, args) : undefined;
  if (inputs !== undefined && inputs.missing.length > 0 && options.args !== undefined)
    throw new PromptInputMissingError(name, inputs.missing);
  const variables = { ...options.variables, ...inputs?.editorValues };
  const places = new Places(source.provider, {
    text: prompt,
    args,
    names: namesOf(fields.arguments),
    inputs,
    variables,
  });
  const parts: string[] = [];
  let end = 0;
  for (const match of commandsIn(prompt, source.provider)) {
    const [whole] = match;
    const { block, inline = "" } = match.groups ?? {};
    const command = block?.trim() ?? inline;
    if (command === "") continue;
    parts.push(places.fill(prompt.slice(end, match.index)));
    parts.push(await options.runCommand(places.fillCommand(command)));
    end = match.index + whole.length;
  }
  parts.push(places.fill(prompt.slice(end)));
  const text = parts.join("");
  const given = inputs === undefined ? args.trim() : inputs.rest;
  const whole = places.wasFilled || given === "" ? text : `${text}${places.appendix(given)}`;
  return whole + (await readPromptFiles(pathsOf(prompt, source.provider, variables), options));
}

/** Where arguments go in a text, by the rules of a vendor. */
class Places {
  wasFilled = false;
  readonly #provider: ProviderType;
  readonly #given: string;
  readonly #words: readonly string[];
  readonly #names: readonly string[];
  /** The number of the first argument. */
  readonly #first: 0 | 1;
  /** OpenCode's last place takes all the words that are left. */
  readonly #last: number;
  readonly #inputs: PromptInputs | undefined;
  readonly #variables: Variables;

  constructor(
    provider: ProviderType,
    about: {
      readonly text: string;
      readonly args: string;
      readonly names: readonly string[];
      readonly inputs: PromptInputs | undefined;
      readonly variables: Variables;
    },
  ) {
    const { text, args, names, inputs, variables } = about;
    this.#provider = provider;
    this.#given = args.trim();
    this.#words = splitArguments(args);
    this.#names = names;
    // Claude Code counts from 0 today, and most of its commands were written when it counted from 1.
    this.#first = provider === "claude" && /\$0(?!\w)|\$ARGUMENTS\[/.test(text) ? 0 : 1;
    const numbers = [...text.matchAll(/\$(\d)(?!\w)/g)].map(([, digit]) => Number(digit));
    this.#last = provider === "opencode" ? Math.max(-1, ...numbers) : -1;
    this.#inputs = inputs;
    this.#variables = variables;
  }

  /** Puts the arguments and the variables into a text. */
  fill(text: string): string {
    return text.replace(PLACE, (whole: string, backslash: string, ...groups: readonly (string | undefined)[]) => {
      const place = placeOf(groups);
      if (backslash !== "" && place.variable === undefined && this.#provider === "claude") return whole.slice(1);
      const value = this.#valueOf(place);
      return value === undefined ? whole : backslash + this.#note(place, value);
    });
  }

  /**
   * Puts the arguments and the variables into a command line, each so that the shell takes it as it is.
   *
   * @throws ArgumentPlaceError, CommandTooLongError
   */
  fillCommand(command: string): string {
    const found = [...command.matchAll(PLACE)].flatMap((match) => {
      const place = placeOf(match.slice(2));
      const value = this.#valueOf(place);
      // Everything without a value is the shell's.
      return value === undefined ? [] : [{ place, value, start: match.index, end: match.index + match[0].length }];
    });
    const places = readShellPlaces(command, found);
    const parts: string[] = [];
    let [end, bytes] = [0, Buffer.byteLength(command)];
    for (const [number, { place, value, start, end: next }] of found.entries()) {
      const shellPlace = places[number];
      if (shellPlace === undefined || command[start] === "\\") throw new ArgumentPlaceError(command);
      const written = this.#write(place, value, shellPlace);
      bytes += Buffer.byteLength(written);
      throwIfTooLong(command, bytes);
      parts.push(command.slice(end, start), written);
      end = next;
    }
    return [...parts, command.slice(end)].join("");
  }

  /** @throws ArgumentPlaceError */
  #write(place: Place, value: string, { isQuoted, throwIfCode, quote }: ShellPlace): string {
    // Paths without a character that a shell knows are the same to all shells.
    const isPlainPath = place.variable !== undefined && /^[\w./-]+$/.test(value);
    if (!isPlainPath) throwIfCode();
    this.#note(place, value);
    const isAll = place.every !== undefined;
    return isAll && !isQuoted ? splitArguments(value).map(quote).join(" ") : quote(value);
  }

  /** The inputs of a prompt know themselves which arguments are left, and variables are no arguments. */
  #note({ input, variable }: Place, value: string): string {
    if (input === undefined && variable === undefined) this.wasFilled = true;
    return value;
  }

  /** Arguments for which the text has no place. */
  appendix(given: string): string {
    return this.#provider === "opencode" ? `\n\n${given}` : `\n\nARGUMENTS: ${given}`;
  }

  #valueOf({ index, every, digit, input, variable, name }: Place): string | undefined {
    if (every !== undefined) return this.#given;
    if (index !== undefined) return this.#provider === "claude" ? this.#words[Number(index)] : undefined;
    if (digit !== undefined) return this.#positional(Number(digit));
    if (input !== undefined) return this.#inputs?.values.get(input);
    if (variable !== undefined) return variableOf(variable, this.#variables);
    const position = name === undefined ? -1 : this.#names.indexOf(name);
    return position === -1 ? undefined : this.#words[position];
  }

  /** `$0` is a place only where counting begins at 0; an argument that is missing is empty, but for Claude Code's. */
  #positional(digit: number): string | undefined {
    const position = digit - this.#first;
    if (position < 0) return undefined;
    if (digit === this.#last) return this.#words.slice(position).join(" ");
    return this.#words[position] ?? (this.#provider === "claude" && this.#first === 0 ? undefined : "");
  }
}

interface Place {
  readonly index: string | undefined;
  readonly every: string | undefined;
  readonly digit: string | undefined;
  readonly input: string | undefined;
  readonly variable: string | undefined;
  readonly name: string | undefined;
}

function placeOf([index, every, digit, input, variable, name]: readonly (string | undefined)[]): Place {
  return { index, every, digit, input, variable, name };
}

/** The argument names in Claude Code's field `arguments`. */
function namesOf(value: unknown): readonly string[] {
  const names = typeof value === "string" ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return names.filter((name) => typeof name === "string" && /^[A-Za-z_]\w*$/.test(name));
}

function putVariables(text: string, variables: Variables): string {
  return text.replace(/\$\{([A-Za-z_]+)\}/g, (whole, name: string) => variableOf(name, variables) ?? whole);
}

function variableOf(name: string, variables: Variables): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

function commandsIn(prompt: string, provider: ProviderType): Iterable<RegExpExecArray> {
  // Copilot's prompts run nothing: there, this is a piece of code like any other.
  if (provider === "copilot") return [];
  return prompt.matchAll(provider === "claude" ? CLAUDE_COMMAND : COMMAND);
}

/** The paths that a prompt names outside its commands and blocks of code. */
function* pathsOf(prompt: string, provider: ProviderType, variables: Variables): Generator<string> {
  const outside = prompt.replace(COMMAND, "").replace(/```[\s\S]*?```/g, "");
  for (const { 0: whole, 1: quoted, 2: plain = "", index } of outside.matchAll(FILE)) {
    // The beginning of `a/../b` is not the folder that is meant.
    if (/^\.+\//.test(outside.slice(index + whole.length, index + whole.length + 4))) continue;
    const path = provider === "claude" ? (quoted ?? plain) : plain;
    if (path !== "") yield putVariables(path, variables);
  }
}
