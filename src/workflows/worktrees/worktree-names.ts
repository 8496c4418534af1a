import { createHash } from "node:crypto";
import { basename, join } from "node:path";

const SAFE = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** The end of a name that stands for another text. */
const WITH_DIGEST = /-[0-9a-f]{8}$/;

/** How much of a project's name the name of its folder has, in bytes. File systems allow 255 for the whole. */
const MAX_PROJECT_BYTES = 100;

/** Names on disk and in git of one task's worktree. */
export interface WorktreeNames {
  /** The folder's name; also that of the record, which ends in `.json`. */
  readonly name: string;
  readonly branch: string;
}

/** The names for a task of a run: the same on every call, different for different tasks. */
export function worktreeNames(runId: string, taskId: string): WorktreeNames {
  const [run, task] = [safeName(runId), safeName(taskId)];
  return { name: `${run}.${task}`, branch: `atomic/${run}/${task}` };
}

/**
 * A text as part of a path and of a branch's name. What is cut or replaced is covered by a digest. Of the parts of a path, the
 * last one says most.
 */
function safeName(text: string): string {
  if (SAFE.test(text) && !WITH_DIGEST.test(text)) return text;
  const readable = text
    .replace(/^.*\/(?=.)/s, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 32)
    .replace(/-$/, "");
  return `${readable || "task"}-${digest(text)}`;
}

/** The folder with all worktrees of all projects. */
export function worktreesHome(home: string): string {
  return join(home, "worktrees");
}

/** The default folder with the worktrees of a project. `project` has no links in it. */
export function worktreesFolder(home: string, project: string): string {
  return join(worktreesHome(home), `${cutTo(basename(project), MAX_PROJECT_BYTES) || "root"}-${digest(project)}`);
}

/** The beginning of a text, of whole characters. */
function cutTo(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let cut = "";
  for (const character of text) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** The file of a lock that serializes what Atomic does in a repository. */
export function repositoryLock(
  home: string,
  { commonDir, purpose }: { readonly commonDir: string; readonly purpose: string },
): string {
  return join(worktreesHome(home), `.${digest(commonDir)}.${purpose}.lock`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
