import { endOfCall } from "../decide/calls.ts";
import type { Task } from "../decide/records/run-state.ts";
import type { CallEnd, KnownCall, NodeCall, NodeCalls } from "../model/node-calls.ts";

/** What the calls of a node need from the runner. */
export interface CallsHost {
  /** Makes a call, or waits for the known one with this index. */
  makeCall(task: Task, call: NodeCall | number, resolve: (end: CallEnd) => void, reject: (error: Error) => void): void;
  /** The task only waits for its calls; it has got `endCount` ends. */
  restCalls(task: Task, endCount: number): void;
  /** Skips a visit in progress. */
  skip(taskId: string): void;
}

/**
 * The calls of one attempt of a node. While the node's code only waits for calls, its task is idle: it has no place in
 * `maxConcurrency`, and a run whose other tasks wait for people is suspended. The code may do more work until the event loop
 * has run once after each end of a call.
 */
export class TaskCalls implements NodeCalls {
  readonly #host: CallsHost;
  readonly #task: Task;
  readonly known: readonly KnownCall[];
  #pendingCount = 0;
  #endCount = 0;
  /** Counts whatever the code does. */
  #activity = 0;
  #isWatching = false;

  constructor(host: CallsHost, task: Task) {
    this.#host = host;
    this.#task = task;
    this.known = (task.thread.fork?.children ?? []).flatMap(({ call, isLive }, index) =>
      call === undefined ? [] : [{ ...call, index, isOver: !isLive }],
    );
  }

  get isWithinCall(): boolean {
    for (let thread: Task["thread"] | undefined = this.#task.thread; thread !== undefined; thread = thread.parent) {
      if (thread.call !== undefined) return true;
    }
    return false;
  }

  make(call: NodeCall): Promise<CallEnd> {
    return this.#ask(call);
  }

  endOf(index: number): Promise<CallEnd> {
    const child = this.#task.thread.fork?.children[index];
    const end = child && endOfCall(child);
    return end === undefined ? this.#ask(index) : Promise.resolve(end);
  }

  skip(index: number): void {
    const child = this.#task.thread.fork?.children[index];
    if (child?.task !== undefined) this.#host.skip(child.task.id);
  }

  #ask(call: NodeCall | number): Promise<CallEnd> {
    this.#pendingCount++;
    this.#watch();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#pendingCount--;
        this.#watch();
      };
      const take = (end: CallEnd): void => {
        this.#endCount++;
        settle();
        resolve(end);
      };
      const fail = (error: Error): void => {
        settle();
        reject(error);
      };
      this.#host.makeCall(this.#task, call, take, fail);
    });
  }

  #watch(): void {
    this.#activity++;
    if (this.#isWatching) return;
    this.#isWatching = true;
    const check = (seen: number): void => {
      if (seen !== this.#activity) return void setImmediate(check, this.#activity);
      this.#isWatching = false;
      if (this.#pendingCount > 0) this.#host.restCalls(this.#task, this.#endCount);
    };
    setImmediate(check, this.#activity);
  }
}
