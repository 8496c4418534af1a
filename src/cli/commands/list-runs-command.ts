import { statSync } from "node:fs";
import { resolve } from "node:path";
import { nearestName } from "../../contracts/index.ts";
import { findProject } from "../../discovery/index.ts";
import { formatTable, formatTime, safeLine, safeText, type TableStyle } from "../../view/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import { type ShownStatus, shownStatusOf } from "../../workflows/run-kit.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatProblem } from "../loading/workflow-errors.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { readPublished } from "../prompts/published-permissions.ts";
import { readPublishedQuestions } from "../prompts/published-questions.ts";
import { promptOf } from "../run-input.ts";
import { Workspace } from "../workspace.ts";
import { agentOf, type ShowFlags } from "./runs-commands.ts";

/** The width of a prompt. */
const PROMPT_COLUMNS = 40;

const STATUSES: readonly ShownStatus[] = [
  "running",
  "pausing",
  "suspended",
  "paused",
  "interrupted",
  "completed",
  "failed",
  "cancelled",
  "not started",
];

/** Options of `atomic runs list`. */
export interface ListRunsFlags extends ShowFlags {
  readonly status?: readonly string[];
  /** A folder of the project; `true` for the current one. */
  readonly project?: string | true;
  readonly limit?: string;
  readonly waiting?: boolean;
}

type Row = Omit<WorkflowSession, "status"> & { readonly status: ShownStatus };

/** `atomic runs list`: the runs, newest first. @throws UsageError */
export async function listRunsCommand(environment: CliEnvironment, flags: ListRunsFlags): Promise<ExitCode> {
  const limit = limitOf(flags);
  const statuses = flags.status?.map(statusOf);
  const workspace = new Workspace(environment);
  const { sessions, problems } = workspace.redactor.value(await workspace.store.list());
  for (const problem of problems) environment.stderr.write(`warning: ${safeText(formatProblem(problem))}\n`);
  const rows = await findRows(environment, workspace, sessions, { ...flags, status: statuses, limit });
  if (flags.json) {
    const list = rows.map(
      ({ sessionId, nodeHistory: _nodes, outputs: _outputs, hasBegun: _begun, pauseRequestedAt: _pause, ...row }) => ({
        runId: sessionId,
        ...row,
      }),
    );
    environment.stdout.write(`${formatJson(list)}\n`);
  } else if (sessions.length === 0) {
    environment.stdout.write('There are no runs yet. Start one with: atomic run WORKFLOW "what to do"\n');
  } else if (rows.length === 0) environment.stdout.write("No run matches. List all runs: atomic runs list\n");
  else environment.stdout.write(formatRows(rows, { columns: tableColumns(environment.stdout) }));
  return ExitCode.done;
}

/** A status of several words may be written with a hyphen. @throws UsageError */
function statusOf(status: string): ShownStatus {
  const found = STATUSES.find((known) => known === status || known.replace(" ", "-") === status);
  if (found !== undefined) return found;
  const nearest = nearestName(status, STATUSES);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new UsageError(`No run has the status "${status}".${hint} Statuses: ${STATUSES.join(", ")}.`);
}

function limitOf({ limit }: ListRunsFlags): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw new UsageError(`--limit takes a whole number from 1, and not "${limit}".`);
  return Number(limit);
}

/** The newest runs that the options describe. */
async function findRows(
  environment: CliEnvironment,
  workspace: Workspace,
  sessions: readonly WorkflowSession[],
  {
    status: statuses,
    project,
    waiting,
    limit,
  }: Omit<ListRunsFlags, "limit" | "status"> & {
    readonly status: readonly ShownStatus[] | undefined;
    readonly limit: number;
  },
): Promise<readonly Row[]> {
  const folder = project === undefined ? undefined : projectOf(environment, workspace, project);
  const inFolder = sessions.filter(({ projectDirectory }) => folder === undefined || projectDirectory === folder);
  if (folder !== undefined && inFolder.length === 0 && !isFolder(folder)) {
    throw new UsageError(`--project names no folder: ${folder}. List all runs: atomic runs list`);
  }
  // To learn the status of a run can mean to read its journal.
  const isEach = statuses === undefined && waiting !== true;
  const candidates = isEach ? inFolder.slice(0, limit) : inFolder;
  const rows = await Promise.all(
    candidates.map(async (session): Promise<Row> => {
      const status = shownStatusOf(session, await workspace.runs.status(session));
      return { ...session, status };
    }),
  );
  const chosen: Row[] = [];
  for (const row of rows) {
    const isChosen = statuses?.some((status) => status === row.status) ?? true;
    if (isChosen && (waiting !== true || (await isWaiting(workspace, row)))) chosen.push(row);
    if (chosen.length === limit) break;
  }
  return chosen;
}

/** The project that `--project` names. One that was deleted is found by its own path only. */
function projectOf(
  { userHomeDirectory }: CliEnvironment,
  { workingDirectory, projectDirectory }: Workspace,
  project: string | true,
): string {
  if (project === true) return projectDirectory;
  const path = resolve(workingDirectory, project);
  return isFolder(path) ? findProject(path, userHomeDirectory) : path;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether a run has a question to a person, even while other branches of it work. */
async function isWaiting({ runs }: Workspace, { sessionId, sessionDir, status }: Row): Promise<boolean> {
  const isLive = status === "running" || status === "pausing";
  if (!isLive && !["suspended", "not started", "paused", "interrupted"].includes(status)) return false;
  if (isLive && readPublished(sessionDir).length + readPublishedQuestions(sessionDir).length > 0) return true;
  // A run that cannot be read has no question that anybody could answer.
  const report = await runs.report(sessionId).catch(() => undefined);
  return (report?.summary?.requests.length ?? 0) > 0;
}

function formatRows(rows: readonly Row[], style: TableStyle): string {
  const table = rows.map(
    ({ sessionId, workflowName, status, createdAt, projectDirectory, input, forkedFrom, ...row }) => [
      sessionId,
      workflowName,
      status,
      formatTime(createdAt),
      agentOf(row) ?? "",
      projectDirectory,
      safeLine([...forkOf(forkedFrom), promptOf(input) ?? ""].join(" "), PROMPT_COLUMNS),
    ],
  );
  const head = ["RUN", "WORKFLOW", "STATUS", "STARTED (UTC)", "AGENT", "PROJECT", "PROMPT"];
  return `${formatTable(head, table, style)}\n`;
}

function forkOf(origin: WorkflowSession["forkedFrom"]): readonly string[] {
  return origin === undefined ? [] : [`(fork of ${origin.runId})`];
}
