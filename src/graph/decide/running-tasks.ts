import { addSpent, type Spent } from "../model/spent.ts";
import { SmallMap } from "../state/small-map.ts";
import type { RunState, Task } from "./records/run-state.ts";

/** The tasks whose code runs. One that waits for other tasks of the run is idle: it has no place in `maxConcurrency`. */
export class RunningTasks {
  readonly #tasks = new SmallMap<Task, true>();
  /** Most runs have none. */
  #idle: Set<Task> | undefined;
  /** Most nodes spend nothing. */
  #spent: Map<Task, Spent> | undefined;

  /** How many places are taken. */
  get placeCount(): number {
    return this.#tasks.size - (this.#idle?.size ?? 0);
  }

  has(task: Task): boolean {
    return this.#tasks.has(task);
  }

  /** All of them, idle ones included. */
  all(): Iterable<Task> {
    return this.#tasks.keys();
  }

  add(task: Task): void {
    this.#tasks.set(task, true);
  }

  delete(task: Task): void {
    this.#tasks.delete(task);
    this.#idle?.delete(task);
    this.#spent?.delete(task);
  }

  /** Adds to what a task has spent in this attempt. Without effect for a task that does not run. */
  spend(task: Task, spent: Spent): void {
    if (!this.#tasks.has(task)) return;
    this.#spent ??= new Map();
    const before = this.#spent.get(task);
    this.#spent.set(task, before === undefined ? spent : addSpent(before, spent));
  }

  /** What a running task has spent in this attempt. */
  spentBy(task: Task): Spent | undefined {
    return this.#spent?.get(task);
  }

  /** Frees a task's place, or takes it back. Without effect for a task that does not run. */
  setIdle(task: Task, isIdle: boolean): void {
    if (!isIdle) this.#idle?.delete(task);
    else if (this.#tasks.has(task)) {
      this.#idle ??= new Set();
      this.#idle.add(task);
    }
  }

  /** Whether any task of the run works. An idle one counts, unless the others pause or wait for people. */
  isAnyWorking(run: RunState, isPausing: boolean): boolean {
    let isAnyIdle = false;
    for (const task of this.#tasks.keys()) {
      if (run.tasks.get(task.id) !== task) continue;
      if (this.#idle?.has(task) !== true) return true;
      isAnyIdle = true;
    }
    return isAnyIdle && !isPausing && ![...run.tasks.values()].some(({ request }) => request !== undefined);
  }
}
