import type { DiscoveryProblem } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { formatProblem } from "../loading/workflow-errors.ts";

/** More problems than a person reads. */
export const MAX_SHOWN_PROBLEMS = 20;

/** The longest line about a problem, in columns. */
const MAX_COLUMNS = 2_000;

/** Prints problems of files, a line each. */
export class ProblemPrinter {
  readonly #stderr: CliEnvironment["stderr"];
  readonly #command: string;
  #count = 0;

  /** @param command prints all problems */
  constructor({ stderr }: Pick<CliEnvironment, "stderr">, command: string) {
    this.#stderr = stderr;
    this.#command = command;
  }

  /** Prints problems at once, as long as there are not too many; of too many, the errors first. */
  print(problems: readonly DiscoveryProblem[]): void {
    const errors = problems.filter(({ severity }) => severity === "error");
    const isCut = this.#count + problems.length > MAX_SHOWN_PROBLEMS;
    for (const problem of isCut ? new Set([...errors, ...problems]) : problems) {
      if (++this.#count > MAX_SHOWN_PROBLEMS) continue;
      this.#stderr.write(`${problem.severity}: ${safeLine(formatProblem(problem), MAX_COLUMNS)}\n`);
    }
  }

  /** Says how many problems were left out. */
  end(): void {
    const left = this.#count - MAX_SHOWN_PROBLEMS;
    if (left > 0) this.#stderr.write(`and ${left} more: ${this.#command}\n`);
  }
}

/** Prints problems, and how to see those that are too many. */
export function printProblems(
  environment: Pick<CliEnvironment, "stderr">,
  problems: readonly DiscoveryProblem[],
  command: string,
): void {
  const printer = new ProblemPrinter(environment, command);
  printer.print(problems);
  printer.end();
}
