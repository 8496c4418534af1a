import { join } from "node:path";
import {
  noRedaction,
  type Redactor,
  type RunEvent,
  redactFields,
  type TelemetryPort,
  type WorkflowMetadata,
} from "../contracts/index.ts";
import {
  type Answers,
  type BaseState,
  type Checkpointer,
  type CodeGuard,
  type CompiledGraph,
  type ControlRunOptions,
  cancelRun,
  controlRun,
  DefaultSaver,
  findLostRecords,
  type LostRecords,
  type MigrateState,
  type NodeCommand,
  type RunBudget,
  type RunCheckpoint,
  type RunEdit,
  RunFinishedError,
  type RunOptions,
  type RunResult,
  type RunServices,
  type RunSummary,
  readRunHistory,
  readRunSummary,
  type SteerableRun,
} from "../graph/index.ts";
import { callBoth } from "./call-both.ts";
import { EVENTS_FILE, recordEvents } from "./event-record/record-events.ts";
import { notePause } from "./pause-state.ts";
import { LOG_FOLDER, type LogEntry, logEdit, RunLog, readRunLog } from "./run-log.ts";
import { describeStatus, type RunReportStatus, resultOfCompleted } from "./run-status.ts";
import { endSession, keepSettings, lastOf, takeSession } from "./session-changes.ts";
import { editInput, inputOf, redactInput, warnOfSecrets } from "./session-input.ts";
import { JournalMissingError } from "./session-store/session-errors.ts";
import type { SessionStore } from "./session-store/session-store.ts";
import { toJson } from "./session-store/to-json.ts";
import type { SessionOwner, SessionSettings, WorkflowSession } from "./session-store/workflow-session.ts";
import { createTaskStore } from "./tasks/task-store.ts";
import { versioningOf } from "./versioning-of.ts";

/** What a process brings to a run. */
export interface ExecuteOptions {
  readonly graph: CompiledGraph;
  readonly metadata: WorkflowMetadata;
  readonly services: RunServices;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** Surrounds the code of nodes. */
  readonly guard?: CodeGuard;
  /** See `RunOptions`. */
  readonly takeAnswer?: (request: string, value: unknown) => boolean;
  /** The agent that works where nodes name none. */
  readonly agent?: string;
  /** The model of nodes that name neither one nor another agent than {@link agent}. */
  readonly model?: string;
  /** The run's budget, for all its processes together. */
  readonly budget?: RunBudget;
  /** See `SessionSettings`. Undefined takes that of an earlier process away. @default it stays */
  readonly recording?: SessionSettings["recording"] | undefined;
  /** Brings the state of a run that an older version of the workflow began to today's shape. */
  readonly migrateState?: MigrateState;
  /** Receives the run's spans. @default that of the graph */
  readonly telemetry?: TelemetryPort;
}

/** What a process needs to read a run. */
export type ReadOptions = Pick<ExecuteOptions, "graph" | "metadata" | "services" | "migrateState">;

/** Options of an edit. */
export interface EditSessionOptions extends ReadOptions {
  /** Whether the run begins with it, as a fork does: then its input changes, too. @default false */
  readonly isOfStart?: boolean;
}

/** What begins a run. */
export interface StartOptions extends ExecuteOptions {
  readonly input: Readonly<Record<string, unknown>>;
  readonly projectDirectory: string;
  /** What holds also when another process resumes the run. */
  readonly settings?: SessionSettings;
  /** Called as soon as the run has an id and a folder. */
  readonly onSession?: (session: WorkflowSession) => void;
}

/** Options of a resume. */
export interface ResumeSessionOptions extends ExecuteOptions {
  /** What is to be done to nodes before anything else. */
  readonly commands?: readonly NodeCommand[];
}

/** A run as lists and reports show it. */
export interface RunReport {
  readonly session: WorkflowSession;
  /** `interrupted`: its process died without a word; it can be resumed. */
  readonly status: RunReportStatus;
  /** Absent for a run that has not begun, or whose journal is missing. */
  readonly summary: RunSummary | undefined;
  /** Set when the run has started and has no journal, so it cannot be resumed. */
  readonly missing?: JournalMissingError;
}

/** Runs workflows in sessions: each has a folder with its journal, readable and resumable from any process. */
export interface WorkflowRuns {
  start(options: StartOptions): Promise<RunResult>;
  /** @throws what `CompiledGraph.resume` throws */
  resume(id: string, answers: Answers, options: ResumeSessionOptions): Promise<RunResult>;
  /** Steers a run that another process executes. */
  control(id: string, options?: ControlRunOptions): SteerableRun;
  /**
   * Changes the state of a run that no process executes. The input that it was started with stays as it was; the run's log and
   * its history have the new values.
   *
   * @throws what `CompiledGraph.edit` throws, JournalMissingError
   */
  edit(id: string, edit: RunEdit, options: EditSessionOptions): Promise<BaseState>;
  /** The state of a run as far as it has come. @throws what `CompiledGraph.latestState` throws */
  state(id: string, options: ReadOptions): Promise<BaseState>;
  /** The moments of a run, oldest first; none for one that has not begun. @throws JournalCorruptError */
  history(id: string): Promise<readonly RunCheckpoint[]>;
  /** What a run and its nodes said, oldest first; the latest where that is very much. */
  log(id: string): Promise<readonly LogEntry[]>;
  /** Marks a run that no process executes as cancelled. @throws RunLockedError, RunFinishedError */
  cancel(id: string): Promise<void>;
  /** Whether a process executes the run at this moment. */
  isLive(id: string): Promise<boolean>;
  /** Where the run of a session stands, at less cost than a report. */
  status(session: WorkflowSession): Promise<RunReportStatus>;
  report(id: string): Promise<RunReport>;
  /** What the end of a run's journal has lost since a process last wrote it. @throws JournalCorruptError */
  findLoss(id: string): Promise<LostRecords | undefined>;
}

/** Settings of {@link createWorkflowRuns}. */
export interface WorkflowRunsOptions {
  readonly store: SessionStore;
  /** This process, for `session.json` and for the message another one gets. */
  readonly owner: SessionOwner;
  /** Takes secrets out of all that is kept of runs. @default nothing is redacted */
  readonly redactor?: Redactor;
}

/** Opens the runs of a session store. */
export function createWorkflowRuns(options: WorkflowRunsOptions): WorkflowRuns {
  const { store, owner, redactor = noRedaction } = options;
  const servicesOf = ({ services }: Pick<ExecuteOptions, "services">): RunServices => ({ redactor, ...services });
  const saverOf = (id: string): Checkpointer =>
    new DefaultSaver({
      directory: store.directoryOf(id),
      owner: `process ${owner.pid}`,
      processId: owner.pid,
    });
  return {
    start: (start) => startSession(options, { ...start, services: servicesOf(start) }, saverOf),
    resume: (id, answers, resume) =>
      resumeSession(options, { ...resume, services: servicesOf(resume), id, answers, saver: saverOf(id) }),
    control: (id, control) => notePause(store, id, controlRun(saverOf(id), id, { ...control, redactor })),
    async edit(id, edit, { graph, isOfStart = false, ...read }) {
      const session = await store.load(id);
      const isLost = isJournalExpected(session) && !(await isBegun(saverOf(id), id));
      if (isLost) throw new JournalMissingError(id, session.sessionDir);
      const state = await graph.edit(id, edit, {
        checkpointer: saverOf(id),
        services: servicesOf(read),
        ...versioningOf(read),
      });
      const { set = {} } = edit;
      if (isOfStart) {
        await store.update(id, (current) => editInput(current, { set, metadata: read.metadata, redactor }));
        return state;
      }
      const last = (await readRunHistory(saverOf(id), id)).findLast(({ type }) => type === "edit");
      const { at = Date.now(), changes = {} } = last ?? {};
      logEdit(join(store.directoryOf(id), LOG_FOLDER), { at, changes: redactFields(changes, redactor ?? noRedaction) });
      return state;
    },
    state: (id, { graph, ...read }) =>
      graph.latestState(id, { checkpointer: saverOf(id), services: servicesOf(read), ...versioningOf(read) }),
    history: async (id) => ((await isBegun(saverOf(id), id)) ? await readRunHistory(saverOf(id), id) : []),
    log: (id) => readRunLog(join(store.directoryOf(id), LOG_FOLDER), redactor),
    async cancel(id) {
      // A run that was killed before its first step has no journal to close.
      if (await isBegun(saverOf(id), id)) await cancelRun(saverOf(id), id);
      await store.update(id, ({ error: _error, ...session }) => ({ ...session, status: "cancelled" }));
    },
    isLive: (id) => saverOf(id).isHeld(id),
    findLoss: (id) => findLostRecords(saverOf(id), id),
    status: (session) => statusOf(session, saverOf(session.sessionId)),
    async report(id) {
      const session = await store.load(id);
      // The lease knows better than the file, which is written a moment later and never by a process that was killed.
      const isLive = await saverOf(id).isHeld(id);
      if (await isBegun(saverOf(id), id)) {
        const summary = await readRunSummary(saverOf(id), id);
        return { session, status: describeStatus({ session, isLive, journal: summary.status }), summary };
      }
      const isExpected = isJournalExpected(session) || (await saverOf(id).findLoss?.(id)) !== undefined;
      const missing = isExpected ? new JournalMissingError(id, session.sessionDir) : undefined;
      const status = describeStatus({ session, isLive, journal: undefined });
      return { session, status, summary: undefined, ...(missing === undefined ? {} : { missing }) };
    },
  };
}

async function statusOf(session: WorkflowSession, saver: Checkpointer): Promise<RunReportStatus> {
  // A process that ends a run stores its status in the session. After a crash, the journal may know more.
  if (session.status !== "running") return describeStatus({ session, isLive: false, journal: undefined });
  const { sessionId: id } = session;
  if (await saver.isHeld(id)) return describeStatus({ session, isLive: true, journal: undefined });
  // The run's report describes a broken journal; a list does not.
  const summary = await readRunSummary(saver, id).catch(() => undefined);
  return describeStatus({ session, isLive: false, journal: summary?.status });
}

async function startSession(
  { store, owner }: WorkflowRunsOptions,
  options: StartOptions,
  saverOf: (id: string) => Checkpointer,
): Promise<RunResult> {
  const { graph, projectDirectory, agent, model, metadata } = options;
  const input = redactInput(options.input, options.services);
  const settings = keepSettings(options.settings, options);
  const session = await store.create({
    workflowName: metadata.name,
    projectDirectory,
    input: toJson(input),
    owner,
    ...(metadata.version === undefined ? {} : { workflowVersion: metadata.version }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(settings === undefined ? {} : { settings }),
  });
  options.onSession?.(session);
  const runId = session.sessionId;
  const saver = saverOf(runId);
  try {
    if (input !== options.input) warnOfSecrets(options, runId);
    return await execute(store, { ...options, session, saver }, (runOptions) =>
      graph.run(input, { ...runOptions, runId }),
    );
  } catch (error) {
    // The graph rejected the input: the run did not start, so there is nothing to look at or to resume.
    if (!(await isBegun(saver, runId).catch(() => true))) await store.remove(runId);
    throw error;
  }
}

interface ResumeOptions extends ResumeSessionOptions {
  readonly id: string;
  readonly answers: Answers;
  readonly saver: Checkpointer;
}

async function resumeSession({ store, owner }: WorkflowRunsOptions, options: ResumeOptions): Promise<RunResult> {
  const { id, answers, graph, saver, commands = [] } = options;
  const session = await store.load(id);
  // Limits that the resume does not set stay as they were at the start.
  const budget = { ...session.settings?.budget, ...options.budget };
  let taken: Promise<unknown> | undefined;
  const onEvent = (event: RunEvent): void => {
    // The lease is ours from here on: only now may the session say so.
    if (event.type === "run-start")
      taken = store.update(id, (current) => takeSession(current, owner, { ...options, budget }));
    // A failure is reported when the run has ended. Before that, it must not count as unhandled.
    taken?.catch(() => undefined);
    options.onEvent?.(event);
  };
  return await execute(store, { ...options, budget, session, onEvent }, async (runOptions) => {
    const isHere = await isBegun(saver, id);
    const isExpected = isJournalExpected(session) || (await saver.findLoss?.(id)) !== undefined;
    if (!isHere && isExpected) throw new JournalMissingError(id, session.sessionDir);
    // A run that was killed before its first step begins with the input it was given.
    const result = isHere
      ? await graph.resume(id, answers, { ...runOptions, commands }).catch(async (error: unknown) => {
          const isAsked = commands.length > 0 || Object.keys(answers).length > 0;
          if (!(error instanceof RunFinishedError) || session.status === "completed" || isAsked) throw error;
          return await closeCompleted(store, id, { ...options, checkpointer: saver });
        })
      : await graph.run(inputOf(session), { ...runOptions, runId: id });
    await taken;
    return result;
  });
}

/** Does for a run what its process had no time for: it was killed between the journal's last record and the session's. */
async function closeCompleted(
  store: SessionStore,
  id: string,
  {
    graph,
    checkpointer,
    metadata,
    services,
    onEvent,
    ...options
  }: ExecuteOptions & { readonly checkpointer: Checkpointer },
): Promise<RunResult> {
  const summary = await readRunSummary(checkpointer, id);
  const read = { checkpointer, services, ...versioningOf({ ...options, metadata }) };
  const result = await resultOfCompleted(graph, summary, read);
  const nodeHistory = summary.nodes.filter(({ status }) => status === "completed").map(({ nodeId }) => nodeId);
  await store.update(id, (session) => ({ ...session, nodeHistory: lastOf(nodeHistory) }));
  const { status, usage, output } = result;
  const about = { runId: id, at: summary.updatedAt };
  onEvent?.({ ...about, type: "run-start", workflow: metadata.name, isResume: true });
  onEvent?.({ ...about, type: "run-end", status, usage, ...(output === undefined ? {} : { output }) });
  return result;
}

interface ExecutedSession extends ExecuteOptions {
  readonly session: WorkflowSession;
  readonly saver: Checkpointer;
}

async function execute(
  store: SessionStore,
  { session, saver, metadata, ...options }: ExecutedSession,
  run: (options: RunOptions) => Promise<RunResult>,
): Promise<RunResult> {
  const { name, version } = metadata;
  const history: string[] = [];
  let noted: Promise<unknown> | undefined;
  const log = new RunLog(join(session.sessionDir, LOG_FOLDER));
  const record = recordEvents(join(session.sessionDir, EVENTS_FILE));
  const result = await run({
    name,
    ...(version === undefined ? {} : { version }),
    ...versioningOf({ ...options, metadata }),
    ...(options.model === undefined ? {} : defaultModelOf(options.model, options.agent)),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    checkpointer: saver,
    services: { tasks: createTaskStore(), ...options.services, sessionDirectory: session.sessionDir },
    signal: options.signal,
    ...(options.guard === undefined ? {} : { guard: options.guard }),
    ...(options.takeAnswer === undefined ? {} : { takeAnswer: options.takeAnswer }),
    ...(options.telemetry === undefined ? {} : { telemetry: options.telemetry }),
    onEvent(event) {
      if (event.type === "node-end") history.push(event.nodeId);
      if (event.type === "checkpoint" && !session.hasBegun) noted ??= noteBeginning(store, session.sessionId);
      // What is thrown becomes a warning of the run.
      callBoth(
        () => options.onEvent?.(event),
        () =>
          callBoth(
            () => log.add(event),
            () => record.add(event),
          ),
      );
    },
  }).finally(() => {
    log.close();
    record.close();
  });
  await noted;
  await store.update(session.sessionId, (current) => endSession(current, result, history));
  return result;
}

function defaultModelOf(
  defaultModel: string,
  agent: string | undefined,
): Pick<RunOptions, "defaultModel" | "defaultModelAgent"> {
  return { defaultModel, ...(agent === undefined ? {} : { defaultModelAgent: agent }) };
}

/** Records that the journal has its first entry: from now on, a missing journal is an error. */
function noteBeginning(store: SessionStore, id: string): Promise<unknown> {
  const noted = store.update(id, (current) => ({ ...current, hasBegun: true }));
  // A failure is reported when the run has ended. Before that, it must not count as unhandled.
  noted.catch(() => undefined);
  return noted;
}

/** Whether the run has begun, by its session; also by one of a version that did not note it. */
function isJournalExpected({ hasBegun, status, nodeHistory }: WorkflowSession): boolean {
  return hasBegun === true || nodeHistory.length > 0 || (status !== "running" && status !== "cancelled");
}

/** Whether the journal has a first step of this run. */
async function isBegun(saver: Checkpointer, id: string): Promise<boolean> {
  try {
    return (await saver.list()).includes(id);
  } catch (error) {
    // It is the only run there: what is wrong with the list is wrong with its journal.
    await saver.read(id);
    throw error;
  }
}
