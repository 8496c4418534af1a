import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import { type Finish, TRUST } from "./program-options.ts";

/** `atomic workflows …` */
export function addWorkflowCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const workflows = program.command("workflows").description("list, show, verify, draw and create workflows");
  withShowOptions(workflows.command("list"))
    .description("list the workflows available here")
    .action(async (flags) => {
      const { listWorkflowsCommand } = await import("./commands/workflows-commands.ts");
      finish(await listWorkflowsCommand(environment, flags));
    });
  withShowOptions(workflows.command("show <workflow>"))
    .description("show what a workflow takes and does")
    .action(async (name: string, flags) => {
      const { showWorkflowCommand } = await import("./commands/show-workflow-command.ts");
      finish(await showWorkflowCommand(environment, name, flags));
    });
  withShowOptions(workflows.command("verify [workflow]"))
    .description("load, compile and type-check one workflow, by name or file, or all workflow files")
    .action(async (name: string | undefined, flags) => {
      const { verifyWorkflowsCommand } = await import("./commands/verify-workflows-command.ts");
      finish(await verifyWorkflowsCommand(environment, name, flags));
    });
  withShowOptions(workflows.command("graph <workflow>"))
    .description("print the graph of a workflow as a Mermaid flowchart")
    .action(async (name: string, flags) => {
      const { graphWorkflowCommand } = await import("./commands/graph-workflow-command.ts");
      finish(await graphWorkflowCommand(environment, name, flags));
    });
  workflows
    .command("new <name>")
    .description("create a workflow in this project to start from")
    .option("--json", "print JSON")
    .action(async (name: string, flags) => {
      const { newWorkflowCommand } = await import("./commands/new-workflow-command.ts");
      finish(await newWorkflowCommand(environment, name, flags));
    });
}

function withShowOptions(command: Command): Command {
  return command.option("--trust", TRUST).option("--json", "print JSON");
}
