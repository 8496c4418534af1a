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

/**
 * Every text within the line that could be a command, however it is nested: the strict counterpart of
 * {@link splitCommandLine}, for rules that forbid. Leading assignments are dropped and blanks collapsed.
 */
export function commandCandidates(line: string): readonly string[] {
  const pieces = line.split(/[;&|\n\r`(){}<>"']|\$\(/);
  const texts = [line, ...splitCommandLine(line).parts, ...pieces].map((text) => text.trim().replace(/\s+/g, " "));
  const withoutAssignments = texts.map((text) => text.replace(/^(?:[A-Za-z_]\w*=\S* )+/, ""));
  return [...new Set([...texts, ...withoutAssignments])].filter((text) => text !== "");
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
  return character === "#" && (part === "" || /\s$/.test(part));
}
