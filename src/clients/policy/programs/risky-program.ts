/**
 * Options by name, with the reason why they require approval. `-x` is a short option, also within `-axb`; `--long` also
 * matches its abbreviations and `--long=value`; `-word` matches only as a whole word, including `-word=value`,
 * `-word:value` and `--word`. `_` counts as `-`.
 */
export type RiskyOptions = Readonly<Record<string, string>>;

/** Options that set something by name, such as `git -c name=value`. */
export interface RiskySettings {
  readonly options: readonly string[];
  /** Names that cannot run a program. */
  readonly harmless: RegExp;
  readonly reason: string;
  /** `harmless` describes the whole value: the option sets nothing by name. @default false */
  readonly isValue?: boolean;
}

/** Operands by their form. */
export interface RiskyOperands {
  readonly pattern: RegExp;
  readonly reason: string;
  /** Options are examined as well, because they contain values: `-cVALUE`. @default false */
  readonly isWithinOptions?: boolean;
  /** For a subcommand: harmless forms of it, with all words after it. */
  readonly exempt?: RegExp;
}

/** Operands after those that a program reads: files that it writes. */
export interface OutputOperands {
  /** How many operands the program reads. */
  readonly after: number;
  /** Options that take their value from the next word. */
  readonly valued: readonly string[];
  readonly reason: string;
  /** Operands that are harmless. */
  readonly exempt?: RegExp;
}

/** What requires approval in a program or one of its subcommands. */
export interface RiskyArguments {
  readonly options?: RiskyOptions;
  /** Short options that take a value: the rest of the word is not an option. */
  readonly valued?: string;
  /** Options without a risk that share a prefix with a risky one or its abbreviation. */
  readonly harmless?: readonly string[];
  /** The text after a single dash is one word, never several short options. @default false */
  readonly hasOnlyWords?: boolean;
  /** Words after a single dash may be abbreviated. @default false */
  readonly hasAbbreviatedWords?: boolean;
  readonly settings?: RiskySettings;
  /** Operands that require approval in any position. */
  readonly operands?: RiskyOperands;
  /** Subcommands that require approval: first operands. */
  readonly commands?: RiskyOperands;
  /** First operands that another subcommand follows: `docker container run`. */
  readonly groups?: RegExp;
  /** Every argument requires approval, unless all are of the `exempt` form. */
  readonly everything?: { readonly reason: string; readonly exempt?: RegExp };
}

/** A program that runs the command in its operands. */
export interface Wrapper {
  /** Options, short or long, that take their value from the next word. */
  readonly valued: readonly string[];
  /** Options without a value. With any other option, all words of the command require approval. */
  readonly flags: readonly string[];
  /** How many operands precede the command. @default 0 */
  readonly operands?: number;
  /** `NAME=value` may precede the command. @default false */
  readonly hasAssignments?: boolean;
  /** It adds arguments that the line does not show. @default false */
  readonly addsArguments?: boolean;
  /** These alone make it a query that runs nothing. */
  readonly queries?: readonly string[];
  /** The command's name needs no approval of its own; its options do. @default false */
  readonly isOpen?: boolean;
}

/** A program with arguments that run other programs. */
export interface RiskyProgram extends RiskyArguments {
  readonly names: readonly string[];
  readonly subcommands?: Readonly<Record<string, RiskyArguments>>;
  /** Applies to subcommands that are not listed. @default nothing requires approval */
  readonly otherSubcommands?: RiskyArguments;
  /** Options before the subcommand that take their value from the next word. */
  readonly valuedBefore?: readonly string[];
  /** Options before the subcommand without a value. Any other there requires approval, with all words after it. */
  readonly flagsBefore?: readonly string[];
  /** Names the working folder in the next word. Harmless as the first option, with a folder of the project. */
  readonly folderOption?: string;
  readonly outputs?: OutputOperands;
  readonly wrapper?: Wrapper;
  /** Words after the first operand, a script, belong to the script. @default false */
  readonly stopsAtScript?: boolean;
  /** The first word may be short options without a dash: `tar xzf`. @default false */
  readonly hasBareOptions?: boolean;
  /** An operand, or an option's value, is a program in this language. */
  readonly script?: "sed" | "awk" | "test" | "printf";
}

/** Nothing in it runs a program. */
export const HARMLESS: RiskyArguments = {};

/** Options that share one reason. */
export function risky(reason: string, names: string): RiskyOptions {
  return Object.fromEntries(namesIn(names).map((name) => [name, reason]));
}

/** The names in a text, separated by blanks. */
export function namesIn(text: string): readonly string[] {
  return text.split(" ").filter((name) => name !== "");
}
