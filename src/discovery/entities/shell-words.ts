/** A word of a command line, without its quotes. */
export interface ShellWord {
  /** With {@link UNKNOWN} for what only a run knows. */
  readonly text: string;
  /** The numbers of the places in it. */
  readonly places: readonly number[];
}

/** A program with its arguments; redirections and reserved words are left out. */
export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  /** Whether a pipe ends in it, or in a group that it is part of. */
  readonly isPiped: boolean;
  /** How many places precede it. */
  readonly placesBefore: number;
}

/** How the shell reads a place. */
export interface PlaceInText {
  /** The quote around it, if there is one. */
  readonly mark: Quote;
  /** Whether no quoting makes a value safe there. */
  readonly isUncertain: boolean;
}

/** Where a text has a place: from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

type Quote = "'" | '"' | "";

/** Stands for a place or a substitution in the text of a word. */
export const UNKNOWN = "\0";

/**
 * Reads a command line as a shell does, once from its start to its end. A place is skipped as a whole: the shell never sees
 * its text, such as the apostrophe in a hint. What a substitution, a comment or a here-document holds is skipped, too, and
 * every place from there on is uncertain. Pure.
 */
export function readShellWords(
  text: string,
  spans: readonly Span[],
): { readonly commands: readonly SimpleCommand[]; readonly places: readonly PlaceInText[] } {
  const reader = new WordReader(text, spans);
  reader.read();
  const places = reader.isUnreadable ? reader.places.map((place) => ({ ...place, isUncertain: true })) : reader.places;
  return { commands: reader.commands, places };
}

/** Groups of commands, which have one input together. */
const OPENERS: Readonly<Record<string, string>> = {
  "{": "}",
  if: "fi",
  while: "done",
  until: "done",
  for: "done",
  select: "done",
  case: "esac",
};

/** Words after which another command begins. */
const PREFIXES: ReadonlySet<string> = new Set(["{", "if", "while", "until", "then", "else", "elif", "do", "!"]);

const CLOSERS: ReadonlySet<string> = new Set(Object.values(OPENERS));

class WordReader {
  readonly commands: SimpleCommand[] = [];
  readonly places: PlaceInText[] = [];
  /** Whether a substitution has no end, so that what follows it is not known. */
  isUnreadable = false;
  readonly #text: string;
  readonly #spans: readonly Span[];
  #at = 0;
  #quote: Quote = "";
  #isUncertain = false;
  #word: { text: string; isPlain: boolean; readonly places: number[] } | undefined;
  #words: ShellWord[] = [];
  #placesBefore = 0;
  #isPiped = false;
  /** Whether a pipe still has no program: a line may end there. */
  #isPipeOpen = false;
  readonly #groups: { readonly closer: string; readonly isPiped: boolean }[] = [];
  /** Whether the next word is the target of a redirection. */
  #target: "none" | "file" | "here-document" = "none";
  #hereDocuments: string[] = [];

  constructor(text: string, spans: readonly Span[]) {
    this.#text = text;
    this.#spans = spans;
  }

  read(): void {
    while (this.#at < this.#text.length) {
      const number = this.places.length;
      const span = this.#spans[number];
      if (span === undefined || span.start > this.#at) this.#readNext(span?.start === this.#at + 1);
      else {
        const isSkipped = span.start < this.#at;
        this.places.push({ mark: this.#quote, isUncertain: this.#isUncertain || isSkipped });
        if (isSkipped) continue;
        this.#add(UNKNOWN).places.push(number);
        this.#at = span.end;
      }
    }
    this.#endCommand();
    while (this.places.length < this.#spans.length) this.places.push({ mark: "", isUncertain: true });
  }

  #readNext(isBeforePlace: boolean): void {
    const character = this.#text.charAt(this.#at);
    if (this.#quote !== "'" && this.#skipSubstitution(character)) return;
    this.#at++;
    // "$" would make the quote that follows it another kind of quote.
    if (isBeforePlace && this.#quote !== "'" && /[$\\]/.test(character)) this.#isUncertain = true;
    if (this.#quote !== "'" && character === "\\") {
      // Before the end of a line, it joins two lines.
      if (this.#text[this.#at] !== "\n") this.#add(this.#text.charAt(this.#at)).isPlain = false;
      this.#at++;
    } else if (character === this.#quote) this.#quote = "";
    else if (this.#quote !== "") this.#add(character);
    else if (character === "'" || character === '"') {
      this.#quote = character;
      this.#add("").isPlain = false;
    } else this.#readPlain(character);
  }

  #add(text: string): { text: string; isPlain: boolean; readonly places: number[] } {
    this.#word ??= { text: "", isPlain: true, places: [] };
    this.#word.text += text;
    return this.#word;
  }

  /** Skips what only a run knows, and what is no command. */
  #skipSubstitution(character: string): boolean {
    const rest = this.#text.slice(this.#at, this.#at + 2);
    const isComment = character === "#" && this.#quote === "" && this.#word === undefined;
    const isVariable = rest === "${" && this.#plainVariableEnd() !== undefined;
    if (!isComment && (isVariable || !(character === "`" || /^\$[({'"]/.test(rest)))) return false;
    this.#isUncertain = true;
    if (isComment) this.#at = endOf(this.#text.indexOf("\n", this.#at), this.#text);
    else {
      this.#add(UNKNOWN).isPlain = false;
      // Between double quotes, only the first two are substitutions.
      const isQuote = /['"]/.test(rest.charAt(1)) && character === "$";
      const end = isQuote && this.#quote === '"' ? this.#at + 1 : endOfSubstitution(this.#text, this.#at);
      this.isUnreadable ||= end === undefined;
      this.#at = end ?? this.#text.length;
    }
    return true;
  }

  #plainVariableEnd(): string | undefined {
    return /^\{\w+\}/.exec(this.#text.slice(this.#at + 1, this.#at + 200))?.[0];
  }

  #readPlain(character: string): void {
    const next = this.#text.charAt(this.#at);
    if (/[<>]/.test(character) || (character === "&" && next === ">")) this.#readRedirection(character);
    else if (character === "(") {
      this.#endCommand();
      this.#open(")");
    } else if (character === ")") {
      this.#endCommand();
      this.#close(")");
      this.#isPiped = this.#inputIsPiped();
    } else if (character === "|" && next !== "|") {
      this.#endCommand();
      if (next === "&") this.#at++;
      this.#isPiped = true;
      this.#isPipeOpen = true;
    } else if (/[;&|\n]/.test(character)) this.#readSeparator(character);
    else if (/\s/.test(character)) this.#endWord();
    else this.#add(character);
  }

  #readSeparator(character: string): void {
    this.#endCommand();
    if (this.#text[this.#at] === character && character !== "\n") this.#at++;
    if (character === "\n") this.#skipHereDocuments();
    if (character !== "\n" || !this.#isPipeOpen) this.#isPiped = this.#inputIsPiped();
  }

  #inputIsPiped(): boolean {
    return this.#groups.at(-1)?.isPiped ?? false;
  }

  #open(closer: string): void {
    this.#groups.push({ closer, isPiped: this.#isPiped });
    this.#isPipeOpen = false;
  }

  #close(closer: string): void {
    if (this.#groups.at(-1)?.closer === closer) this.#groups.pop();
  }

  #readRedirection(character: string): void {
    // A number before it is that of a file: 2>&1.
    if (this.#word?.isPlain === true && /^\d+$/.test(this.#word.text) && character !== "&") this.#word = undefined;
    this.#endWord();
    const [operator = ""] =
      /^(?:&>>?|<<<|<<-?|<[&>]?|>[>|&]?)/.exec(this.#text.slice(this.#at - 1, this.#at + 2)) ?? [];
    this.#at += operator.length - 1;
    const isProcess = this.#text[this.#at] === "(";
    if (isProcess || operator.startsWith("<<")) this.#isUncertain = true;
    if (isProcess) {
      this.#at++;
      this.#endCommand();
      this.#isPiped = true;
      this.#open(")");
    } else this.#target = /^<<-?$/.test(operator) ? "here-document" : "file";
  }

  #endWord(): void {
    const word = this.#word;
    if (word === undefined) return;
    this.#word = undefined;
    const target = this.#target;
    this.#target = "none";
    if (target === "here-document") this.#hereDocuments.push(word.text);
    if (target !== "none") return;
    if (this.#words.length > 0 || !word.isPlain || !this.#isReserved(word.text)) {
      if (this.#words.length === 0) this.#placesBefore = word.places[0] ?? this.places.length;
      this.#words.push(word);
      this.#isPipeOpen = false;
    }
  }

  /** Follows the groups. A word that another command may follow is none of the command's. */
  #isReserved(text: string): boolean {
    const closer = Object.hasOwn(OPENERS, text) ? OPENERS[text] : undefined;
    if (closer !== undefined) this.#open(closer);
    if (CLOSERS.has(text)) this.#close(text);
    return PREFIXES.has(text) || CLOSERS.has(text);
  }

  #endCommand(): void {
    this.#endWord();
    this.#target = "none";
    const [words, isPiped, placesBefore] = [this.#words, this.#isPiped, this.#placesBefore];
    if (words.length > 0) this.commands.push({ words, isPiped, placesBefore });
    this.#words = [];
  }

  #skipHereDocuments(): void {
    for (const delimiter of this.#hereDocuments) {
      while (this.#at < this.#text.length) {
        const end = endOf(this.#text.indexOf("\n", this.#at), this.#text);
        const line = this.#text.slice(this.#at, end);
        this.#at = end + 1;
        if (line.replace(/^\t+/, "") === delimiter) break;
      }
    }
    this.#hereDocuments = [];
  }
}

function endOf(index: number, text: string): number {
  return index === -1 ? text.length : index;
}

/** The place after a substitution; undefined if it has no end. */
function endOfSubstitution(text: string, start: number): number | undefined {
  if (text[start] === "`") return endOfQuote(text, start + 1, "`");
  const open = text.charAt(start + 1);
  if (open === "'") return endOfQuote(text, start + 2, "'");
  // The quote after the "$" is read as any other.
  if (open === '"') return start + 1;
  const close = open === "(" ? ")" : "}";
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") at++;
    else if (character === "'") at = endOf(text.indexOf("'", at + 1), text);
    else if (character === '"') at = (endOfQuote(text, at + 1, '"') ?? text.length) - 1;
    else if (character === open) depth++;
    else if (character === close && --depth === 0) return at + 1;
  }
  return undefined;
}

function endOfQuote(text: string, from: number, quote: string): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at + 1;
  }
  return undefined;
}
