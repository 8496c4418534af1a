import { type Command, Option } from "commander";
import type { CliEnvironment } from "./environment.ts";
import { quoteWord } from "./output/quote-word.ts";
import { collect, type Finish, failUnknown } from "./program-options.ts";

const WHY_EXIT_CODES = `
Exit codes:
  0    allowed
  1    denied
  2    usage error
  3    requires approval; denied if nobody can answer`;

/** `atomic permissions …` */
export function addPermissionCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const permissions = program.command("permissions").description("inspect and withdraw permissions");
  permissions
    .command("why [command]")
    .description("explain whether a call is allowed, and which rule decides")
    .option("--kind <kind>", "the kind of the call: read, edit, shell, fetch, mcp, agent or other (default: shell)")
    .addOption(new Option("--path <path>", "a file that the call names (repeatable)").argParser(collect))
    .option("--search", "the call searches the files below --path (default: the working directory)")
    .option("--include <glob>", "limit the search to these files")
    .option("--tool <name>", "the agent's name for the tool; without --kind, a tool unknown to Atomic")
    .addOption(new Option("--allow <permission>", "decide as with this --allow (repeatable)").argParser(collect))
    .addOption(new Option("--deny <permission>", "decide as with this --deny (repeatable)").argParser(collect))
    .option("--yolo", "decide as with --yolo")
    .option("--json", "print JSON")
    .addHelpText("after", WHY_EXIT_CODES)
    .action(async (command: string | undefined, flags) => {
      const { whyCommand } = await import("./commands/why-command.ts");
      finish(await whyCommand(environment, command, flags));
    });
  permissions
    .command("list")
    .description("list the rules in effect here, and the calls you allowed for good in this project")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listPermissionsCommand } = await import("./commands/permissions-commands.ts");
      finish(await listPermissionsCommand(environment, flags));
    });
  permissions
    .command("forget [call]")
    .description("forget the calls you allowed for good in this project: all, or one by its number or text")
    .option("--json", "print JSON")
    .action(async (call: string | undefined, flags) => {
      const { forgetPermissionsCommand } = await import("./commands/permissions-commands.ts");
      finish(await forgetPermissionsCommand(environment, call, flags));
    });
}

/** Whether a word is written as a folder. */
function isFolder(word: string): boolean {
  return /^[./~]/.test(word);
}

/** `atomic trust …` */
export function addTrustCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const trust = program
    .command("trust")
    .description("show whether this project is trusted and what it contains; add or revoke trust")
    // Options after the name of a subcommand belong to that subcommand.
    .enablePositionalOptions()
    .option("--json", "print JSON")
    .allowExcessArguments()
    .action(async (flags, { args: [name] }: Command) => {
      if (name !== undefined)
        failUnknown(trust, name, [], isFolder(name) ? `atomic trust add ${quoteWord(name)}` : undefined);
      const { showTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await showTrustCommand(environment, flags));
    });
  trust
    .command("list")
    .description("list the projects you trust")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await listTrustCommand(environment, flags));
    });
  trust
    .command("add [folder]")
    .description("trust this project, or the project in a folder, from now on")
    .option("--json", "print JSON")
    .action(async (folder: string | undefined, flags) => {
      const { addTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await addTrustCommand(environment, folder, flags));
    });
  trust
    .command("revoke [folder]")
    .description("revoke the trust in this project, or in the project in a folder, which may no longer exist")
    .option("--json", "print JSON")
    .action(async (folder: string | undefined, flags) => {
      const { revokeTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await revokeTrustCommand(environment, folder, flags));
    });
}
