import { join } from "node:path";
import type { Json, RunEvent, WorkflowMetadata } from "../contracts/index.ts";
import {
  type Answers,
  type CompiledGraph,
  cancelRun,
  type RunResult,
  type RunServices,
  type RunSummary,
  readRunSummary,
  SqliteSaver,
} from "../graph/index.ts";
import type { SessionStore } from "./session-store/session-store.ts";
import type {
  SessionOwner,
  SessionSettings,
  WorkflowSession,
  WorkflowSessionStatus,
} from "./session-store/workflow-session.ts";

/** How many names `session.json` keeps of the nodes that ran. */
const MAX_NODE_HISTORY = 1_000;

/** What a process brings to a run. */
export interface ExecuteOptions {
  readonly graph: CompiledGraph;
  readonly metadata: WorkflowMetadata;
  readonly services: RunServices;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  readonly model?: string;
}

/** What begins a run. */
export interface StartOptions extends ExecuteOptions {
  readonly input: Readonly<Record<string, unknown>>;
  readonly projectDirectory: string;
  readonly agent?: string;
  /** What holds also when another process resumes the run. */
  readonly settings?: SessionSettings;
  /** Told as soon as the run has an id and a folder. */
  readonly onSession?: (session: WorkflowSession) => void;
}

/** A run as lists and reports show it. */
export interface RunReport {
  readonly session: WorkflowSession;
  /** `interrupted`: its process died without a word; it can be resumed. */
  readonly status: WorkflowSessionStatus | "interrupted";
  readonly summary: RunSummary | undefined;
}

/** Runs workflows in sessions: each has a folder with its journal, readable and resumable from any process. */
export interface WorkflowRuns {
  start(options: StartOptions): Promise<RunResult>;
  /** @throws what `CompiledGraph.resume` throws */
  resume(id: string, answers: Answers, options: ExecuteOptions): Promise<RunResult>;
  /** Checks answers without taking them. @throws UnknownRequestError, InvalidAnswerError */
  checkAnswers(id: string, answers: Answers, graph: CompiledGraph): Promise<void>;
  /** Marks a run that no process executes as cancelled. @throws RunLockedError, RunFinishedError */
  cancel(id: string): Promise<void>;
  /** Whether a process executes the run at this moment. */
  isLive(id: string): Promise<boolean>;
  report(id: string): Promise<RunReport>;
}

/** Settings of {@link createWorkflowRuns}. */
export interface WorkflowRunsOptions {
  readonly store: SessionStore;
  /** This process, for `session.json` and for the message another one gets. */
  readonly owner: SessionOwner;
}

/** Opens the runs of a session store. */
export function createWorkflowRuns({ store, owner }: WorkflowRunsOptions): WorkflowRuns {
  const saverOf = (id: string): SqliteSaver =>
    new SqliteSaver({ path: join(store.directoryOf(id), "journal.db"), owner: `process ${owner.pid}` });

  async function execute(
    session: WorkflowSession,
    options: ExecuteOptions,
    run: (settings: RunSettings) => Promise<RunResult>,
  ): Promise<RunResult> {
    const { sessionId } = session;
    const history: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-end") history.push(event.nodeId);
      options.onEvent?.(event);
    };
    const { name, version, stateVersion } = options.metadata;
    const result = await run({
      name,
      ...(version === undefined ? {} : { version }),
      ...(stateVersion === undefined ? {} : { stateVersion }),
      ...(options.model === undefined ? {} : { defaultModel: options.model }),
      checkpointer: saverOf(sessionId),
      services: { ...options.services, sessionDirectory: session.sessionDir },
      signal: options.signal,
      onEvent,
    });
    await store.update(sessionId, (current) => endSession(current, result, history));
    return result;
  }

  return {
    async start(options) {
      const { input, projectDirectory, agent, model, metadata, settings } = options;
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
      return await execute(session, options, (runSettings) =>
        options.graph.run(input, { ...runSettings, runId: session.sessionId }),
      );
    },
    async resume(id, answers, options) {
      const session = await store.load(id);
      const taking: Promise<unknown>[] = [];
      const result = await execute(session, options, async (settings) => {
        const onEvent = (event: RunEvent): void => {
          // The lease is ours from here on: only now may the session say so.
          if (event.type === "run-start") taking.push(store.update(id, (current) => takeSession(current, owner)));
          settings.onEvent(event);
        };
        return await resumeOrBegin(session, answers, { graph: options.graph, settings: { ...settings, onEvent } });
      });
      await Promise.all(taking);
      return result;
    },
    checkAnswers: (id, answers, graph) => graph.checkAnswers(id, answers, saverOf(id)),
    async cancel(id) {
      await cancelRun(saverOf(id), id);
      await store.update(id, ({ error: _error, ...session }) => ({ ...session, status: "cancelled" }));
    },
    isLive: (id) => saverOf(id).isHeld(id),
    async report(id) {
      const session = await store.load(id);
      const isLive = session.status === "running" && (await saverOf(id).isHeld(id));
      const status = session.status === "running" && !isLive ? "interrupted" : session.status;
      const summary = await readRunSummary(saverOf(id), id).catch(ignoreMissing);
      return { session, status, summary };
    },
  };
}

interface ResumeOptions {
  readonly graph: CompiledGraph;
  readonly settings: RunSettings;
}

/** A process that died between making the session and its first step left no journal: the run begins from its input. */
async function resumeOrBegin(
  session: WorkflowSession,
  answers: Answers,
  { graph, settings }: ResumeOptions,
): Promise<RunResult> {
  try {
    return await graph.resume(session.sessionId, answers, settings);
  } catch (error) {
    ignoreMissing(error);
    // The cast is true: a session's input was an object when the run was started.
    const input = session.input as Readonly<Record<string, unknown>>;
    return await graph.run(input, { ...settings, runId: session.sessionId });
  }
}

interface RunSettings {
  readonly name: string;
  readonly checkpointer: SqliteSaver;
  readonly services: RunServices;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
}

function takeSession(session: WorkflowSession, owner: SessionOwner): WorkflowSession {
  const { error: _error, ...kept } = session;
  return { ...kept, status: "running", owner };
}

function endSession(session: WorkflowSession, result: RunResult, history: readonly string[]): WorkflowSession {
  const { error: _error, ...kept } = session;
  const nodeHistory = [...session.nodeHistory, ...history].slice(-MAX_NODE_HISTORY);
  const status: WorkflowSessionStatus = result.status === "suspended" ? "paused" : result.status;
  const outputs = toJsonObject(result.state.outputs);
  return {
    ...kept,
    status,
    nodeHistory,
    outputs,
    ...(result.errorInfo === undefined ? {} : { error: result.errorInfo }),
  };
}

/** The part of a value that JSON can say: `session.json` is for people, the journal keeps the whole. */
function toJson(value: unknown): Json {
  // The cast is true: JSON.parse makes nothing else.
  return JSON.parse(JSON.stringify(value) ?? "null") as Json;
}

function toJsonObject(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const json = toJson(value);
  // The cast is true: an object stays an object.
  return json as Readonly<Record<string, unknown>>;
}

/** A process that died between making the session and its first step leaves no journal. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "RUN_UNKNOWN") return;
  throw error;
}
