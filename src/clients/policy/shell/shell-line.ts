/** Why the commands of a line cannot be determined. */
export type CommandLineObstacle =
  | "substitution"
  /** A substitution after a `[`: builtins evaluate subscripts, even in single quotes. */
  | "subscript"
  | "redirection"
  | "group"
  | "comment"
  | "open-quote"
  /** A quote that one shell ends where another continues it. */
  | "ambiguous-quote"
  /** A backslash at the end of a line, which joins the texts on both sides of it. */
  | "continuation"
  /** Operators that a list of simple commands cannot contain, such as `;;` and `|&`. */
  | "operator"
  /** `!` before a word: interactive shells put an earlier command there. */
  | "history"
  /** A control character, or a blank that only some shells split at. */
  | "control-character"
  /** A word such as `if`, which begins more than a simple command. */
  | "reserved-word"
  /** The name of the program is not plain text. */
  | "command-name"
  | "too-long"
  | "too-many-commands"
  | "empty";

/** One word of a simple command. */
export interface ShellWord {
  /** As written in the line, quotes included. */
  readonly raw: string;
  /** Its position in the text of its command. */
  readonly start: number;
  readonly end: number;
  /** Without quotes and backslashes. The program receives exactly this if `isLiteral`. */
  readonly value: string;
  /** False if only a running shell knows the value: a variable, a glob, a brace, an escape that shells read differently. */
  readonly isLiteral: boolean;
  /** The length of the literal start of `value`. */
  readonly literalLength: number;
  /** Not literal, and only because of `*` and `?`. */
  readonly isGlob: boolean;
  /** It may become several words: an unquoted variable. */
  readonly mayDivide: boolean;
}

/** A simple command. */
export interface ShellCommand {
  /** Without surrounding blanks. */
  readonly text: string;
  readonly words: readonly ShellWord[];
}

/** A word under construction. */
interface OpenWord {
  readonly start: number;
  value: string;
  literalLength: number | undefined;
  isGlob: boolean;
  mayDivide: boolean;
}

/** What can be between the `$` and the `[` of a subscript: a name, a special parameter, zsh's flags before them. */
const NAME_CHARACTER = /[\w#+^=~*@?!\u0080-\uffff-]/;
/** What `$` expands: a name, a positional or a special parameter. */
const PARAMETER = /[\w?#$!@*-]/;
/** Control characters and DEL: terminals act on them, and shells disagree about them. Tab and line end separate words. */
const CONTROL = /(?![\t\n])\p{Cc}/u;
/** Non-ASCII blanks, line ends and invisible characters: shells and locales disagree about whether they separate words. */
const ODD_BLANK = /[\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/;
/** Unquoted and after a backslash, fish reads these as a control character or a number. */
const FISH_ESCAPE = /[abcefnrtuvxUX0-9]/;
/**
 * Redirections that change no file and mean the same to every shell: `2>&1`, and to or from `/dev/null`. `&>`, `>&` and
 * other numbers differ between shells.
 */
const HARMLESS_REDIRECTION = /^(?:2>&1|2?> ?\/dev\/null|< ?\/dev\/null)(?=[ \t\n;|]|$)/;
/** Longer than the longest of them. */
const REDIRECTION_LENGTH = 16;
/** A substitution after a `[`. */
const SUBSTITUTION = /\$[({[]|`/;

/**
 * Reads a command line as sh, bash, zsh and fish would, where they agree, in one pass: {@link ShellLineReader.read}.
 *
 * 2. Each character is read once; a word's text is read once more when it ends.
 * 2. Each character is read once; a word's text is looked through once more when it ends.
 */
export class ShellLineReader {
  readonly #line: string;
  readonly #commands: ShellCommand[] = [];
  readonly #obstacles = new Set<CommandLineObstacle>();
  #words: ShellWord[] = [];
  #word: OpenWord | undefined;
  /** After a harmless redirection, which must end the command. */
  #isRedirected = false;
  #quote: "'" | '"' | undefined;
  /** After a `$` and a possible parameter name. */
  #isExpanding = false;
  #index = 0;
  /** Characters read so far. */
  steps = 0;

  constructor(line: string) {
    this.#line = line;
  }

  /** Reads the line. Call it once. */
  read(): { readonly commands: readonly ShellCommand[]; readonly obstacles: ReadonlySet<CommandLineObstacle> } {
    for (; this.#index < this.#line.length; this.#index++) {
      this.steps++;
      const character = this.#line.charAt(this.#index);
      const next = this.#line.charAt(this.#index + 1);
      this.#look(character, next);
      if (this.#quote === "'") this.#readSingleQuoted(character, next);
      else if (this.#quote === '"') this.#readDoubleQuoted(character, next);
      else this.#readBare(character, next);
    }
    if (this.#quote !== undefined) this.#obstacles.add("open-quote");
    this.#endCommand();
    return { commands: this.#commands, obstacles: this.#obstacles };
  }

  /** Obstacles in any position. */
  #look(character: string, next: string): void {
    if (CONTROL.test(character)) this.#obstacles.add("control-character");
    if (isSubstitution(character, next, this.#quote)) this.#obstacles.add("substitution");
    // Shells execute the content of $[…] and, in zsh, of $name[…] even in single quotes.
    if (this.#isExpanding && character === "[" && this.#quote !== "'") this.#obstacles.add("substitution");
    this.#isExpanding = character === "$" || (this.#isExpanding && NAME_CHARACTER.test(character));
    if (character === "\\" && next === "\n" && this.#quote !== "'") this.#obstacles.add("continuation");
    if (character === "!" && this.#quote !== "'" && /[^\s=("']/.test(next)) this.#obstacles.add("history");
  }

  #readSingleQuoted(character: string, next: string): void {
    if (character === "'") {
      this.#quote = undefined;
      return;
    }
    // bash ends the quote at \' where fish continues it, and fish reads \\ as one backslash.
    if (character === "\\" && next === "'") this.#obstacles.add("ambiguous-quote");
    if (character === "\\" && next === "\\") this.#spoil();
    this.#add(character);
  }

  #readDoubleQuoted(character: string, next: string): void {
    if (character === '"') {
      this.#quote = undefined;
    } else if (character === "\\") {
      this.#index++;
      this.steps++;
      if (!'$`"\\'.includes(next) || next === "") this.#add("\\");
      this.#add(next);
      if (CONTROL.test(next)) this.#obstacles.add("control-character");
    } else {
      if (character === "$" && PARAMETER.test(next)) this.#spoil({ mayDivide: next === "@" });
      this.#add(character);
    }
  }

  #readBare(character: string, next: string): void {
    if (character === " " || character === "\t") {
      this.#endWord();
    } else if (";&|\n".includes(character)) {
      this.#readOperator(character, next);
    } else if (this.#skipRedirection(character)) {
      this.#isRedirected = true;
    } else if (character === "'" || character === '"') {
      this.#open();
      this.#quote = character;
    } else if (character === "\\") {
      this.#open();
      this.#index++;
      this.steps++;
      if (CONTROL.test(next) || ODD_BLANK.test(next)) this.#obstacles.add("control-character");
      if (FISH_ESCAPE.test(next)) this.#spoil();
      this.#add(next);
    } else {
      this.#readPlain(character, next);
    }
  }

  #readOperator(character: string, next: string): void {
    this.#endCommand();
    const isPair = character !== "\n" && ";&|".includes(next) && next !== "";
    if (isPair && (character === ";" || character !== next)) this.#obstacles.add("operator");
    if (isPair) this.#index++;
    const third = this.#line.charAt(this.#index + 1);
    if (isPair && third !== "" && ";&|".includes(third)) this.#obstacles.add("operator");
  }

  /** Reads a harmless redirection after a command's words. Returns whether there was one. */
  #skipRedirection(character: string): boolean {
    if (this.#word !== undefined || this.#words.length === 0 || !"2<>".includes(character)) return false;
    const ahead = this.#line.slice(this.#index, this.#index + REDIRECTION_LENGTH);
    const length = HARMLESS_REDIRECTION.exec(ahead)?.[0].length ?? 0;
    if (length === 0) return false;
    this.#index += length - 1;
    this.steps += length - 1;
    return true;
  }

  #readPlain(character: string, next: string): void {
    if ("<>".includes(character)) this.#obstacles.add("redirection");
    if ("()".includes(character)) this.#obstacles.add("group");
    if (ODD_BLANK.test(character)) this.#obstacles.add("control-character");
    const isStart = this.#word === undefined;
    // Old versions of fish use it as a redirection.
    if (isStart && character === "^") this.#obstacles.add("redirection");
    // A `#` at the start of a word begins a comment, where quotes have no meaning.
    if (isStart && character === "#") this.#obstacles.add("comment");
    if (character === "$") this.#readDollar(next);
    else if (character === "*" || character === "?") this.#spoil({ isGlob: true });
    else if (character === "[" && !(isStart && /^(?:[ \t]|$)/.test(next))) this.#spoil();
    else if (character === "{" && !(isStart && this.#isPairOfBraces())) this.#spoil();
    this.#add(character);
    // zsh replaces =name by the program's path, and every shell replaces ~ by a folder. Neither begins with a dash.
    if (isStart && (character === "~" || (character === "=" && /[\w./]/.test(next)))) this.#spoil();
  }

  #readDollar(next: string): void {
    // In zsh, flags turn a value into a glob whose qualifiers run commands; $"…" is translated.
    if (next !== "" && '~=^+"'.includes(next)) this.#obstacles.add("substitution");
    if ("?#$!".includes(next) && next !== "") this.#spoil();
    else if (PARAMETER.test(next)) this.#spoil({ mayDivide: true });
  }

  /** `{}` alone: `find` and `xargs` replace it, shells do not. */
  #isPairOfBraces(): boolean {
    return /^\{\}(?:[ \t\n;]|$)/.test(this.#line.slice(this.#index, this.#index + 3));
  }

  #open(): OpenWord {
    if (this.#word === undefined && this.#isRedirected) this.#obstacles.add("redirection");
    this.#word ??= { start: this.#index, value: "", literalLength: undefined, isGlob: true, mayDivide: false };
    return this.#word;
  }

  #add(text: string): void {
    this.#open().value += text;
  }

  /** The rest of the word's value is not literal. */
  #spoil({
    isGlob = false,
    mayDivide = false,
  }: {
    readonly isGlob?: boolean;
    readonly mayDivide?: boolean;
  } = {}): void {
    const word = this.#open();
    word.literalLength ??= word.value.length;
    word.isGlob &&= isGlob;
    word.mayDivide ||= mayDivide;
  }

  #endWord(): void {
    const word = this.#word;
    if (word === undefined) return;
    this.#word = undefined;
    const { start, value, literalLength, isGlob, mayDivide } = word;
    const bracket = value.indexOf("[");
    if (bracket >= 0 && SUBSTITUTION.test(value.slice(bracket))) this.#obstacles.add("subscript");
    this.#words.push({
      raw: this.#line.slice(start, this.#index),
      start,
      end: this.#index,
      value,
      isLiteral: literalLength === undefined,
      literalLength: literalLength ?? value.length,
      isGlob: literalLength !== undefined && isGlob,
      mayDivide,
    });
  }

  #endCommand(): void {
    this.#endWord();
    const words = this.#words;
    const [first, last] = [words[0], words.at(-1)];
    this.#words = [];
    this.#isRedirected = false;
    if (first === undefined || last === undefined) return;
    const { start } = first;
    this.#commands.push({
      text: this.#line.slice(start, last.end),
      words: words.map((word) => ({ ...word, start: word.start - start, end: word.end - start })),
    });
  }
}

function isSubstitution(character: string, next: string, quote: "'" | '"' | undefined): boolean {
  if (quote === "'") return false;
  if (character === "`") return true;
  return character === "$" && (next === "(" || next === "{" || (next === "'" && quote === undefined));
}
