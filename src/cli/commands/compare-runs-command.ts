import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import { loadRecording, withoutChance } from "../../testkit/index.ts";
import { EVENTS_FILE, readEvents } from "../../workflows/index.ts";
import { compareRuns, type Pair } from "../comparison/compare-runs.ts";
import { type ComparedRun, comparedFromRecording, comparedFromReport } from "../comparison/compared-run.ts";
import { formatComparison } from "../comparison/format-comparison.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

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
  const id = await workspace.store.resolveId(name);
  const report = await workspace.runs.report(id);
  const events: RunEvent[] = [];
  for await (const event of readEvents(join(report.session.sessionDir, EVENTS_FILE))) {
    if (event.type === "agent-prompt") events.push(event);
  }
  return comparedFromReport(name, report, events);
}
