import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import { loadRecording, withoutChance } from "../../testkit/index.ts";
import { EVENTS_FILE, readEvents, type WorkflowSession } from "../../workflows/index.ts";
import { readInheritedPast } from "../../workflows/run-kit.ts";
import { compareRuns, type Pair } from "../comparison/compare-runs.ts";
import { type ComparedRun, comparedFromRecording, comparedFromReport } from "../comparison/compared-run.ts";
import { formatComparison } from "../comparison/format-comparison.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

type PromptEvent = Extract<RunEvent, { type: "agent-prompt" }>;

/** `atomic runs compare A B`: two runs, or recordings of runs, side by side. */
export async function compareRunsCommand(
  environment: CliEnvironment,
  [first, second]: Pair<string>,
  flags: ShowFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const runs = [await loadRun(environment, workspace, first), await loadRun(environment, workspace, second)] as const;
  const { redactor } = workspace;
  const comparison = redactor.value(
    compareRuns(runs, (prompt, { runId }) => withoutChance(prompt.replaceAll(runId, "<run>"))),
  );
  const style = { columns: tableColumns(environment.stdout) };
  environment.stdout.write(`${flags.json ? formatJson(comparison) : formatComparison(comparison, style)}\n`);
  return ExitCode.done;
}

/** A file is a recording, anything else the id of a run. */
async function loadRun(environment: CliEnvironment, workspace: Workspace, name: string): Promise<ComparedRun> {
  const path = resolve(environment.workingDirectory, name);
  if (statSync(path, { throwIfNoEntry: false })?.isFile())
    return comparedFromRecording(name, await loadRecording(path));
  if (/[/\\]|\.jsonl$/.test(name)) {
    throw new UsageError(
      `There is no file ${path}. Compare recordings by their files, and runs by their ids: atomic runs list`,
    );
  }
  const id = await workspace.store.resolveId(name);
  const report = await workspace.runs.report(id);
  const { session } = report;
  const own = await readPrompts(session);
  const inherited = (await readInheritedPast(session.sessionDir))?.visits ?? [];
  const earlier = await readInheritedPrompts(workspace, session, inherited);
  return comparedFromReport(name, report, { events: [...earlier, ...own], inherited });
}

async function readPrompts({ sessionDir }: WorkflowSession): Promise<readonly PromptEvent[]> {
  const prompts: PromptEvent[] = [];
  for await (const event of readEvents(join(sessionDir, EVENTS_FILE))) {
    if (event.type === "agent-prompt") prompts.push(event);
  }
  return prompts;
}

/** The prompts of the visits that a fork has taken over, as far as the runs that it comes from are still there. */
async function readInheritedPrompts(
  { store }: Workspace,
  { forkedFrom }: WorkflowSession,
  inherited: readonly { readonly taskId: string }[],
): Promise<readonly PromptEvent[]> {
  const tasks = new Set(inherited.map(({ taskId }) => taskId));
  const found: PromptEvent[] = [];
  for (let origin = forkedFrom; origin !== undefined && tasks.size > 0; ) {
    const ids = new Set(await store.ids());
    if (!ids.has(origin.runId)) break;
    const session = await store.load(origin.runId);
    const prompts = (await readPrompts(session)).filter(({ taskId }) => tasks.has(taskId));
    found.unshift(...prompts);
    for (const { taskId } of prompts) tasks.delete(taskId);
    origin = session.forkedFrom;
  }
  return found;
}
