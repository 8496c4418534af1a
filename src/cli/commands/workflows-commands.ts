import { formatTable, safeLine, safeText } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatProblem } from "../loading/workflow-errors.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { trustIfAsked } from "../trust/trust-if-asked.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

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
    metadata.aliases.join(", "),
    safeLine(metadata.argumentHint ?? "", 50),
    metadata.source,
    safeLine(metadata.description, 100),
  ]);
  const scripts = claudeScripts.map(({ name, source, description }) => [
    safeLine(name, 100),
    "",
    "",
    `${source}, Claude`,
    safeLine(description, 100),
  ]);
  const style = { columns: tableColumns(environment.stdout) };
  environment.stdout.write(
    `${formatTable(["WORKFLOW", "ALIASES", "ARGUMENTS", "SOURCE", "DESCRIPTION"], [...rows, ...scripts], style)}\n`,
  );
  for (const problem of problems)
    environment.stderr.write(`${problem.severity}: ${safeText(formatProblem(problem))}\n`);
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
