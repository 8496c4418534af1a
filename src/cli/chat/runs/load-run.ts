import { join } from "node:path";
import { NO_USAGE } from "../../../contracts/index.ts";
import type { GraphStep, RunDetails, RunSummary, RunTask } from "../../../tui/index.ts";
import type { RunReportStatus, WorkflowSession } from "../../../workflows/index.ts";
import { pauseStateOf } from "../../../workflows/run-kit.ts";
import { formatOutput } from "../../output/format-output.ts";
import { promptOf } from "../../run-input.ts";
import type { Workspace } from "../../workspace.ts";

/** The longest prompt of a summary, in characters. */
const MAX_PROMPT_LENGTH = 500;

/** Settings of {@link listRuns}. */
export interface ListRunsOptions {
  /** @default all */
  readonly limit?: number;
  /** Whether the journal of a run that has not ended can be read. */
  readonly isReadable: (session: WorkflowSession) => Promise<boolean>;
}

/** The runs of this machine, newest first. @throws errors of the session store */
export async function listRuns(
  { store, runs, redactor }: Workspace,
  { limit = Number.POSITIVE_INFINITY, isReadable }: ListRunsOptions,
): Promise<readonly RunSummary[]> {
  const { sessions } = await store.list();
  const newest = sessions.slice(0, limit);
  const summaries = newest.map(async (session): Promise<RunSummary> => {
    const status = await runs.status(session);
    const summary = summaryOf(session, status);
    // The status of a run that no process executes and that has not ended is that of its journal.
    const isOpen = status === "suspended" || status === "interrupted";
    return !isOpen || (await isReadable(session)) ? summary : { ...summary, state: "unreadable" };
  });
  return redactor.value(await Promise.all(summaries));
}

function summaryOf(session: WorkflowSession, status: RunReportStatus): RunSummary {
  const { sessionId, workflowName, projectDirectory, input, agent, owner, createdAt } = session;
  return {
    id: sessionId,
    workflow: workflowName,
    state: pauseStateOf(session, status) ?? status,
    prompt: (promptOf(input) ?? "").slice(0, MAX_PROMPT_LENGTH).replace(/\s+/g, " ").trim(),
    projectDirectory,
    startedAt: Date.parse(createdAt),
    ...(agent === undefined ? {} : { agent }),
    ...(owner === undefined ? {} : { execution: `${owner.pid} ${owner.startedAt}` }),
  };
}

/**
 * What is known about a run besides its events.
 *
 * @param steps loads the steps of its workflow
 * @throws errors of the session store, JournalCorruptError
 */
export async function loadRun(
  { store, runs, redactor }: Workspace,
  id: string,
  steps: (session: WorkflowSession) => Promise<readonly GraphStep[]>,
): Promise<RunDetails> {
  const report = await runs.report(await store.resolveId(id));
  const { session, status, summary, missing } = report;
  const { usage = NO_USAGE, requests = [], output } = summary ?? {};
  const error = summary?.error ?? (missing && { code: missing.code, message: missing.message });
  return redactor.value({
    ...summaryOf(session, status),
    ...(session.model === undefined ? {} : { model: session.model }),
    usage,
    requests,
    steps: await steps(session),
    ...(await loadTaskList(session)),
    ...(error === undefined ? {} : { error }),
    ...(status !== "completed" || output === undefined ? {} : { output: formatOutput(output) }),
  });
}

/** The tasks of a run that has a list of them. A list that somebody is just writing is left out. */
async function loadTaskList({ sessionDir }: WorkflowSession): Promise<Pick<RunDetails, "tasks" | "tasksFile">> {
  const tasksFile = join(sessionDir, "tasks.json");
  const { loadTasks } = await import("../../../workflows/index.ts");
  try {
    const { tasks } = await loadTasks(tasksFile);
    return { tasksFile, tasks: tasks.map(toRunTask) };
  } catch {
    return { tasks: [] };
  }
}

function toRunTask({
  id,
  name,
  status,
  dependencies = [],
}: RunTask & { readonly dependencies?: readonly string[] }): RunTask {
  return { id, name, status, ...(dependencies.length === 0 ? {} : { dependsOn: dependencies }) };
}
