import { type Command, Option } from "commander";
import type { CliEnvironment } from "./environment.ts";
import { collect, type Finish, failUnknown } from "./program-options.ts";

const WHY_EXIT_CODES = `
Exit codes:
  0    allowed
  1    denied
  2    the call of Atomic is wrong
  3    requires approval, so it is denied where nobody can be asked`;

/** `atomic permissions …` */
export function addPermissionCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const permissions = program.command("permissions").description("see what agents may do, and take it back");
  permissions
    .command("why [command]")
    .description("say what becomes of a call, and which rule decides")
    .option("--kind <kind>", "the kind of call: read, edit, shell, fetch, mcp, agent or other (default: shell)")
    .addOption(new Option("--path <path>", "a file the call names (repeatable)").argParser(collect))
    .option("--search", "the call reads what lies below --path (default: the working directory)")
    .option("--include <glob>", "the only files that the search reads")
    .option("--tool <name>", "the agent's name of the tool; without --kind it is one that Atomic does not know")
    .addOption(new Option("--allow <permission>", "as if this were allowed (repeatable)").argParser(collect))
    .addOption(new Option("--deny <permission>", "as if this were forbidden (repeatable)").argParser(collect))
    .option("--yolo", "as if --yolo were given")
    .option("--json", "print JSON")
    .addHelpText("after", WHY_EXIT_CODES)
    .action(async (command: string | undefined, flags) => {
      const { whyCommand } = await import("./commands/why-command.ts");
      finish(await whyCommand(environment, command, flags));
    });
  permissions
    .command("list")
    .description("list the rules that hold here, and what you allowed for good in this project")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listPermissionsCommand } = await import("./commands/permissions-commands.ts");
      finish(await listPermissionsCommand(environment, flags));
    });
  permissions
    .command("forget [call]")
    .description("forget what you allowed for good in this project: all of it, or the call of this number or text")
    .option("--json", "print JSON")
    .action(async (call: string | undefined, flags) => {
      const { forgetPermissionsCommand } = await import("./commands/permissions-commands.ts");
      finish(await forgetPermissionsCommand(environment, call, flags));
    });
}

/** `atomic trust …` */
export function addTrustCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const trust = program
    .command("trust")
    .description("say whether this project is trusted, and what that is about; trust it, or withdraw that")
    // Options behind the name of a command below are that command's.
    .enablePositionalOptions()
    .option("--json", "print JSON")
    .allowExcessArguments()
    .action(async (flags, { args: [name] }: Command) => {
      if (name !== undefined) failUnknown(trust, name);
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
    .description("trust this project, or the one in a folder, from now on")
    .option("--json", "print JSON")
    .action(async (folder: string | undefined, flags) => {
      const { addTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await addTrustCommand(environment, folder, flags));
    });
  trust
    .command("revoke [folder]")
    .description("no longer trust this project, or the one in a folder, which may be gone")
    .option("--json", "print JSON")
    .action(async (folder: string | undefined, flags) => {
      const { revokeTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await revokeTrustCommand(environment, folder, flags));
    });
}
