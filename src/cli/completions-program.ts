import type { Command } from "commander";
import { nearestName } from "../contracts/index.ts";
import { completionScript, INSTALL_HELP, SHELLS } from "./completions/completion-script.ts";
import type { CliEnvironment } from "./environment.ts";
import { ExitCode } from "./exit-code.ts";
import type { Finish } from "./program-options.ts";

/** `atomic completions SHELL`, and the hidden command that its scripts call. */
export function addCompletionCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const completions: Command = program
    .command("completions <shell>")
    .description(`print the script that completes calls in ${SHELLS.join(", ")}`)
    .addHelpText("after", INSTALL_HELP)
    .action((name: string) => {
      const shell = SHELLS.find((known) => known === name);
      if (shell === undefined) {
        const nearest = nearestName(name, SHELLS);
        const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
        completions.error(`error: no completions for the shell '${name}'.${hint} Possible: ${SHELLS.join(", ")}.`, {
          code: "commander.invalidArgument",
        });
      }
      environment.stdout.write(completionScript(shell));
      finish(ExitCode.done);
    });
  program
    .command("__complete [words...]", { hidden: true })
    .description("print what may follow in a call: for completions")
    .option("--new-word", "the next word is still empty")
    .action(async (words: readonly string[], flags: { readonly newWord?: boolean }) => {
      const { completeCommand } = await import("./commands/complete-command.ts");
      finish(await completeCommand(environment, program, flags.newWord ? [...words, ""] : words));
    });
}
