import { Command, type ErrorOptions } from "commander";
import { nearestName } from "../contracts/index.ts";

/** Options that make a call less safe. A guess must not lead anybody to them. */
const RISKY_OPTIONS: readonly string[] = ["--yolo", "--allow", "--trust", "--force"];

/** A command of `atomic`. It suggests an option that makes a call less safe only for an obvious misspelling of it. */
export class AtomicCommand extends Command {
  override createCommand(name?: string): AtomicCommand {
    return new AtomicCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    const isUnknownOption = options?.code === "commander.unknownOption";
    return super.error(isUnknownOption ? withoutRiskyGuess(message) : message, options);
  }
}

/** The message of commander: `error: unknown option '--x'`, and perhaps a line `(Did you mean --y?)` or `(… one of --y, --z?)`. */
function withoutRiskyGuess(message: string): string {
  const [, typed = "", guesses] =
    /^error: unknown option '(.*)'\n\(Did you mean (?:one of )?(.*)\?\)$/s.exec(message) ?? [];
  if (guesses === undefined) return message;
  const left = guesses.split(", ").filter((guess) => !RISKY_OPTIONS.includes(guess) || isMisspelling(typed, guess));
  const [first = "", ...others] = left;
  const meant = others.length === 0 ? first : `one of ${left.join(", ")}`;
  return `error: unknown option '${typed}'${meant === "" ? "" : `\n(Did you mean ${meant}?)`}`;
}

/** Whether the first letter is right, and about one in three at most is wrong. */
function isMisspelling(typed: string, option: string): boolean {
  const [word, meant] = [typed.slice(2), option.slice(2)];
  return word[0] === meant[0] && nearestName(word, [meant]) === meant;
}
