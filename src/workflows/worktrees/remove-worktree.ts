import type { Worktree } from "./create-worktree.ts";
import { finishRemoval } from "./finish-removal.ts";
import { Git, type GitOptions } from "./git.ts";
import { inspectWorktree } from "./inspect-worktree.ts";
import { withRepositoryLock } from "./with-repository-lock.ts";
import { WorktreeHasWorkError } from "./worktree-errors.ts";
import { findRecord } from "./worktree-record.ts";

/** Settings of {@link removeWorktree}. */
export interface RemoveWorktreeOptions extends GitOptions {
  /**
   * Whether ignored files that the worker created or changed are lost, such as what a build wrote. @default false: they are
   * a reason to keep the worktree
   */
  readonly discardIgnored?: boolean;
}

/**
 * Removes a worktree that is merged or has no changes: folder, ports and record, and the branch if it is merged. Without
 * effect if it has been removed. After a crash, the call can be repeated.
 *
 * @throws WorktreeHasWorkError if something would be lost; the signal's reason
 */
export async function removeWorktree(
  { recordFile: file, home }: Pick<Worktree, "recordFile" | "home">,
  options: RemoveWorktreeOptions,
): Promise<void> {
  const git = await Git.open(options);
  const found = await findRecord(file);
  if (found === undefined) return;
  await withRepositoryLock(
    { home, commonDir: found.commonDir, purpose: "create-and-remove", signal: options.signal },
    async () => {
      const record = await findRecord(file);
      if (record === undefined) return;
      const { discardIgnored = false } = options;
      const findings = (await inspectWorktree(git, record)).filter(
        ({ kind }) => !(discardIgnored && kind === "ignored"),
      );
      if (findings.length > 0) {
        const reasons = findings.map(({ detail }) => detail);
        throw new WorktreeHasWorkError(record.path, "remove", reasons);
      }
      await finishRemoval(git, { record, file, home });
    },
  );
}
