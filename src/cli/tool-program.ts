import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import { type Finish, TRUST } from "./program-options.ts";

/** `atomic tools …` */
export function addToolCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const tools = program.command("tools").description("list, show and run the tools defined here");
  tools
    .command("list")
    .description("list the tools of .atomic/tools and ~/.atomic/tools")
    .option("--trust", TRUST)
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listToolsCommand } = await import("./tools/tools-commands.ts");
      finish(await listToolsCommand(environment, flags));
    });
  tools
    .command("show <name>")
    .description("show what a tool does, its arguments and its file")
    .option("--trust", TRUST)
    .option("--json", "print JSON")
    .action(async (name: string, flags) => {
      const { showToolCommand } = await import("./tools/tools-commands.ts");
      finish(await showToolCommand(environment, name, flags));
    });
  tools
    .command("run <name>")
    .description("call a tool and print what an agent would receive")
    .option("--args <json>", "the arguments, as a JSON object (- reads them from standard input)")
    .option("--trust", TRUST)
    .option("--json", "print JSON")
    .action(async (name: string, flags) => {
      const { runToolCommand } = await import("./tools/tools-commands.ts");
      finish(await runToolCommand(environment, name, flags));
    });
}
