import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import type { Finish } from "./program-options.ts";

/** `atomic telemetry …` */
export function addTelemetryCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const telemetry = program.command("telemetry").description("what is recorded about your runs, and where it is sent");
  telemetry
    .command("status")
    .description("show whether telemetry is on, where it goes, and why")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { telemetryStatusCommand } = await import("./commands/telemetry-command.ts");
      finish(await telemetryStatusCommand(environment, flags));
    });
  telemetry
    .command("on")
    .description("record locally, and allow sending to the receivers that your environment configures")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { decideTelemetryCommand } = await import("./commands/telemetry-command.ts");
      finish(await decideTelemetryCommand(environment, "on", flags));
    });
  telemetry
    .command("off")
    .description("record and send nothing")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { decideTelemetryCommand } = await import("./commands/telemetry-command.ts");
      finish(await decideTelemetryCommand(environment, "off", flags));
    });
  telemetry
    .command("show")
    .description("print the last recorded events, as they are in the local files")
    .option("--count <number>", "how many events", "20")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { showTelemetryCommand } = await import("./commands/telemetry-command.ts");
      finish(await showTelemetryCommand(environment, flags));
    });
}
