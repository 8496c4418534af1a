import { join } from "node:path";
import { realPathOf } from "../../discovery/index.ts";
import type { OpenedWorktree, WorktreeMerge, WorktreeService, WorktreeTask } from "../../graph/index.ts";
import { commitWorktree } from "./commit-worktree.ts";
import { createWorktree, toWorktree, type Worktree } from "./create-worktree.ts";
import { Git, type GitOptions } from "./git.ts";
import { mergeWorktree } from "./merge-worktree.ts";
import { takeMergedByHand } from "./merged-by-hand.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { readCommit, refOf } from "./repository.ts";
import { TargetBranchMissingError, WorktreeHasWorkError } from "./worktree-errors.ts";
import { worktreeNames, worktreesFolder } from "./worktree-names.ts";
import { findRecord } from "./worktree-record.ts";

/** Settings of {@link createWorktreeService}. */
export interface WorktreeServiceOptions {
  /** The project's folder, by which its worktrees are found. */
  readonly project: string;
  /** Where workers start, in their worktrees: the project's folder or one below it. */
  readonly workingDirectory: string;
  /** The folder of Atomic, for example `~/.atomic`. */
  readonly home: string;
  /** The environment of git, as in {@link GitOptions}; called each time, because workers change the project's settings. */
  readonly loadEnvironment: () => Promise<GitOptions["env"]>;
}

/** The `worktrees` service of a run: git worktrees of the project. */
export function createWorktreeService(options: WorktreeServiceOptions): WorktreeService {
  const { project, workingDirectory, home, loadEnvironment } = options;
  const folder = worktreesFolder(home, realPathOf(project));
  const gitOptions = async ({ signal }: WorktreeTask): Promise<GitOptions> => ({
    env: await loadEnvironment(),
    signal,
  });
  /** The worktree of a task, which a process before this one may have created; nothing if it was removed. */
  const find = async ({ runId, taskId }: WorktreeTask): Promise<Worktree | undefined> => {
    const file = join(realPathOf(folder), `${worktreeNames(runId, taskId).name}.json`);
    const record = await findRecord(file);
    return record && toWorktree(record, { home, file });
  };
  return {
    async open(task, openOptions = {}): Promise<OpenedWorktree> {
      const { runId, taskId } = task;
      const wanted = { project: workingDirectory, home, folder, runId, taskId };
      const options = await gitOptions(task);
      const created = await createWorktree({ ...options, ...wanted, ...openOptions });
      const { branch, ports, warnings, environment } = created;
      const isMergedByHand = await takeMergedByHand(await Git.open(options), created.recordFile);
      return { workingDirectory: created.workingDirectory, branch, ports, warnings, environment, isMergedByHand };
    },
    async commit(task, message) {
      const worktree = await find(task);
      if (worktree === undefined) return {};
      const { commit } = await commitWorktree(worktree, message, await gitOptions(task));
      return { commit };
    },
    async merge(task, { message, commit, resolveConflict }): Promise<WorktreeMerge> {
      const options = await gitOptions(task);
      const worktree = await find(task);
      const { branch } = worktreeNames(task.runId, task.taskId);
      if (worktree === undefined) return await afterRemoval(branch, { workingDirectory, options });
      const { workingDirectory: projectFolder, environment } = worktree;
      try {
        const merge = await mergeWorktree(worktree, {
          ...options,
          message,
          ...(commit !== undefined && { commit }),
          ...(resolveConflict && {
            resolveConflict: ({ path, files, snapshot, signal = task.signal }) =>
              resolveConflict({ workingDirectory: path, projectFolder, environment, files, snapshot, signal }),
          }),
        });
        return merge.type === "changed"
          ? { type: "changed", branch, workingDirectory: projectFolder, environment }
          : { ...merge, branch };
      } catch (error) {
        if (!(error instanceof TargetBranchMissingError)) throw error;
        return { type: "blocked", branch, files: [], reason: error.reason };
      }
    },
    async close(task) {
      const worktree = await find(task);
      if (worktree === undefined) return [];
      try {
        await removeWorktree(worktree, { ...(await gitOptions(task)), discardIgnored: true });
        return [];
      } catch (error) {
        if (error instanceof WorktreeHasWorkError) return error.reasons;
        throw error;
      }
    },
  };
}

/** What is left of a task whose worktree somebody removed. A branch that has nothing of its own is removed with it. */
async function afterRemoval(
  branch: string,
  { workingDirectory, options }: { readonly workingDirectory: string; readonly options: GitOptions },
): Promise<WorktreeMerge> {
  const git = await Git.open(options);
  if ((await readCommit(git, workingDirectory, refOf(branch))) === undefined) return { type: "unchanged", branch };
  return { type: "blocked", branch, files: [], reason: "its worktree was removed" };
}
