import { lstat, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileUnusableError, readBoundedFile, renameDurably } from "../../system/index.ts";
import { writeJsonAtomically } from "./atomic-write.ts";
import { parseJson } from "./parse-json.ts";
import { createSessionNotFoundError } from "./resolve-session-id.ts";
import { SESSION_FILE, writeSessionDraft } from "./session-draft.ts";
import {
  BrokenSessionError,
  InvalidSessionIdError,
  SessionsUnwritableError,
  type WorkflowSessionNotFoundError,
} from "./session-errors.ts";
import { isWorkflowSessionId } from "./session-id.ts";
import { parseWorkflowSession, WORKFLOW_SESSION_FIELDS, type WorkflowSession } from "./workflow-session.ts";

/** The largest file of a session that is read. It has the outputs of all steps. */
const MAX_SESSION_BYTES = 64 * 1_048_576;

/** The folder of a session. @throws InvalidSessionIdError for what could lead elsewhere */
export function sessionDirectory(root: string, id: string): string {
  if (!isWorkflowSessionId(id)) throw new InvalidSessionIdError(id);
  return join(root, id);
}

/** The file that describes a session. */
export function sessionFile(root: string, id: string): string {
  return join(sessionDirectory(root, id), SESSION_FILE);
}

/** The identifiers of all folders that can be sessions, in no order. Empty while the root does not exist. */
export async function listSessionIds(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && isWorkflowSessionId(entry.name)).map((entry) => entry.name);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/**
 * Creates the folder of a session with its file. The folder gets its name only when it is complete, so a process that is
 * killed leaves no broken session.
 *
 * @returns false when the name is taken, even by an empty folder
 * @throws SessionsUnwritableError
 */
export async function makeSessionFolder(root: string, session: WorkflowSession): Promise<boolean> {
  const directory = sessionDirectory(root, session.sessionId);
  await mkdir(root, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new SessionsUnwritableError(root, { cause });
  });
  const draft = await writeSessionDraft(root, session);
  try {
    return await moveUnlessTaken(draft, directory);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function moveUnlessTaken(from: string, to: string): Promise<boolean> {
  // POSIX lets rename() replace an empty folder.
  if (await isTaken(to)) return false;
  try {
    await renameDurably(from, to);
    return true;
  } catch (error) {
    // The error for an existing folder differs between systems.
    if (await isTaken(to)) return false;
    throw error;
  }
}

async function isTaken(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Throws a WorkflowSessionNotFoundError unless the session has a folder. */
export async function requireSessionFolder(root: string, id: string): Promise<void> {
  const status = await stat(sessionDirectory(root, id)).catch(() => undefined);
  if (!status?.isDirectory()) throw await notFound(root, id);
}

/** @throws WorkflowSessionNotFoundError, BrokenSessionError */
export async function readSession(root: string, id: string): Promise<WorkflowSession> {
  const path = sessionFile(root, id);
  await requireSessionFolder(root, id);
  try {
    const text = await readBoundedFile(path, MAX_SESSION_BYTES);
    return parseWorkflowSession(text, { path, sessionId: id, sessionDir: sessionDirectory(root, id) });
  } catch (error) {
    if (error instanceof FileUnusableError)
      throw new BrokenSessionError(path, [`the file ${error.reason}`], { cause: error });
    if (errorCode(error) !== "ENOENT") throw error;
    throw new BrokenSessionError(path, ["the file is missing"], { cause: error });
  }
}

/** Writes a session's file. Fields that only the file has, because another version wrote them, stay in it. */
export async function writeSession(root: string, session: WorkflowSession): Promise<void> {
  const path = sessionFile(root, session.sessionId);
  await requireSessionFolder(root, session.sessionId);
  await writeJsonAtomically(path, { ...(await readForeignFields(path)), ...session });
}

/** A file that cannot be read has no fields to keep: what is about to be written is the better one. */
async function readForeignFields(path: string): Promise<Readonly<Record<string, unknown>>> {
  const json = parseJson(await readBoundedFile(path, MAX_SESSION_BYTES).catch(() => "{}"));
  if (json.type === "error" || typeof json.value !== "object" || json.value === null) return {};
  return Object.fromEntries(Object.entries(json.value).filter(([name]) => !WORKFLOW_SESSION_FIELDS.has(name)));
}

/** Deletes a session's folder; a link in its place is deleted, not followed. */
export async function removeSessionFolder(root: string, id: string): Promise<void> {
  await requireSessionFolder(root, id);
  await rm(sessionDirectory(root, id), { recursive: true, force: true });
}

async function notFound(root: string, id: string): Promise<WorkflowSessionNotFoundError> {
  return createSessionNotFoundError(id, await listSessionIds(root));
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
