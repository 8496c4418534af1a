import type { RunServices } from "../../graph/index.ts";
import { safeText, visibleLine } from "../../view/index.ts";
import type { LogEntry, RunReport } from "../../workflows/index.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { ProjectUntrustedError, WorkflowFileUntrustedError } from "../loading/workflow-errors.ts";
import { formatJson } from "../output/format-json.ts";
import { formatOutput } from "../output/format-output.ts";
import { quoteWord } from "../output/quote-word.ts";
import type { Workspace } from "../workspace.ts";
import { loadWorkflowOfRun } from "./load-workflow-of-run.ts";

/** What is wanted of a run instead of its report; one of them. */
export interface PartFlags {
  readonly output?: boolean;
  readonly state?: boolean;
  readonly log?: boolean;
}

/** @throws UsageError */
export function assertOnePart({ output, state, log }: PartFlags): void {
  const given = Object.entries({ "--output": output, "--state": state, "--log": log }).filter(([, isSet]) => isSet);
  if (given.length < 2) return;
  const names = given.map(([name]) => name);
  throw new UsageError(`${names.join(" and ")} exclude each other. Call once for each.`);
}

/** Prints the state of a run, as far as it has come. The journal has the changes; the workflow says what they make. */
export async function showState(
  environment: CliEnvironment,
  workspace: Workspace,
  { report, isJson }: { readonly report: RunReport; readonly isJson: boolean },
): Promise<ExitCode> {
  const { session, summary, missing } = report;
  const { sessionId: id, workflowName, projectDirectory } = session;
  if (missing !== undefined) throw missing;
  if (summary === undefined) throw new UsageError(`The run "${id}" has no state: it has not begun.`);
  const loading = loadWorkflowOfRun(environment, workspace, session);
  const { workflow, graph } = await loading.catch((error: unknown) => {
    const folder = error instanceof WorkflowFileUntrustedError ? error.folder : projectDirectory;
    if (!(error instanceof ProjectUntrustedError || error instanceof WorkflowFileUntrustedError)) throw error;
    throw new UsageError(
      `The state of the run "${id}" is read with the workflow "${workflowName}", and its project is not trusted. Trust it with: atomic trust add ${quoteWord(visibleLine(folder))}`,
    );
  });
  const find = (name: string) => workspace.findWorkflow(name, projectDirectory, undefined);
  const { metadata, migrateState } = workflow;
  const services: RunServices = { workflows: async (name, { config } = {}) => (await find(name)).create(config) };
  const read = { graph, metadata, services, ...(migrateState === undefined ? {} : { migrateState }) };
  const state = workspace.redactor.value(await workspace.runs.state(id, read));
  environment.stdout.write(`${isJson ? formatJson(state) : formatOutput(state)}\n`);
  return ExitCode.done;
}

/** Prints what a run and its nodes said. */
export async function showLog(
  { stdout }: CliEnvironment,
  { runs }: Workspace,
  { id, isJson }: { readonly id: string; readonly isJson: boolean },
): Promise<ExitCode> {
  const entries = await runs.log(id);
  if (isJson) stdout.write(`${formatJson(entries)}\n`);
  else for (const entry of entries) stdout.write(`${formatEntry(entry)}\n`);
  return ExitCode.done;
}

/** Each line of an entry with its time, and its node where there is one. */
function formatEntry({ at, taskId, message }: LogEntry): string {
  const time = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  const head = [time, ...(taskId === undefined ? [] : [`${safeText(taskId)}:`])].join("  ");
  return safeText(message)
    .split("\n")
    .map((line) => `${head}  ${line}`.trimEnd())
    .join("\n");
}
