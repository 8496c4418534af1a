import type { Command } from "commander";
import type { NamedType } from "./entities/entities-commands.ts";
import type { CliEnvironment } from "./environment.ts";
import type { Finish } from "./program-options.ts";

const DESCRIPTIONS: Readonly<Record<NamedType, string>> = {
  agent: "inspect the agents defined here",
  skill: "inspect the skills defined here",
  command: "inspect the commands defined here",
};

/** `atomic agents …`, `atomic skills …`, `atomic commands …` */
export function addEntityCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  for (const type of ["agent", "skill", "command"] as const) {
    const group = program.command(`${type}s`).description(DESCRIPTIONS[type]);
    group
      .command("list")
      .description(`list the ${type}s of Claude Code, OpenCode, Copilot and Atomic that are available here`)
      .option("--all", "include definitions that another one of the same name shadows")
      .option("--json", "print JSON")
      .action(async (flags) => {
        const { listEntitiesCommand } = await import("./entities/entities-commands.ts");
        finish(await listEntitiesCommand(environment, type, flags));
      });
    group
      .command("show <name>")
      .description(`show the definition of one ${type}`)
      .option("--json", "print JSON")
      .action(async (name: string, flags) => {
        const { showEntityCommand } = await import("./entities/entities-commands.ts");
        finish(await showEntityCommand(environment, { type, name }, flags));
      });
  }
}
