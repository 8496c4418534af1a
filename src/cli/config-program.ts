import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import type { Finish } from "./program-options.ts";

const SOURCES = `
Settings come from ~/.atomic/config.json, from .atomic/config.json of a trusted project, from environment variables, and
from options, such as --agent. Each overrides those before it. Both files may also be named config.jsonc.`;

/** `atomic init` */
export function addInitCommand(program: Command, environment: CliEnvironment, finish: Finish): void {
  program
    .command("init")
    .description("set this project up: settings, a workflow, a tool; overwrites nothing")
    .option("-y, --yes", "use the defaults instead of asking")
    .option("-a, --agent <name>", "the agent of this project where a call names none")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { initCommand } = await import("./commands/init-command.ts");
      finish(await initCommand(environment, flags));
    });
}

/** `atomic config …` */
export function addConfigCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const config = program
    .command("config")
    .description("show and change settings, and say where each comes from")
    .addHelpText("after", SOURCES);
  withPlace(config.command("get <key>"), "print")
    .description("print the value of a setting that is in effect, for example ui.theme")
    .option("--origin", "also print the file and line, or the variable, that sets it")
    .action(async (key: string, flags) => {
      const { getConfigCommand } = await import("./commands/config-commands.ts");
      finish(await getConfigCommand(environment, key, flags));
    });
  withPlace(config.command("set <key> <value>"), "change")
    .description("store a setting, as text or as JSON; comments stay (default: in your own file)")
    .action(async (key: string, value: string, flags) => {
      const { setConfigCommand } = await import("./commands/config-commands.ts");
      finish(await setConfigCommand(environment, { key, value }, flags));
    });
  withPlace(config.command("unset <key>"), "change")
    .description("remove a setting (default: from your own file)")
    .action(async (key: string, flags) => {
      const { unsetConfigCommand } = await import("./commands/config-commands.ts");
      finish(await unsetConfigCommand(environment, key, flags));
    });
  withPlace(config.command("list"), "print")
    .description("list the settings that are set, and where")
    .option("--all", "also the others, with their defaults")
    .action(async (flags) => {
      const { listConfigCommand } = await import("./commands/config-commands.ts");
      finish(await listConfigCommand(environment, flags));
    });
  addFileCommands(config, environment, finish);
}

function addFileCommands(config: Command, environment: CliEnvironment, finish: Finish): void {
  withPlace(config.command("edit"), "open")
    .description("open a settings file in $VISUAL or $EDITOR, and check it afterwards")
    .action(async (flags) => {
      const { editConfigCommand } = await import("./commands/config-commands.ts");
      finish(await editConfigCommand(environment, flags));
    });
  withPlace(config.command("path"), "print")
    .description("print the path of a settings file (default: your own)")
    .action(async (flags) => {
      const { configPathCommand } = await import("./commands/config-commands.ts");
      finish(await configPathCommand(environment, flags));
    });
  config
    .command("schema")
    .description("print the JSON Schema of a settings file, for editors")
    .option("--json", "print JSON, as without it")
    .action(async () => {
      const { configSchemaCommand } = await import("./commands/config-commands.ts");
      finish(configSchemaCommand(environment));
    });
}

function withPlace(command: Command, verb: string): Command {
  return command
    .option("--user", `${verb} only what is in your own file`)
    .option("--project", `${verb} only what is in the file of this project`)
    .option("--json", "print JSON");
}
