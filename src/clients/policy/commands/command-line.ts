import { type SplitCommandLine, splitCommandLine } from "../shell/split-command-line.ts";
import { collapseBlanks, commandCandidates, lineReadings } from "./command-candidates.ts";
import { CommandGlob, foldCase, matchesCommandGlob, mayMatchWithin, type StepCounter } from "./command-glob.ts";
import type { CommandRisk } from "./command-risk.ts";
import { findCommandRisks } from "./find-command-risks.ts";
import { findFolderRisks } from "./folder-risks.ts";

/** One command of a line, as allow rules are compared with it. */
export interface JudgedCommand {
  readonly text: string;
  /** What a rule must spell out. */
  readonly risks: readonly CommandRisk[];
}

/**
 * A command line that is parsed on first use, and only once.
 *
 * 1. A line longer than `splitCommandLine` allows is not parsed.
 * 2. `findRestricted` finds at least what comparing a glob with each of `commandCandidates` would find.
 */
export class CommandLine {
  readonly #text: string;
  /** Character comparisons so far, for tests. */
  readonly steps: StepCounter = { count: 0 };
  #split: SplitCommandLine | undefined;
  readonly #commands = new Map<string, readonly JudgedCommand[]>();
  #candidates: readonly string[] | undefined;
  /** The candidates, case-folded. */
  #folded: readonly string[] | undefined;
  #readings: readonly string[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The result of {@link splitCommandLine}. */
  get split(): SplitCommandLine {
    if (this.#split === undefined) {
      this.#split = splitCommandLine(this.#text);
      this.steps.count += this.#split.steps;
    }
    return this.#split;
  }

  /** The commands of a line that is not opaque, as a shell in this absolute folder runs them. */
  commandsIn(workingDirectory: string): readonly JudgedCommand[] {
    const known = this.#commands.get(workingDirectory);
    if (known !== undefined) return known;
    const commands = this.split.isOpaque ? [] : this.split.commands;
    const folders = findFolderRisks(commands, workingDirectory);
    const judged = commands.map((command, index) => ({
      text: command.text,
      risks: [...findCommandRisks(command, workingDirectory), ...(folders[index] ?? [])],
    }));
    this.#commands.set(workingDirectory, judged);
    return judged;
  }

  /** The result of {@link commandCandidates}; for a line that is too long, the line itself. */
  get candidates(): readonly string[] {
    this.#candidates ??= this.#isTooLong ? [this.#text] : commandCandidates(this.#text);
    return this.#candidates;
  }

  /** The text that a glob of a `deny` or `ask` rule matches; for a line that is too long, a clause about it. */
  findRestricted(glob: string): string | undefined {
    if (this.#isTooLong) {
      this.#readings ??= lineReadings(this.#text).map((text) => foldCase(collapseBlanks(text)));
      return this.#readings.some((text) => mayMatchWithin(foldCase(glob), text, this.steps)) ? this.#text : undefined;
    }
    this.#folded ??= this.candidates.map(foldCase);
    const pattern = new CommandGlob(foldCase(glob));
    const index = this.#folded.findIndex((text) => pattern.matches(text, { otherwise: true, steps: this.steps }));
    return index === -1 ? undefined : this.candidates[index];
  }

  /** Whether a glob allows one of the commands. */
  allows(glob: string, { text, risks }: JudgedCommand): boolean {
    if (glob === text) return true;
    return matchesCommandGlob(glob, text, { spelledOut: risks, steps: this.steps });
  }

  get #isTooLong(): boolean {
    return this.split.obstacles.includes("too-long");
  }
}
