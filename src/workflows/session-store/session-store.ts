import { join } from "node:path";
import { type DiscoveryProblem, type Json, messageOf } from "../../contracts/index.ts";
import { resolveSessionId } from "./resolve-session-id.ts";
import {
  BROKEN_SESSION_REMEDY,
  BrokenSessionError,
  WorkflowSessionExistsError,
  WorkflowSessionNotFoundError,
} from "./session-errors.ts";
import {
  listSessionIds,
  makeSessionFolder,
  readSession,
  removeSessionFolder,
  sessionDirectory,
  sessionFile,
  writeSession,
} from "./session-folder.ts";
import { generateWorkflowSessionId } from "./session-id.ts";
import type { SessionOrigin, SessionOwner, SessionSettings, WorkflowSession } from "./workflow-session.ts";

/** Options of {@link SessionStore.create}. */
export interface CreateSessionOptions {
  readonly workflowName: string;
  readonly projectDirectory: string;
  readonly input: Json;
  readonly workflowVersion?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly settings?: SessionSettings;
  readonly owner?: SessionOwner;
  readonly forkedFrom?: SessionOrigin;
  /** Used instead of a generated identifier. */
  readonly id?: string;
}

/** All usable sessions, and the problems of the others. */
export interface SessionList {
  /** Newest first. */
  readonly sessions: readonly WorkflowSession[];
  readonly problems: readonly DiscoveryProblem[];
}

/**
 * The sessions in one folder. Every method but `resolveId` takes a whole identifier. An invalid one throws an
 * `InvalidSessionIdError`, an unknown one a `WorkflowSessionNotFoundError`. Changes of one session through one store are
 * made in sequence; the lease of the run excludes other processes.
 */
export interface SessionStore {
  /** Makes the folder of a session and writes its file. @throws WorkflowSessionExistsError */
  create(options: CreateSessionOptions): Promise<WorkflowSession>;
  /** @throws BrokenSessionError */
  load(id: string): Promise<WorkflowSession>;
  /** Writes a session with the current time, and returns what was written. Fields of other versions stay in the file. */
  save(session: WorkflowSession): Promise<WorkflowSession>;
  /** Loads, changes and saves a session without another change in between. @throws BrokenSessionError */
  update(id: string, change: (session: WorkflowSession) => WorkflowSession): Promise<WorkflowSession>;
  /** The identifiers of all sessions, in no order. */
  ids(): Promise<readonly string[]>;
  /** A folder without a usable file is a problem. */
  list(): Promise<SessionList>;
  /**
   * The identifier a person means: a whole one in any case, or at least 4 characters that only one begins with.
   * @throws WorkflowSessionNotFoundError, AmbiguousSessionIdError, InvalidSessionIdError
   */
  resolveId(prefixOrId: string): Promise<string>;
  /** Deletes the folder of a session with all that is in it. */
  remove(id: string): Promise<void>;
  /** The folder of a session, whether it exists or not. */
  directoryOf(id: string): string;
}

/** Settings of {@link createSessionStore}. */
export interface SessionStoreOptions {
  /** The folder that holds the sessions, see {@link workflowSessionsDirectory}. */
  readonly root: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/** How often a generated identifier may turn out to be taken before something else must be wrong. */
const MAX_ID_ATTEMPTS = 5;
/** How many files are read at once while listing. */
const LIST_BATCH = 64;

/** The folder of all sessions in the user's Atomic folder, for example `~/.atomic/workflows/sessions`. */
export function workflowSessionsDirectory(atomicHome: string): string {
  return join(atomicHome, "workflows", "sessions");
}

/**
 * Opens the store of a folder, which need not exist yet.
 *
 * @example
 * const store = createSessionStore({ root: workflowSessionsDirectory(atomicHome) });
 * const { sessionId } = await store.create({ workflowName: "review", projectDirectory, input: { prompt } });
 * await store.update(sessionId, (session) => ({ ...session, status: "completed" }));
 */
export function createSessionStore({ root, clock = Date.now }: SessionStoreOptions): SessionStore {
  const queue = createKeyedQueue();

  async function save(session: WorkflowSession): Promise<WorkflowSession> {
    const sessionDir = sessionDirectory(root, session.sessionId);
    const saved = { ...session, sessionDir, lastUpdated: new Date(clock()).toISOString() };
    await writeSession(root, saved);
    return saved;
  }

  async function create({ id, ...about }: CreateSessionOptions): Promise<WorkflowSession> {
    for (let attempt = 1; ; attempt++) {
      const sessionId = id ?? generateWorkflowSessionId({ clock });
      const sessionDir = sessionDirectory(root, sessionId);
      const createdAt = new Date(clock()).toISOString();
      const state = { status: "running", nodeHistory: [], outputs: {}, createdAt, lastUpdated: createdAt } as const;
      const session = { sessionId, sessionDir, ...about, ...state };
      if (await makeSessionFolder(root, session)) return session;
      if (id !== undefined || attempt === MAX_ID_ATTEMPTS) throw new WorkflowSessionExistsError(sessionId, sessionDir);
    }
  }

  return {
    create,
    load: (id) => readSession(root, id),
    save: (session) => queue.run(session.sessionId, () => save(session)),
    update: (id, change) => queue.run(id, async () => save({ ...change(await readSession(root, id)), sessionId: id })),
    ids: () => listSessionIds(root),
    list: () => listSessions(root),
    resolveId: async (prefixOrId) => resolveSessionId(prefixOrId, await listSessionIds(root)),
    remove: (id) => queue.run(id, () => removeSessionFolder(root, id)),
    directoryOf: (id) => sessionDirectory(root, id),
  };
}

async function listSessions(root: string): Promise<SessionList> {
  const ids = await listSessionIds(root);
  const sessions: WorkflowSession[] = [];
  const problems: DiscoveryProblem[] = [];
  for (let start = 0; start < ids.length; start += LIST_BATCH) {
    const batch = ids.slice(start, start + LIST_BATCH);
    for (const result of await Promise.all(batch.map((id) => readOrDescribe(root, id)))) {
      if (result === undefined) continue;
      if ("sessionId" in result) sessions.push(result);
      else problems.push(result);
    }
  }
  return {
    sessions: sessions.sort(compareByAge),
    problems: problems.sort((left, right) => (left.path < right.path ? -1 : 1)),
  };
}

/** A session, the problem with it, or nothing when it was removed meanwhile. */
async function readOrDescribe(root: string, id: string): Promise<WorkflowSession | DiscoveryProblem | undefined> {
  try {
    return await readSession(root, id);
  } catch (error) {
    if (error instanceof WorkflowSessionNotFoundError) return undefined;
    const message = error instanceof BrokenSessionError ? `${error.problems.join("; ")}.` : messageOf(error);
    return { path: sessionFile(root, id), message, remedy: BROKEN_SESSION_REMEDY, severity: "error" };
  }
}

function compareByAge(left: WorkflowSession, right: WorkflowSession): number {
  const difference = Date.parse(right.createdAt) - Date.parse(left.createdAt);
  return difference === 0 ? (left.sessionId < right.sessionId ? 1 : -1) : difference;
}

/** Runs work of the same key in sequence, and work of different keys in parallel. */
interface KeyedQueue {
  /** Starts the work when all earlier work of the key has settled. Settles as the work does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Creates a queue that forgets a key once its work is done. */
function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const current = before.then(work, work);
      last.set(key, current);
      try {
        return await current;
      } finally {
        if (last.get(key) === current) last.delete(key);
      }
    },
  };
}
