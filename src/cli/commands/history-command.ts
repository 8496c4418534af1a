import { formatTable, formatTime, safeLine, safeText } from "../../view/index.ts";
import { readVisitTitles } from "../../workflows/run-kit.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { TITLE_COLUMNS, withTitle } from "../output/with-title.ts";
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
  const rows = moments.map(
    ({ sequence, at, type, taskId, title = "", label = "", isSkipped = false, changes = {} }) => [
      String(sequence),
      formatTime(new Date(at).toISOString()),
      safeText(taskId),
      ...(hasTitles ? [safeLine(title, TITLE_COLUMNS)] : []),
      type === "start" && forkedFrom !== undefined
        ? `forked from ${forkedFrom.runId} at ${forkedFrom.at}`
        : isSkipped
          ? "skipped"
          : type === "edit"
            ? safeLine(`${MEANINGS.edit}: ${Object.keys(changes).join(", ")}`, TITLE_COLUMNS)
            : MEANINGS[type],
      safeText(label),
    ],
  );
  const head = ["MOMENT", "TIME (UTC)", "STEP", ...(hasTitles ? ["TITLE"] : []), "WHAT", "LABEL"];
  stdout.write(`${formatTable(head, rows, { columns: tableColumns(stdout) })}\n`);
  return ExitCode.done;
}
