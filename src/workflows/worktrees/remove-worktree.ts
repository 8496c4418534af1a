import type { Worktree } from "./create-worktree.ts";
import { finishRemoval, type Removal } from "./finish-removal.ts";
import { Git, type GitOptions } from "./git.ts";
import { inspectWorktree } from "./inspect-worktree.ts";
import { withRepositoryLock, withWorktreeLock } from "./with-lock.ts";
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
  const opened = await Git.open(options);
  if ((await findRecord(file)) === undefined) return;
  await withWorktreeLock(opened, { file }, async ({ git, discard }) => {
    const record = await findRecord(file);
    if (record !== undefined) {
      const lock = { home, commonDir: record.commonDir, purpose: "create-and-remove" } as const;
      await withRepositoryLock(git, lock, (inner) => removeUnneeded(inner, { record, file, home }, options));
    }
    await discard();
  });
}

async function removeUnneeded(
  git: Git,
  removal: Removal,
  { discardIgnored = false }: RemoveWorktreeOptions,
): Promise<void> {
  const { record } = removal;
  const findings = await inspectWorktree(git, record, { skipsIgnored: discardIgnored });
  if (findings.length > 0) {
    const reasons = findings.map(({ detail }) => detail);
    throw new WorktreeHasWorkError(record.path, "remove", reasons);
  }
  await finishRemoval(git, removal);
}
