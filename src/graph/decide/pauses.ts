import { given } from "../errors/given.ts";
import type { CoordinatedRun } from "./coordinated-run.ts";
import type { Task } from "./records/run-state.ts";

const PAUSE_TIMER = "pause:";

/** The tasks of a live run that wait for a time: those that retry later, and those that sleep. */
export class Pauses {
  readonly #coordinated: CoordinatedRun;
  readonly #tasks = new Map<string, Task>();

  constructor(coordinated: CoordinatedRun) {
    this.#coordinated = coordinated;
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0;
  }

  /** Starts a task's wait, or starts the task when it has nothing to wait for. */
  begin(task: Task): void {
    const { port, publisher, enqueue } = this.#coordinated;
    const { sleep, retryAt } = task;
    const until = sleep?.until ?? retryAt;
    if (until === undefined || (sleep === undefined && until <= port.now())) return enqueue(task);
    const key = PAUSE_TIMER + task.id;
    this.#tasks.set(key, task);
    if (sleep !== undefined) publisher.slept(task, sleep);
    port.startTimer(key, until);
  }

  /** Cancels a task's wait. */
  end(task: Task): void {
    this.#tasks.delete(PAUSE_TIMER + task.id);
  }

  /** Removes and returns the task whose wait is over. */
  take(key: string): Task | undefined {
    const task = this.#tasks.get(key);
    this.#tasks.delete(key);
    return task;
  }

  /** A task's wait is over: starts its next attempt, or completes it after a sleep. */
  finish(task: Task): void | Promise<void> {
    const { port, publisher, commit, enqueue } = this.#coordinated;
    const { id, node, attempt, sleep, goto } = task;
    if (sleep === undefined) return enqueue(task);
    const about = { at: port.now(), task: id, node: node.id, attempt, startedAt: sleep.startedAt };
    const record = { type: "done", ...about, ...given({ goto }) } as const;
    return commit(record, () => publisher.woke(record));
  }
}
