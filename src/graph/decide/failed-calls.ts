import type { Fork, RunState, Task, Thread } from "./records/run-state.ts";

/*
 * A call that failed may start again where it was, when the node that made it starts again after a failure of its own. Its
 * branch keeps its threads and visits, but none of them is in progress: only the branch itself says so, by `isLive`.
 */

/** Whether a branch is a call that keeps what it did, for another start. */
export function isRepeatable({ instruction }: Fork, { call }: Thread): boolean {
  return instruction.op === "calls" && call !== undefined && instruction.node.calls?.repeats?.(call.spec) === true;
}

/** Whether the next attempt of the node may start the call again. */
export function mayStartAgain({ retriesCalls, thread: { fork } }: Task, child: Thread): boolean {
  if (!retriesCalls || child.isLive || fork === undefined) return false;
  return fork.failures.has(child.branchName) && isRepeatable(fork, child);
}

/** Stops what is in progress in a call that failed. */
export function setAside(run: RunState, child: Thread): void {
  child.isLive = false;
  for (const task of tasksIn(child)) {
    run.tasks.delete(task.id);
    run.dropped.push(task);
  }
}

/** Continues a call that failed: its visits in progress start again. What is blocked then has to be resumed. */
export function startAgain(run: RunState, fork: Fork, child: Thread): void {
  child.isLive = true;
  fork.failures.delete(child.branchName);
  fork.returned?.splice(fork.returned.indexOf(child), 1);
  fork.openCount++;
  for (const task of tasksIn(child)) {
    run.tasks.set(task.id, task);
    run.started.push(task);
    task.attempt++;
    task.failures = 0;
    task.retriesCalls = true;
    task.retryAt = undefined;
    // A node that restarts withdraws its question.
    task.request = undefined;
    task.sleep = undefined;
    task.goto = undefined;
  }
  blockStopped(child);
}

function tasksIn(thread: Thread): readonly Task[] {
  const children = thread.fork?.children.filter(({ isLive }) => isLive) ?? [];
  return [...(thread.task === undefined ? [] : [thread.task]), ...children.flatMap(tasksIn)];
}

/** A failed decision stops a thread without a visit. The branches that wait for a place have not started. */
function blockStopped(thread: Thread): void {
  const { task, fork } = thread;
  if (task === undefined && fork === undefined) thread.isBlocked = true;
  for (const child of fork?.children.slice(0, fork.startedCount) ?? []) if (child.isLive) blockStopped(child);
}
