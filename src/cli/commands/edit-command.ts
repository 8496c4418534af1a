import { RunNotEditableError, type RunServices, UnknownStateFieldError } from "../../graph/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../format-json.ts";
import { safeLine } from "../safe-text.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { UsageError } from "../usage-error.ts";
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
  const texts = splitAssignments(flags.set ?? []);
  const id = await workspace.store.resolveId(prefix);
  const { session, status, summary, missing } = await workspace.runs.report(id);
  if (missing !== undefined) throw missing;
  // Before anybody is asked whether the project is trusted.
  if (status === "running" || status === "completed") throw new RunNotEditableError(id, status);
  const { projectDirectory, settings, workflowName: name, agent: earlierAgent } = session;
  const workingDirectory = settings?.workingDirectory ?? projectDirectory;
  const isJson = flags.json ?? false;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson });
  const about = {
    environment,
    workspace,
    projectDirectory,
    trust,
    flags,
    name,
    earlierAgent,
    isBuiltIn: settings?.isBuiltIn,
  };
  const { workflow } = await loadForRun(about);
  const graph = await workflow.create(settings?.workflowConfig);
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
  const text = `edited  ${safeLine(fields.join(", "), 200)}  run ${id}.${kept} Go on with it: atomic runs resume ${id}`;
  environment.stdout.write(`${isJson ? formatJson({ type: "edited", runId: id, fields }) : text}\n`);
  return ExitCode.done;
}

/** The texts of fields, by their names. @throws UsageError */
function splitAssignments(assignments: readonly string[]): ReadonlyMap<string, string> {
  if (assignments.length === 0) throw new UsageError("There is nothing to change. Write --set FIELD=VALUE.");
  return new Map(
    assignments.map((text) => {
      const separator = text.indexOf("=");
      if (separator < 1) throw new UsageError(`"${text}" sets nothing. Write --set FIELD=VALUE.`);
      return [text.slice(0, separator), text.slice(separator + 1)];
    }),
  );
}

/** @throws UnknownStateFieldError; UsageError for a value that does not fit its field's first one */
function readFields(
  texts: ReadonlyMap<string, string>,
  defaults: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  const standards: Readonly<Record<string, unknown>> | undefined = defaults && { outputs: {}, ...defaults };
  return Object.fromEntries(
    [...texts].map(([field, text]) => {
      if (standards === undefined) return [field, readField(field, text, field === "outputs" ? {} : undefined)];
      if (!Object.hasOwn(standards, field)) throw new UnknownStateFieldError(field, Object.keys(standards));
      return [field, readField(field, text, standards[field])];
    }),
  );
}

function readField(field: string, text: string, standard: unknown): unknown {
  const value = parseJson(text);
  // A text needs no quotes, as long as nothing else is meant to be one.
  if (typeof standard === "string") return typeof value === "string" ? value : text;
  if (value === undefined) {
    throw new UsageError(
      `The value of "${field}" is not JSON: ${text}. Write for example --set ${field}=5, or --set '${field}="a text"'.`,
    );
  }
  if (standard === undefined || standard === null || kindOf(value) === kindOf(standard)) return value;
  throw new UsageError(`The field "${field}" is ${kindOf(standard)}, and ${text} is ${kindOf(value)}.`);
}

/** What a value is, for people. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value !== "object")
    return { string: "a text", boolean: "yes or no" }[String(typeof value)] ?? `a ${typeof value}`;
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return name === "Object" || name === undefined ? "an object" : `a ${name}, which JSON cannot say`;
}

/** `undefined` for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
