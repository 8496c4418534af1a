import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import type { Finish } from "./program-options.ts";

/** `atomic migrate …` */
export function addMigrateCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const migrate = program.command("migrate").description("convert files of earlier versions");
  migrate
    .command("feature-list [path]")
    .description("write the features of an old feature-list.json as the tasks of a tasks.json")
    .option("--output <file>", "the file to write (default: tasks.json beside the list)")
    .option("--force", "replace that file if it exists")
    .option("--json", "print JSON")
    .action(async (path: string | undefined, flags) => {
      const { migrateFeatureListCommand } = await import("./commands/migrate-command.ts");
      finish(await migrateFeatureListCommand(environment, path, flags));
    });
  migrate
    .command("ralph-sessions [path]")
    .description("write the tasks of old sessions of Ralph, in .ralph/sessions, as lists that atomic ralph takes")
    .option("--output <folder>", "the folder for NAME/tasks.json (default: migrated beside the sessions)")
    .option("--force", "replace lists that exist")
    .option("--json", "print JSON, one line for each session")
    .action(async (path: string | undefined, flags) => {
      const { migrateRalphSessionsCommand } = await import("./commands/migrate-sessions-command.ts");
      finish(await migrateRalphSessionsCommand(environment, path, flags));
    });
}
