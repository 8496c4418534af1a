import type { Command } from "commander";
import type { NamedType } from "./entities/find-entity.ts";
import type { CliEnvironment } from "./environment.ts";
import { type Finish, TRUST, withAgentOptions } from "./program-options.ts";

const DESCRIPTIONS: Readonly<Record<NamedType, string>> = {
  agent: "list, show and run the agents defined here",
  skill: "list, show and run the skills defined here",
  command: "list, show and run the commands defined here",
};

const RUNS: Readonly<Record<NamedType, string>> = {
  agent: "send one message to an agent with this definition (- reads it from standard input)",
  skill: "have an agent use this skill once",
  command: "have an agent carry out this command once",
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
      .option("--trust", TRUST)
      .action(async (flags) => {
        const { listEntitiesCommand } = await import("./entities/entities-commands.ts");
        finish(await listEntitiesCommand(environment, type, flags));
      });
    group
      .command("show <name>")
      .description(`show the definition of one ${type}`)
      .option("--json", "print JSON")
      .option("--trust", TRUST)
      .action(async (name: string, flags) => {
        const { showEntityCommand } = await import("./entities/entities-commands.ts");
        finish(await showEntityCommand(environment, { type, name }, flags));
      });
    withAgentOptions(group.command(`run <name> ${type === "agent" ? "<message>" : "[arguments...]"}`))
      .description(RUNS[type])
      .option("--trust", TRUST)
      .action(async (name: string, text: string | readonly string[], flags) => {
        const { runEntityCommand } = await import("./entities/run-entity-command.ts");
        finish(await runEntityCommand(environment, { type, name, text }, flags));
      });
  }
}
