import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TaskProgress } from "../contracts/index.ts";
import {
  DefaultSaver,
  type JournalEntry,
  type PreparedFork,
  type RunCheckpoint,
  readRunHistory,
  type Task,
} from "../graph/index.ts";
import { readEvents } from "./event-record/read-events.ts";
import { EVENTS_FILE } from "./event-record/record-events.ts";
import { INHERITED_FILE, summarizePast, writeInheritedPast } from "./inherited-visits.ts";
import { editInput, inputOf } from "./session-input.ts";
import { SESSION_FILE } from "./session-store/session-draft.ts";
import { toJson } from "./session-store/to-json.ts";
import type { WorkflowSession } from "./session-store/workflow-session.ts";
import { loadTasks, saveTasks, TasksFileNotFoundError } from "./tasks/tasks-file.ts";
import { versioningOf } from "./versioning-of.ts";
import type { ReadOptions, WorkflowRunsOptions } from "./workflow-runs.ts";

/** Files of a session that belong to its own run. */
const OWN_FILES: ReadonlySet<string> = new Set([SESSION_FILE, EVENTS_FILE, INHERITED_FILE, "logs", "checkpoints"]);
const TASKS_FILE = "tasks.json";

/** Where a run is forked from. */
export interface ForkSessionOptions extends ReadOptions {
  /** The run that does not change. */
  readonly origin: WorkflowSession;
  /** The `sequence` of a moment of {@link origin}. */
  readonly at: number;
}

/**
 * Creates a run in a session of its own that continues from a moment of another run; `resume` executes it. What the
 * old session's folder contains is copied, and paths to it in the state lead to the copies. A task list becomes that of the moment.
 *
 * @throws what `CompiledGraph.prepareFork` throws
 */
export async function forkSession(
  { store, owner, redactor }: WorkflowRunsOptions,
  { origin, at, graph, services, ...read }: ForkSessionOptions,
): Promise<WorkflowSession> {
  const { sessionId: runId, sessionDir: folder } = origin;
  const { workflowName, workflowVersion, projectDirectory, input, agent, model } = origin;
  const { recording, ...others } = origin.settings ?? {};
  // A recording that is written belongs to one run.
  const settings = recording?.type === "replay" ? origin.settings : origin.settings && others;
  const saverOptions = { owner: `process ${owner.pid}`, processId: owner.pid };
  const source = new DefaultSaver({ directory: folder, ...saverOptions });
  const session = await store.create({
    ...{ workflowName, projectDirectory, input, owner, forkedFrom: { runId, at } },
    ...(workflowVersion === undefined ? {} : { workflowVersion }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(settings === undefined ? {} : { settings }),
  });
  const { sessionId, sessionDir } = session;
  try {
    const checkpointer = new ForkSaver({ source, runId, directory: sessionDir, ...saverOptions });
    const replaceText = (text: string): string => leadTo(text, { from: origin, to: session });
    const known = redactor === undefined ? services : { redactor, ...services };
    const options = { runId: sessionId, checkpointer, ...versioningOf(read), services: known };
    const fork = await graph.prepareFork(runId, { at, replaceText }, options);
    await copyFiles(folder, sessionDir);
    await writeInheritedPast(sessionDir, await summarizePast({ runId, directory: folder, at, ...saverOptions }));
    const moments = await readRunHistory(source, runId);
    const moment = moments.find(({ sequence }) => sequence === at);
    if (moment !== undefined) await rewindTasks({ folder, sessionDir, moment, fork });
    const edits = moments.filter(({ type }) => type === "edit");
    const isEditedLater = edits.some(({ sequence }) => sequence > at);
    const set = Object.assign({}, ...edits.filter(({ sequence }) => sequence <= at).map(({ changes }) => changes));
    return await store.update(sessionId, (current) => {
      const begun = { ...current, status: "paused", hasBegun: true, isUnstarted: true } as const;
      // Earlier versions of Atomic put later edits into the input of the old run.
      return isEditedLater ? rewindInput(begun, fork) : editInput(begun, { set, metadata: read.metadata, redactor });
    });
  } catch (error) {
    await store.remove(sessionId);
    throw error;
  }
}

/** The session with the input of the moment: later edits of the old run do not count. Pure. */
function rewindInput(session: WorkflowSession, { states: [state = {}] }: PreparedFork): WorkflowSession {
  const input = Object.entries(inputOf(session)).map(([name, value]) => [name, state[name] ?? value]);
  return { ...session, input: toJson(Object.fromEntries(input)) };
}

/** Reads the journal of the old run, and writes that of the new one, each in its session. */
class ForkSaver extends DefaultSaver {
  readonly #source: DefaultSaver;
  readonly #runId: string;

  constructor({
    source,
    runId,
    ...options
  }: ConstructorParameters<typeof DefaultSaver>[0] & { readonly source: DefaultSaver; readonly runId: string }) {
    super(options);
    this.#source = source;
    this.#runId = runId;
  }

  override async read(runId: string): Promise<readonly JournalEntry[]> {
    return runId === this.#runId ? await this.#source.read(runId) : await super.read(runId);
  }
}

/** A text of the old run in the new one: a path in the session's folder, or the name of a worker. */
function leadTo(text: string, { from, to }: { readonly from: WorkflowSession; readonly to: WorkflowSession }): string {
  const worker = `${from.sessionId}:`;
  if (text.startsWith(worker)) return `${to.sessionId}:${text.slice(worker.length)}`;
  return text.replaceAll(from.sessionDir, to.sessionDir);
}

/** Copies what the run's nodes have left in the session's folder, not what belongs to the process or the journal. */
async function copyFiles(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (OWN_FILES.has(name) || name.startsWith(".") || /^journal\b|\.lock$|\.lease$|mailbox/.test(name)) continue;
    await cp(join(from, name), join(to, name), { recursive: true, errorOnExist: false, verbatimSymlinks: true });
  }
}

interface Rewind {
  /** The old session's folder. */
  readonly folder: string;
  readonly sessionDir: string;
  readonly moment: RunCheckpoint;
  readonly fork: PreparedFork;
}

/**
 * Sets the copied task list to what it was at the moment, as far as the record of events has it: later tasks are left out,
 * the others get their status back. A task is in progress only where a worker of the fork has it.
 */
async function rewindTasks({ folder, sessionDir, moment, fork }: Rewind): Promise<void> {
  const path = join(sessionDir, TASKS_FILE);
  const file = await loadTasks(path).catch((error: unknown) => {
    if (!(error instanceof TasksFileNotFoundError)) throw error;
  });
  if (file === undefined) return;
  const then = await readTasksAt(join(folder, EVENTS_FILE), moment.at);
  const held = new Map(fork.states.flatMap((state) => currentTaskOf(state)).map((task) => [task.id, task]));
  const tasks = file.tasks.flatMap((task): readonly Task[] => {
    const status = then === undefined ? task.status : then.get(task.id);
    if (status === undefined) return [];
    const holder = held.get(task.id);
    if (status === "in_progress" && holder !== undefined) return [{ ...task, status, ...metadataOf(holder) }];
    if (status === "in_progress" || status === "pending") return [withoutNote({ ...task, status: "pending" })];
    return [{ ...task, status }];
  });
  await saveTasks(path, { ...file, tasks });
}

/** The statuses of the tasks at a time, by id; `undefined` if the record has none. */
async function readTasksAt(path: string, at: number): Promise<ReadonlyMap<string, Task["status"]> | undefined> {
  let tasks: readonly TaskProgress[] | undefined;
  for await (const event of readEvents(path)) if (event.type === "tasks" && event.at <= at) tasks = event.tasks;
  return tasks && new Map(tasks.map(({ id, status }) => [id, status]));
}

/** The task that a worker has, by the state of its branch. */
function currentTaskOf({ currentTask: task }: Readonly<Record<string, unknown>>): readonly Task[] {
  if (typeof task !== "object" || task === null || !("id" in task) || typeof task.id !== "string") return [];
  // The cast is true: only the loop over tasks writes this field.
  return [task as Task];
}

function metadataOf({ metadata }: Task): Pick<Task, "metadata"> {
  return metadata === undefined ? {} : { metadata };
}

/** Attempts after the moment do not count. */
function withoutNote({ metadata, ...task }: Task): Task {
  const { loop: _loop, ...others } = metadata ?? {};
  return Object.keys(others).length === 0 ? task : { ...task, metadata: others };
}
