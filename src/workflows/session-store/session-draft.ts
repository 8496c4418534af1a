import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { findProcess, identifyThisProcess, type ProcessIdentity } from "../../system/index.ts";
import { writeJsonAtomically } from "./atomic-write.ts";
import type { WorkflowSession } from "./workflow-session.ts";

/** The file in a session's folder that describes it. */
export const SESSION_FILE = "session.json";
const SUBFOLDERS = ["agents", "logs", "checkpoints"];

/** A draft exists for milliseconds. One whose owner cannot be checked is swept after a day, as clocks may differ. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1_000;

/** `.ID.PID.STARTED.MACHINE.XXXXXX`, with the identity of the process that creates the session. */
const OWNED_DRAFT = /^\.[a-z0-9][a-z0-9_-]{3,63}\.(\d+)\.(\d*)\.([0-9a-f]+)\.[A-Za-z0-9]{6}$/;
/** `.ID.XXXXXX`, as earlier versions named drafts. */
const NAMELESS_DRAFT = /^\.[a-z0-9][a-z0-9_-]{3,63}\.[A-Za-z0-9]{6}$/;

/**
 * Writes a session's folder under a name that no session can have, and deletes the drafts of processes that were killed.
 *
 * @returns the draft's path
 */
export async function writeSessionDraft(root: string, session: WorkflowSession): Promise<string> {
  const own = await identifyThisProcess(session.owner?.pid);
  // A draft that cannot be deleted must not prevent a new session.
  await sweepDrafts(root, own).catch(() => undefined);
  const name = [session.sessionId, own.processId, own.startedAt, own.machine].join(".");
  const draft = await mkdtemp(join(root, `.${name}.`));
  try {
    for (const folder of SUBFOLDERS) await mkdir(join(draft, folder), { mode: 0o700 });
    await writeJsonAtomically(join(draft, SESSION_FILE), session);
    return draft;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function sweepDrafts(root: string, own: ProcessIdentity): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true })) {
    // A link is not a directory here, so it is never followed.
    if (!entry.isDirectory() || !entry.name.startsWith(".")) continue;
    const path = join(root, entry.name);
    // One that cannot be examined must not keep the others.
    const isOver = await isAbandoned(path, entry.name, own).catch(() => false);
    if (isOver) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isAbandoned(path: string, name: string, own: ProcessIdentity): Promise<boolean> {
  const owned = OWNED_DRAFT.exec(name);
  if (owned === null && !NAMELESS_DRAFT.test(name)) return false;
  const [, processId, startedAt = "", machine = ""] = owned ?? [];
  const owner = { processId: Number(processId ?? 0), startedAt, machine };
  const found = await findProcess(owner, own);
  if (found === "running") return false;
  if (found === "unknown" && Date.now() - (await stat(path)).mtimeMs < STALE_AFTER_MS) return false;
  return await hasOnlyDraftContent(path);
}

/** Whether a folder contains nothing but what a draft does: any other one with such a name is the user's. */
async function hasOnlyDraftContent(path: string): Promise<boolean> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const { name } = entry;
    if (SUBFOLDERS.includes(name)) {
      if (!entry.isDirectory() || (await readdir(join(path, name))).length > 0) return false;
    } else if (!entry.isFile() || !(name === SESSION_FILE || name.startsWith(`.${SESSION_FILE}.`))) return false;
  }
  return true;
}
