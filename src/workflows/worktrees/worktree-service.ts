import { join } from "node:path";
import { realPathOf } from "../../discovery/index.ts";
import type { OpenedWorktree, WorktreeMerge, WorktreeService, WorktreeTask } from "../../graph/index.ts";
import { commitWorktree } from "./commit-worktree.ts";
import { createWorktree, toWorktree, type Worktree } from "./create-worktree.ts";
import type { GitOptions } from "./git.ts";
import { mergeWorktree } from "./merge-worktree.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { TargetBranchMissingError, WorktreeHasWorkError } from "./worktree-errors.ts";
import { worktreeNames, worktreesFolder } from "./worktree-names.ts";
import { findRecord, loadRecord } from "./worktree-record.ts";

/** Settings of {@link createWorktreeService}. */
export interface WorktreeServiceOptions {
  /** The project's folder. */
  readonly project: string;
  /** The folder of Atomic, for example `~/.atomic`. */
  readonly home: string;
  /** The environment of git, as in {@link GitOptions}; called when git is first needed. */
  readonly loadEnvironment: () => Promise<GitOptions["env"]>;
}

/** The `worktrees` service of a run: git worktrees of the project. */
export function createWorktreeService({ project, home, loadEnvironment }: WorktreeServiceOptions): WorktreeService {
  let loading: Promise<GitOptions["env"]> | undefined;
  const gitOptions = async ({ signal }: WorktreeTask): Promise<GitOptions> => {
    loading ??= loadEnvironment();
    return { env: await loading, signal };
  };
  /** The record of a task's worktree, which a process before this one may have created. */
  const recordFileOf = ({ runId, taskId }: WorktreeTask): string => {
    const folder = realPathOf(worktreesFolder(home, realPathOf(project)));
    return join(folder, `${worktreeNames(runId, taskId).name}.json`);
  };
  const load = async (task: WorktreeTask): Promise<Worktree> => {
    const file = recordFileOf(task);
    return toWorktree(await loadRecord(file), { home, file });
  };
  return {
    async open(task, { setupCommand } = {}): Promise<OpenedWorktree> {
      const { runId, taskId } = task;
      const wanted = { project, home, runId, taskId, ...(setupCommand === undefined ? {} : { setupCommand }) };
      const { workingDirectory, branch, ports, warnings } = await createWorktree({
        ...(await gitOptions(task)),
        ...wanted,
      });
      return { workingDirectory, branch, ports, warnings };
    },
    async commit(task, message) {
      await commitWorktree(await load(task), message, await gitOptions(task));
    },
    async merge(task, { message, resolveConflict }): Promise<WorktreeMerge> {
      const worktree = await load(task);
      const { branch } = worktree;
      try {
        const merge = await mergeWorktree(worktree, {
          ...(await gitOptions(task)),
          message,
          ...(resolveConflict && {
            resolveConflict: ({ path: workingDirectory, files, signal = task.signal }) =>
              resolveConflict({ workingDirectory, files, signal }),
          }),
        });
        if (merge.type !== "blocked") return { ...merge, branch };
        const { type, files, reason } = merge;
        return { type, branch, files, reason };
      } catch (error) {
        if (!(error instanceof TargetBranchMissingError)) throw error;
        return { type: "blocked", branch, files: [], reason: error.reason };
      }
    },
    async close(task) {
      const file = recordFileOf(task);
      if ((await findRecord(file)) === undefined) return;
      try {
        await removeWorktree({ recordFile: file, home }, { ...(await gitOptions(task)), discardIgnored: true });
      } catch (error) {
        // What would be lost stays until somebody looks at it: atomic runs gc.
        if (!(error instanceof WorktreeHasWorkError)) throw error;
      }
    },
  };
}
