import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import { type Finish, TRUST } from "./program-options.ts";

/** `atomic hooks …` */
export function addHookCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const hooks = program.command("hooks").description("list the hooks that run with agents here");
  hooks
    .command("list")
    .description(
      "list the hooks in the files of Claude Code, Copilot and OpenCode, and which of them run with an agent",
    )
    .option("-a, --agent <name>", "the agent (default: the one of the settings)")
    .option("--trust", TRUST)
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listHooksCommand } = await import("./hooks/hooks-commands.ts");
      finish(await listHooksCommand(environment, flags));
    });
}
