import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import type { Finish } from "./program-options.ts";

/** `atomic notify …` */
export function addNotifyCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const notify = program.command("notify").description("notifications about runs that wait or have ended");
  notify
    .command("test")
    .description("send one notification by each way of your settings, and report what happened")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { testNotificationsCommand } = await import("./commands/notify-command.ts");
      finish(await testNotificationsCommand(environment, flags));
    });
}
