import { RunNotEditableError, type RunServices, UnknownStateFieldError } from "../../graph/index.ts";
import { safeLine } from "../../view/index.ts";
import { parseAssignments, parseValue } from "../config/parse-assignment.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { assertFolders, workflowOf } from "../run-folders.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { Workspace } from "../workspace.ts";
import { loadForRun } from "./run-command.ts";

/** Options of `atomic runs edit`. */
export interface EditFlags {
  readonly set?: readonly string[];
  readonly trust?: boolean;
  readonly json?: boolean;
}

/** `atomic runs edit RUN --set FIELD=VALUE`: changes the state of a run that no process executes. */
export async function editCommand(environment: CliEnvironment, prefix: string, flags: EditFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const texts = parseAssignments(flags.set ?? [], "--set FIELD=VALUE");
  if (texts.size === 0) throw new UsageError("There is nothing to change. Write --set FIELD=VALUE.");
  const id = await workspace.store.resolveId(prefix);
  const { session, status, summary, missing } = await workspace.runs.report(id);
  if (missing !== undefined) throw missing;
  // Check before asking a person to trust the project.
  if (status === "running" || status === "completed") throw new RunNotEditableError(id, status);
  assertFolders(session);
  const { projectDirectory, settings, agent: earlierAgent } = session;
  const name = workflowOf(session);
  const workingDirectory = settings?.workingDirectory ?? projectDirectory;
  const isJson = flags.json ?? false;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson });
  const about = { environment, workspace, projectDirectory, trust, flags };
  const { workflow } = await loadForRun({ ...about, name, earlierAgent, isBuiltIn: settings?.isBuiltIn });
  const graph = await workflow.create(settings?.workflowConfig);
  const leftError = environment.userCode.leftError();
  if (leftError !== undefined) throw leftError;
  const { metadata, migrateState } = workflow;
  const set = readFields(texts, graph.inputDefaults);
  const services: RunServices = {
    workflows: async (called, { config } = {}) =>
      await (await workspace.findWorkflow(called, projectDirectory, undefined)).create(config),
  };
  const versioned = migrateState === undefined ? {} : { migrateState };
  await workspace.runs.edit(id, { set }, { graph, metadata, services, ...versioned });
  const fields = Object.keys(set);
  const kept = (summary?.requests ?? []).length > 0 ? " Open questions keep their text." : "";
  const text = `edited  ${safeLine(fields.join(", "), 200)}  run ${id}.${kept} Resume it: atomic runs resume ${id}`;
  environment.stdout.write(`${isJson ? formatJson({ type: "edited", runId: id, fields }) : text}\n`);
  return ExitCode.done;
}

/** Values of fields of the state. @throws UnknownStateFieldError; UsageError for a value that does not fit its field's first one */
export function readFields(
  texts: ReadonlyMap<string, string>,
  defaults: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  const standards: Readonly<Record<string, unknown>> = { outputs: {}, ...defaults };
  return Object.fromEntries(
    [...texts].map(([name, text]) => {
      const isKnown = Object.hasOwn(standards, name);
      if (!isKnown && defaults !== undefined) throw new UnknownStateFieldError(name, Object.keys(standards));
      // A field without a first value may hold anything.
      const standard = isKnown ? (standards[name] ?? null) : null;
      const parsed = parseValue(text, { noun: "field", name, standard });
      if ("problem" in parsed) throw new UsageError(parsed.problem);
      return [name, parsed.value];
    }),
  );
}
