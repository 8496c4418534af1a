import { endOfCall } from "../decide/calls.ts";
import { mayStartAgain } from "../decide/failed-calls.ts";
import type { Task, Thread } from "../decide/records/run-state.ts";
import type { CallEnd, KnownCall, NodeCall, NodeCalls } from "../model/node-calls.ts";

/** What the calls of a node need from the runner. */
export interface CallsHost {
  /** Makes a call, or starts one again that has failed; `resolve` gets its branch. */
  makeCall(
    task: Task,
    call: NodeCall | { readonly again: number },
    resolve: (branch: Thread) => void,
    reject: (error: Error) => void,
  ): void;
  /** Calls `onEnd` when ends of calls are durable: once for those that are so already, and whenever there are more. */
  watchCalls(task: Task, onEnd: () => void): void;
  /** The task only waits for its calls; it has got `endCount` ends. */
  restCalls(task: Task, endCount: number): void;
  /** Skips a visit in progress. */
  skip(taskId: string): void;
}

/**
 * The calls of one attempt of a node.
 *
 * 1. The code gets the ends of calls in the order of the journal, whether they are known or new, and each in a turn of the
 *    event loop of its own. So it does the same between two ends in every attempt, and makes its calls in the same order.
 * 2. The end of a call that the code has not asked for holds up the later ones only while the code works: changed code may
 *    never ask for it.
 *    Code that works in another process holds the ends meanwhile.
 * 3. While the code only waits for calls, its task is idle: it has no place in `maxConcurrency`, and a run whose other tasks
 *    wait for people is suspended.
 */
export class TaskCalls implements NodeCalls {
  readonly #host: CallsHost;
  readonly #task: Task;
  readonly #isOver: () => boolean;
  readonly known: readonly KnownCall[];
  /** Calls that have ended, in the order of the journal, whose ends the code has not got. */
  readonly #ended: Thread[] = [];
  #endCount = 0;
  readonly #waiting = new Map<Thread, (end: CallEnd) => void>();
  #pendingCount = 0;
  #isWatching = false;
  /** Counts whatever the code and its calls do. */
  #activity = 0;
  #isTurning = false;
  #holdCount = 0;

  constructor(host: CallsHost, task: Task, isOver: () => boolean) {
    this.#host = host;
    this.#task = task;
    this.#isOver = isOver;
    this.known = (task.thread.fork?.children ?? []).flatMap((child, index) => {
      const { call, isLive } = child;
      return call === undefined ? [] : [{ ...call, index, isOver: !isLive && !mayStartAgain(task, child) }];
    });
  }

  get isWithinCall(): boolean {
    for (let thread: Task["thread"] | undefined = this.#task.thread; thread !== undefined; thread = thread.parent) {
      if (thread.call !== undefined) return true;
    }
    return false;
  }

  make(call: NodeCall): Promise<CallEnd> {
    return this.#ask((wait, reject) => this.#host.makeCall(this.#task, call, wait, reject));
  }

  endOf(index: number): Promise<CallEnd> {
    const child = this.#task.thread.fork?.children[index];
    if (child === undefined) return Promise.reject(new RangeError(`There is no call ${index}`));
    if (mayStartAgain(this.#task, child)) {
      const again = (wait: (branch: Thread) => void) => (branch: Thread) => {
        // It has been taken for a call that has ended.
        const at = this.#ended.indexOf(branch);
        if (at >= 0) this.#ended.splice(at, 1);
        this.#endCount--;
        wait(branch);
      };
      return this.#ask((wait, reject) => this.#host.makeCall(this.#task, { again: index }, again(wait), reject));
    }
    return this.#ask((wait) => wait(child));
  }

  hold(): () => void {
    this.#holdCount++;
    return () => {
      this.#holdCount--;
      this.#noteActivity();
    };
  }

  skip(index: number): void {
    const child = this.#task.thread.fork?.children[index];
    if (child?.isLive && child.task !== undefined) this.#host.skip(child.task.id);
  }

  #ask(begin: (wait: (branch: Thread) => void, reject: (error: Error) => void) => void): Promise<CallEnd> {
    return new Promise((resolve, reject) => {
      if (this.#isOver()) return;
      if (!this.#isWatching) {
        this.#isWatching = true;
        this.#host.watchCalls(this.#task, () => this.#takeEnds());
      }
      this.#pendingCount++;
      this.#noteActivity();
      const wait = (branch: Thread): void => {
        this.#waiting.set(branch, resolve);
        this.#noteActivity();
      };
      const fail = (error: Error): void => {
        this.#pendingCount--;
        this.#noteActivity();
        reject(error);
      };
      begin(wait, fail);
    });
  }

  #takeEnds(): void {
    const returned = this.#task.thread.fork?.returned ?? [];
    this.#ended.push(...returned.slice(this.#endCount));
    this.#endCount = returned.length;
    this.#noteActivity();
  }

  #noteActivity(): void {
    this.#activity++;
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(this.#turn, this.#activity);
  }

  /** Passes on one end. @param seen the activity at the last turn */
  readonly #turn = (seen: number): void => {
    if (this.#isOver()) return;
    if (this.#holdCount > 0) {
      this.#isTurning = false;
      return;
    }
    const isQuiet = seen === this.#activity;
    const at = this.#ended.findIndex((child) => this.#waiting.has(child));
    if (at === 0 || (at > 0 && isQuiet))
      this.#pass(at); // 1, 2
    else if (isQuiet) {
      this.#isTurning = false;
      if (this.#pendingCount > 0) this.#host.restCalls(this.#task, this.#endCount); // 3
      return;
    }
    setImmediate(this.#turn, this.#activity);
  };

  #pass(at: number): void {
    for (const child of this.#ended.splice(at, 1)) {
      const end = endOfCall(child);
      const resolve = this.#waiting.get(child);
      this.#waiting.delete(child);
      this.#pendingCount--;
      this.#activity++;
      if (end !== undefined) resolve?.(end);
    }
  }
}
