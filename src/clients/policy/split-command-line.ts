/** What keeps the commands of a line from being told apart for certain. */
export type CommandLineObstacle =
  | "substitution"
  | "redirection"
  | "group"
  | "comment"
  | "open-quote"
  /** A quote that one shell ends where another goes on. */
  | "ambiguous-quote"
  /** A backslash at the end of a line, which joins what stands on both sides of it. */
  | "continuation"
  | "empty";

/** A shell command line, taken apart as far as that is safe. */
export interface SplitCommandLine {
  /** The simple commands, in order, without the operators between them. */
  readonly parts: readonly string[];
  /** True when there are obstacles. `parts` must then not be trusted for allowing anything. */
  readonly isOpaque: boolean;
  /** Each kind once, in the order of the line. */
  readonly obstacles: readonly CommandLineObstacle[];
}

/** What may stand between the `$` and the `[` of a subscript: a name, a parameter of one sign, zsh's flags before them. */
const NAME_CHARACTER = /[\w#+^=~*@?!\u0080-\uffff-]/;

/**
 * Splits a command line at `;`, `&`, `&&`, `|`, `||` and line ends outside of quotes. It errs towards `isOpaque`: a line
 * that any of sh, bash, zsh or fish could read as more commands than `parts` shows must come out opaque.
 */
export function splitCommandLine(line: string): SplitCommandLine {
  const parts: string[] = [];
  const obstacles = new Set<CommandLineObstacle>(line.trim() === "" ? ["empty"] : []);
  let part = "";
  let quote: "'" | '"' | undefined;
  let isExpanding = false;
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    const next = line.charAt(index + 1);
    if (isSubstitution(character, next, quote)) obstacles.add("substitution");
    // What $[…] and, in zsh, $name[…] hold is executed although single quotes stand around it.
    if (isExpanding && character === "[" && quote !== "'") obstacles.add("substitution");
    isExpanding = character === "$" || (isExpanding && NAME_CHARACTER.test(character));
    if (character === "\\" && next === "\n" && quote !== "'") obstacles.add("continuation");
    if (quote !== undefined) {
      part += character;
      if (character === quote) quote = undefined;
      else if (character === "\\" && quote === '"') part += line.charAt(++index);
      // bash ends the quote at \' where fish goes on.
      else if (character === "\\" && next === "'") obstacles.add("ambiguous-quote");
    } else if (character === "\\") {
      part += character + line.charAt(++index);
    } else if (character === "'" || character === '"') {
      quote = character;
      part += character;
    } else if (";&|\n\r".includes(character)) {
      parts.push(part);
      part = "";
    } else {
      if ("<>".includes(character)) obstacles.add("redirection");
      if ("()".includes(character)) obstacles.add("group");
      if (startsComment(character, part)) obstacles.add("comment");
      part += character;
    }
  }
  parts.push(part);
  if (quote !== undefined) obstacles.add("open-quote");
  return {
    parts: parts.map(trimBlanks).filter((text) => text !== ""),
    isOpaque: obstacles.size > 0,
    obstacles: [...obstacles],
  };
}

/** What may stand in front of a command's name, blanks collapsed: words of the shell, programs that run what follows … */
const PREFIX_WORD =
  /^(?:!|do|then|else|elif|if|while|until|time|coproc|command|builtin|exec|eval|env|sudo|doas|nohup|nice|setsid|timeout|xargs) /i;

/** … assignments, and redirections. */
const PREFIX_SETTING = /^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=\S*|[\d&]*[<>]+\|? ?\S+) /;

/** What a program that runs another one is told first. */
const PREFIX_OPTION = /^(?:-\S*|[\d.]+[smhd]?) /;

/** So many of them are taken away, so that a line of nothing else costs no time. */
const MAX_PREFIXES = 20;

/**
 * Every text within the line that could be a command, however it is nested: the strict counterpart of
 * {@link splitCommandLine}, for rules that forbid. Blanks are collapsed. Each text is there as it stands, without its
 * quotes and backslashes, and without what stands in front of the command's name: assignments, redirections, words such
 * as `then`, and programs such as `sudo` with their options.
 *
 * These are texts and no more. What a command does otherwise stays out of reach: `/bin/rm`, `git -C . push`,
 * `rm${IFS}-rf`, an alias, a script.
 */
export function commandCandidates(line: string): readonly string[] {
  const joined = line.replace(/\\\r?\n/g, "").replace(/\d*[<>]&[\d-]+/g, " ");
  const texts = [...new Set([line, joined])].flatMap((version) => [
    version,
    ...splitCommandLine(version).parts,
    ...version.split(/[;&|\n\r`(){}<>"']|\$\(/),
    ...version.split(/ -(?:exec|ok)(?:dir)? /), // of `find`
  ]);
  const unquoted = texts.map((text) => text.replace(/\$(?=["'])|["'\\]/g, ""));
  const collapsed = new Set([...texts, ...unquoted].map((text) => text.trim().replace(/\s+/g, " ")));
  return [...new Set([...collapsed].flatMap(withoutPrefixes))].filter((text) => text !== "");
}

/** A command line that is taken apart when somebody asks for it, and only once. */
export class CommandLine {
  readonly #text: string;
  #split: SplitCommandLine | undefined;
  #candidates: readonly string[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** What {@link splitCommandLine} says. */
  get split(): SplitCommandLine {
    this.#split ??= splitCommandLine(this.#text);
    return this.#split;
  }

  /** What {@link commandCandidates} says. */
  get candidates(): readonly string[] {
    this.#candidates ??= commandCandidates(this.#text);
    return this.#candidates;
  }
}

/** The text itself, and what is left of it after each of its prefixes. */
function withoutPrefixes(text: string): readonly string[] {
  const forms = [text];
  let rest = text;
  let isOption = false;
  for (let count = 0; count < MAX_PREFIXES; count++) {
    const prefix = PREFIX_WORD.exec(rest) ?? PREFIX_SETTING.exec(rest);
    const option = count > 0 && prefix === null ? PREFIX_OPTION.exec(rest) : null;
    // An option may have an argument: `sudo -u root rm`.
    const taken = prefix ?? option ?? (isOption ? /^\S+ /.exec(rest) : null);
    if (taken === null) break;
    isOption = option !== null;
    rest = rest.slice(taken[0].length);
    forms.push(rest);
  }
  return forms;
}

function isSubstitution(character: string, next: string, quote: "'" | '"' | undefined): boolean {
  if (quote === "'") return false;
  if (character === "`") return true;
  return character === "$" && (next === "(" || next === "{" || (next === "'" && quote === undefined));
}

/** To a shell other white space, such as U+00A0, is part of a word. */
function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+/, "").replace(/(?<![ \t])[ \t]+$/, "");
}

/** A `#` at the start of a word begins a comment, in which quotes mean nothing. */
function startsComment(character: string, part: string): boolean {
  return character === "#" && (part === "" || /\s/.test(part.slice(-1)));
}
