import { formatTable, safeLine } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { printProblems } from "../output/problem-printer.ts";
import { tableColumns } from "../output/terminal.ts";
import { trustIfAsked } from "../trust/trust-if-asked.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

/** So many workflow scripts are listed. */
const MAX_SCRIPTS = 50;

/** Prints what is left out of the list. */
const ALL = "atomic workflows list --json";

/** `atomic workflows list`: the workflows available here, and the problems of files that cannot be loaded. */
export async function listWorkflowsCommand(
  environment: CliEnvironment,
  flags: ShowFlags & { readonly trust?: boolean },
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  await trustIfAsked(environment, workspace, flags);
  const { registry, problems, untrusted, claudeScripts } = await workspace.loadProject(workspace.projectDirectory);
  if (flags.json) {
    const workflows = registry.workflows.map(({ metadata, path }) => ({
      ...metadata,
      ...(path === undefined ? {} : { path }),
    }));
    environment.stdout.write(`${formatJson({ workflows, claudeScripts, problems, untrusted })}\n`);
    return ExitCode.done;
  }
  const rows = registry.workflows.map(({ metadata }) => [
    metadata.name,
    safeLine(metadata.aliases.join(", "), 64),
    safeLine(metadata.argumentHint ?? "", 50),
    metadata.source,
    safeLine(metadata.description, 100),
  ]);
  const scripts = claudeScripts
    .slice(0, MAX_SCRIPTS)
    .map(({ name, source, description }) => [
      safeLine(name, 100),
      "",
      "",
      `${source}, script`,
      safeLine(description, 100),
    ]);
  const style = { columns: tableColumns(environment.stdout) };
  environment.stdout.write(
    `${formatTable(["WORKFLOW", "ALIASES", "ARGUMENTS", "SOURCE", "DESCRIPTION"], [...rows, ...scripts], style)}\n`,
  );
  if (claudeScripts.length > MAX_SCRIPTS)
    environment.stdout.write(`and ${claudeScripts.length - MAX_SCRIPTS} more workflow scripts: ${ALL}\n`);
  printProblems(environment, problems, ALL);
  if (untrusted.length > 0) {
    const [files, them] =
      untrusted.length === 1
        ? ["1 workflow file of this project was", "it"]
        : [`${untrusted.length} workflow files of this project were`, "them"];
    environment.stderr.write(
      `note: ${files} not loaded, because the project is not trusted. Look at ${them}, then call again with --trust.\n`,
    );
  }
  return ExitCode.done;
}
