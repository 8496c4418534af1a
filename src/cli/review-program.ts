import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import type { ExitCode } from "./exit-code.ts";
import { type Finish, hereOrDetached, withRunOptions } from "./program-options.ts";

const DETAILS = `
The changes are those of the working tree, files that git does not track included, since BASE; without BASE, since the
branch left the main branch. Reviewers can only read, whatever --allow and --yolo say; these apply to --fix.

Exit codes: 0 passed, 1 findings of the --severity or worse, or the review failed, 2 usage error.`;

/** Adds `atomic review`. */
export function addReviewCommand(program: Command, environment: CliEnvironment, finish: Finish): void {
  withRunOptions(program.command("review [base]"))
    .description("review the changes of this branch, and have another agent check each finding")
    .addHelpText("after", DETAILS)
    .option("--reviewers <names>", "who reviews, separated by commas: bugs, security, tests, simplicity; bugs@claude")
    .option("--agents <names>", "the agents that share the work, separated by commas (default: the one of --agent)")
    .option("--severity <severity>", "fail from this severity on: critical, high, medium, low or none (default: high)")
    .option("--format <format>", "print the result as text, markdown, json or sarif (default: text)")
    .option("--output <file>", "write the result to a file")
    .option("--fix", "have an agent correct the confirmed findings")
    .option("--resume <run>", "resume an earlier review")
    .action(async (base: string | undefined, flags) => {
      const here = async (): Promise<ExitCode> => {
        const { reviewCommand } = await import("./commands/review-command.ts");
        return await reviewCommand(environment, base, flags);
      };
      finish(await hereOrDetached(environment, { flags, run: flags.resume }, here));
    });
}
