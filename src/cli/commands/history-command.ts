import { formatTable, formatTime, safeText } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { Workspace } from "../workspace.ts";

/** What happened at each type of moment. */
const MEANINGS = {
  start: "the run starts",
  node: "done",
  request: "asks",
  answer: "has its answer",
  sleep: "sleeps",
  edit: "the state is edited",
} as const;

/** `atomic runs history RUN`: the moments of a run, oldest first. */
export async function historyCommand(
  environment: CliEnvironment,
  prefix: string,
  flags: { readonly json?: boolean },
): Promise<ExitCode> {
  const { store, runs, redactor } = new Workspace(environment);
  const id = await store.resolveId(prefix);
  const { missing } = await runs.report(id);
  if (missing !== undefined) throw missing;
  const moments = redactor.value(await runs.history(id));
  const { stdout } = environment;
  if (flags.json) {
    stdout.write(`${formatJson({ runId: id, moments })}\n`);
    return ExitCode.done;
  }
  const rows = moments.map(({ sequence, at, type, taskId, label = "" }) => [
    String(sequence),
    formatTime(new Date(at).toISOString()),
    safeText(taskId),
    MEANINGS[type],
    safeText(label),
  ]);
  const style = { columns: tableColumns(stdout) };
  stdout.write(`${formatTable(["MOMENT", "TIME (UTC)", "STEP", "WHAT", "LABEL"], rows, style)}\n`);
  return ExitCode.done;
}
