import { endsVisit, NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { safeText } from "../../view/index.ts";
import type { OutputMeaning, RunReport } from "../../workflows/index.ts";
import { UnknownWorkflowError } from "../../workflows/run-kit.ts";
import { type CliEnvironment, isDebug } from "../environment.ts";
import { ExitCode, exitCodeElsewhere, exitCodeOfEnd } from "../exit-code.ts";
import { followRun } from "../follow-run.ts";
import { formatOutput } from "../output/format-output.ts";
import { formatPublished } from "../output/format-permission.ts";
import { formatElsewhere, formatResult } from "../output/format-result.ts";
import { colorsFor, tableColumns } from "../output/terminal.ts";
import { createReporter, type ProgressFlags } from "../progress/create-reporter.ts";
import type { RunReporter } from "../progress/run-reporter.ts";
import { readPublished } from "../prompts/published-permissions.ts";
import { Workspace } from "../workspace.ts";

/** `atomic runs watch RUN`: shows the progress of a run that any process executes, until it ends. */
export async function watchCommand(
  environment: CliEnvironment,
  prefix: string,
  flags: ProgressFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(prefix);
  const reporter = createReporter(environment, flags);
  const leaving = new AbortController();
  const stopListening = environment.onSignal(
    () => leaving.abort(),
    () => reporter.close(),
  );
  try {
    const elapsedMs = await follow(workspace, id, { reporter, isJson: flags.json ?? false, signal: leaving.signal });
    reporter.close();
    if (leaving.signal.aborted) {
      reporter.note(`No longer watched; the run ${id} continues. Watch it again: atomic runs watch ${id}`);
      return ExitCode.cancelled;
    }
    return await tellEnd(environment, workspace, { id, flags, elapsedMs, reporter });
  } finally {
    reporter.close();
    stopListening();
  }
}

interface Following {
  readonly reporter: RunReporter;
  readonly isJson: boolean;
  readonly signal: AbortSignal;
}

/**
 * Shows the run's events until no process executes it. Returns how long processes did, in milliseconds; `undefined` if a
 * beginning or an end is missing in the record.
 */
async function follow(
  workspace: Workspace,
  id: string,
  { reporter, isJson, signal }: Following,
): Promise<number | undefined> {
  const onLook = askedTeller(workspace, id, reporter);
  let past: RunEvent[] | undefined = isJson ? undefined : [];
  const times: RunEvent[] = [];
  const showPast = (): void => {
    for (const event of condense(past ?? [])) reporter.onEvent(event);
    past = undefined;
  };
  for await (const event of followRun(workspace, id, { signal, onCaughtUp: showPast, onLook })) {
    if (event.type === "run-start" || event.type === "run-end") times.push(event);
    if (past === undefined) reporter.onEvent(event);
    else past.push(event);
  }
  return elapsedOf(times);
}

function elapsedOf(times: readonly RunEvent[]): number | undefined {
  let elapsedMs: number | undefined;
  for (const [index, { type, at }] of times.entries()) {
    if (type !== "run-end") continue;
    const start = times[index - 1];
    if (start?.type !== "run-start") return undefined;
    elapsedMs = (elapsedMs ?? 0) + Math.max(0, at - start.at);
  }
  return elapsedMs;
}

/** Leaves out what agents said and did in visits that are over. */
function condense(events: readonly RunEvent[]): readonly RunEvent[] {
  const lastEnd = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    if ("taskId" in event && (event.type === "request" || endsVisit(event))) lastEnd.set(event.taskId, index);
  }
  const isOver = events.findLastIndex(({ type }) => type === "run-end" || type === "run-start");
  return events.filter(
    (event, index) => event.type !== "agent" || (index > isOver && index > (lastEnd.get(event.taskId) ?? -1)),
  );
}

/** Returns a function that shows the permission requests which it has not shown yet, and how to answer them. */
function askedTeller({ store, redactor }: Workspace, id: string, reporter: RunReporter): () => void {
  const shown = new Set<string>();
  return () => {
    for (const published of readPublished(store.directoryOf(id))) {
      if (shown.has(published.id)) continue;
      shown.add(published.id);
      const lines = formatPublished(id, published, Number.POSITIVE_INFINITY).map((line) => redactor.text(line));
      reporter.permission(published, lines);
    }
  };
}

interface WatchedEnd {
  readonly id: string;
  readonly flags: ProgressFlags;
  readonly elapsedMs: number | undefined;
  readonly reporter: RunReporter;
}

async function tellEnd(
  environment: CliEnvironment,
  workspace: Workspace,
  { id, flags, elapsedMs, reporter }: WatchedEnd,
): Promise<ExitCode> {
  const report = workspace.redactor.value(await workspace.runs.report(id));
  const { session, status, summary, missing } = report;
  if (missing !== undefined) throw missing;
  const { stdout } = environment;
  if (status === "interrupted") {
    const problem = `The process that executed the run ${id} died. Resume the run: atomic runs resume ${id}`;
    if (flags.json) reporter.warn(problem);
    else stdout.write(`interrupted  ${safeText(session.workflowName)}  run ${id}\n${problem}\n`);
    return ExitCode.failed;
  }
  if (status === "running") {
    if (!flags.json) stdout.write(`${formatElsewhere(session.workflowName, id, status)}\n`);
    return exitCodeElsewhere(status);
  }
  const meaning = await meaningOf(workspace, report);
  const output = summary?.output;
  if (!flags.json) {
    const colors = colorsFor(environment, flags, "stdout");
    const known = elapsedMs === undefined ? {} : { elapsedMs };
    const style = { colors, columns: tableColumns(stdout), isDebug: isDebug(environment), ...known };
    const { requests = [], usage = NO_USAGE, usageByAgent, error } = summary ?? {};
    const agents = usageByAgent === undefined ? {} : { usageByAgent };
    const ending = formatResult({ runId: id, status, usage, requests, errorInfo: error, ...agents }, session, style);
    const text = output === undefined ? "" : `\n${formatOutput((await meaning?.format(output)) ?? output)}\n`;
    stdout.write(`${ending}\n${status === "completed" ? text : ""}`);
  }
  const isPassed = status !== "completed" || (meaning?.isPassed(output) ?? true);
  return isPassed ? exitCodeOfEnd({ status, requests: summary?.requests ?? [] }) : ExitCode.failed;
}

/** What the output of a built-in workflow means. Others have no such meaning, and their code is not loaded here. */
async function meaningOf(workspace: Workspace, { session }: RunReport): Promise<OutputMeaning | undefined> {
  const { workflowName, projectDirectory, settings } = session;
  try {
    const { workflow, isOverridden } = await workspace.findBuiltIn(workflowName, projectDirectory);
    return settings?.isBuiltIn === true || !isOverridden ? workflow.outputMeaning : undefined;
  } catch (error) {
    if (error instanceof UnknownWorkflowError) return undefined;
    throw error;
  }
}
