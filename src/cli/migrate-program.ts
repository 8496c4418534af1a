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
}
