import type { RunCheckpoint } from "../../graph/index.ts";
import { formatTable, formatTime, safeLine, safeText } from "../../view/index.ts";
import { readVisitTitles } from "../../workflows/run-kit.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { TITLE_COLUMNS, withTitle } from "../output/with-title.ts";
import { Workspace } from "../workspace.ts";

/** The width of what happened. */
const WHAT_COLUMNS = 80;

/** What happened at each type of moment. */
const MEANINGS = {
  start: "the run starts",
  node: "done",
  request: "asks",
  answer: "has its answer",
  sleep: "sleeps",
  edit: "the state is edited",
} as const;

/** What happened, with the question, the answer or the fields of an edit. */
function meaningOf({ type, isSkipped = false, changes = {}, question, answer }: RunCheckpoint): string {
  if (isSkipped) return "skipped";
  const details = {
    request: question,
    answer: typeof answer === "string" || answer === undefined ? answer : formatJson(answer),
    edit: Object.keys(changes).join(", "),
  };
  const detail = type in details ? details[type as keyof typeof details] : undefined;
  return detail === undefined ? MEANINGS[type] : safeLine(`${MEANINGS[type]}: ${detail}`, WHAT_COLUMNS);
}

/** `atomic runs history RUN`: the moments of a run, oldest first. */
export async function historyCommand(
  environment: CliEnvironment,
  prefix: string,
  flags: { readonly json?: boolean },
): Promise<ExitCode> {
  const { store, runs, redactor } = new Workspace(environment);
  const id = await store.resolveId(prefix);
  const { missing, session } = await runs.report(id);
  if (missing !== undefined) throw missing;
  const titles = await readVisitTitles(store.directoryOf(id));
  const moments = redactor.value((await runs.history(id)).map((moment) => withTitle(moment, titles)));
  const { stdout } = environment;
  const { forkedFrom } = session;
  if (flags.json) {
    stdout.write(`${formatJson({ runId: id, ...(forkedFrom === undefined ? {} : { forkedFrom }), moments })}\n`);
    return ExitCode.done;
  }
  const hasTitles = moments.some(({ title }) => title !== undefined);
  const hasLabels = moments.some(({ label }) => label !== undefined);
  const rows = moments.map((moment) => {
    const { sequence, at, type, taskId, title = "", label = "" } = moment;
    const isFork = type === "start" && forkedFrom !== undefined;
    return [
      String(sequence),
      formatTime(new Date(at).toISOString()),
      safeText(taskId),
      ...(hasTitles ? [safeLine(title, TITLE_COLUMNS)] : []),
      isFork ? `forked from ${forkedFrom.runId} at ${forkedFrom.at}` : meaningOf(moment),
      ...(hasLabels ? [safeText(label)] : []),
    ];
  });
  const head = [
    ...["MOMENT", "TIME (UTC)", "STEP", ...(hasTitles ? ["TITLE"] : []), "WHAT"],
    ...(hasLabels ? ["LABEL"] : []),
  ];
  stdout.write(`${formatTable(head, rows, { columns: tableColumns(stdout) })}\n`);
  return ExitCode.done;
}
