/**
 * Options by name, with the reason why they require approval. `-x` is a short option, also within `-axb`; `--long` also
 * matches its abbreviations and `--long=value`; `-word` matches only as a whole, `-word=value`, `-word:value` and `--word`
 * included. `_` counts as `-`.
 */
export type RiskyOptions = Readonly<Record<string, string>>;

/** Options that set something by name, such as `git -c name=value`. */
export interface RiskySettings {
  readonly options: readonly string[];
  /** Names that cannot run a program. */
  readonly harmless: RegExp;
  readonly reason: string;
  /** `harmless` is about the whole value: the option sets nothing by name. @default false */
  readonly isValue?: boolean;
}

/** Operands by their form. */
export interface RiskyOperands {
  readonly pattern: RegExp;
  readonly reason: string;
  /** Options are looked through as well, for they hold values: `-cVALUE`. @default false */
  readonly isWithinOptions?: boolean;
  /** Of a subcommand: forms of it, with all that follows, that are harmless. */
  readonly exempt?: RegExp;
}

/** Operands behind those that a program reads: files that it writes. */
export interface OutputOperands {
  /** So many operands are read. */
  readonly after: number;
  /** Options that take their value from the next word. */
  readonly valued: readonly string[];
  readonly reason: string;
  /** Operands that are harmless. */
  readonly exempt?: RegExp;
}

/** What of a program, or of one of its subcommands, requires approval. */
export interface RiskyArguments {
  readonly options?: RiskyOptions;
  /** Short options that take a value: what follows them in the same word is no option. */
  readonly valued?: string;
  /** Options without a risk that begin like one with a risk, or like its abbreviation. */
  readonly harmless?: readonly string[];
  /** What stands behind a single dash is one word, never several short options. @default false */
  readonly hasOnlyWords?: boolean;
  /** Words behind a single dash may be abbreviated. @default false */
  readonly hasAbbreviatedWords?: boolean;
  readonly settings?: RiskySettings;
  /** Operands that require approval, wherever they stand. */
  readonly operands?: RiskyOperands;
  /** Subcommands that require approval: first operands. */
  readonly commands?: RiskyOperands;
  /** First operands behind which another subcommand follows: `docker container run`. */
  readonly groups?: RegExp;
  /** Every argument requires approval, unless all are of the `exempt` form. */
  readonly everything?: { readonly reason: string; readonly exempt?: RegExp };
}

/** A program that runs the command that its operands are. */
export interface Wrapper {
  /** Options, short or long, that take their value from the next word. */
  readonly valued: readonly string[];
  /** Options without a value. With any other option, all words of the command require approval. */
  readonly flags: readonly string[];
  /** So many operands stand before the command. @default 0 */
  readonly operands?: number;
  /** `NAME=value` stands before the command. @default false */
  readonly hasAssignments?: boolean;
  /** It adds arguments that the line does not show. @default false */
  readonly addsArguments?: boolean;
  /** These alone make it a query that runs nothing. */
  readonly queries?: readonly string[];
  /** The command's name needs no approval of its own; its options do. @default false */
  readonly isOpen?: boolean;
}

/** A program of which some arguments run other programs. */
export interface RiskyProgram extends RiskyArguments {
  readonly names: readonly string[];
  readonly subcommands?: Readonly<Record<string, RiskyArguments>>;
  /** What holds for the subcommands that are not listed. @default nothing requires approval */
  readonly otherSubcommands?: RiskyArguments;
  /** Options in front of the subcommand that take their value from the next word. */
  readonly valuedBefore?: readonly string[];
  /** Options in front of the subcommand without a value. Any other there requires approval, with all that follows. */
  readonly flagsBefore?: readonly string[];
  /** Names the folder to work in, in the next word. With a folder of the project, in front of all else, it is harmless. */
  readonly folderOption?: string;
  readonly outputs?: OutputOperands;
  readonly wrapper?: Wrapper;
  /** What follows the first operand, a script, belongs to that. @default false */
  readonly stopsAtScript?: boolean;
  /** The first word may be short options without a dash: `tar xzf`. @default false */
  readonly hasBareOptions?: boolean;
  /** An operand, or an option's value, is a program in this language. */
  readonly script?: "sed" | "awk" | "test" | "printf";
}

/** Nothing in it runs a program. */
export const HARMLESS: RiskyArguments = {};

/** Options that all share one reason. */
export function risky(reason: string, names: string): RiskyOptions {
  return Object.fromEntries(namesIn(names).map((name) => [name, reason]));
}

/** The names in a text, with blanks between them. */
export function namesIn(text: string): readonly string[] {
  return text.split(" ").filter((name) => name !== "");
}
