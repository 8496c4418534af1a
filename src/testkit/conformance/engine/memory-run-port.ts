import type { NodeEmission } from "../../../contracts/index.ts";
import {
  applyRecord,
  type ContextHost,
  createStepRecord,
  encodeRecord,
  type Failure,
  type JournalRecord,
  NodeContext,
  NodeTimer,
  type PortEvent,
  type PublishedEvent,
  type RunPort,
  type RunState,
  settingsOf,
  spentIn,
  type Task,
  toRunError,
} from "../../../graph/engine.ts";
import { type GraphConfig, type GraphSettings, NodeTimeoutError, type RunServices } from "../../../graph/index.ts";
import { setLongTimer } from "../../../system/index.ts";

const CLOCK = { elapsedMs: () => performance.now(), setTimer: setLongTimer };

/** What a {@link MemoryRunPort} executes, and where it stores it. */
export interface MemoryRunPortOptions {
  readonly run: RunState;
  readonly config: GraphConfig;
  readonly services?: RunServices;
  /** Stores the text of a record. An error ends the run as the death of a process does. */
  readonly keep: (record: string) => void;
}

/**
 * The smallest place that executes nodes under the coordinator. The rules for every such place:
 *
 * 1. Events are reported one at a time, in the order in which they happen.
 * 2. A record is durable when `append` returns, or when its promise resolves.
 * 3. The end of a node is reported once: its result, its failure, or its timeout. After that, and after it was abandoned,
 *    no event of the node is reported.
 */
export class MemoryRunPort implements RunPort, ContextHost {
  readonly runId: string;
  readonly services: RunServices;
  readonly config: GraphConfig;
  readonly settings: GraphSettings;
  readonly isObserved = true;
  readonly hasStateInEvents = false;
  contextWindowUsage: number | undefined;
  /** The events that subscribers would receive. */
  readonly published: PublishedEvent[] = [];
  readonly #run: RunState;
  readonly #keep: (record: string) => void;
  /** The latest attempt of each task. */
  readonly #contexts = new Map<Task, NodeContext>();
  /** Resolve when the nodes' code has ended, that of aborted nodes included. */
  readonly #executions = new Set<Promise<void>>();
  /** Functions that stop the timers. */
  readonly #timers = new Map<string, () => void>();
  readonly #events: PortEvent[] = [];
  #wake: () => void = () => undefined;

  constructor({ run, config, services = {}, keep }: MemoryRunPortOptions) {
    this.#run = run;
    this.#keep = keep;
    this.runId = run.runId;
    this.services = services;
    this.config = config;
    this.settings = settingsOf(config);
  }

  get handledFailures(): readonly Failure[] {
    return this.#run.handledFailures;
  }

  now(): number {
    return Date.now();
  }

  random(): number {
    return Math.random();
  }

  /** Reports an event to the coordinator (1). */
  tell(event: PortEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  async nextEvent(): Promise<PortEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  append(record: JournalRecord): void {
    this.#keep(encodeRecord(record)); // (2)
  }

  publish(event: PublishedEvent): void {
    this.published.push(event);
  }

  startTimer(key: string, at: number): void {
    this.#timers.get(key)?.();
    const fire = (): void => {
      if (this.now() < at) return this.startTimer(key, at);
      this.#timers.delete(key);
      this.tell({ type: "timer", key });
    };
    this.#timers.set(key, setLongTimer(fire, Math.max(0, at - this.now())));
  }

  startTask(task: Task): void {
    const context = new NodeContext(this, task, this.now());
    this.#contexts.set(task, context);
    const { id, timeoutMs } = task.node;
    if (timeoutMs !== undefined) {
      const error = new NodeTimeoutError(id, timeoutMs);
      const onTimeout = (): void => this.#timeOut(task, context, error);
      context.timer = new NodeTimer({ clock: CLOCK, limitMs: timeoutMs, onTimeout });
    }
    const execution = this.#execute(task, context).finally(() => {
      this.#executions.delete(execution);
      if (this.#contexts.get(task) === context) this.#contexts.delete(task);
    });
    this.#executions.add(execution);
  }

  async #execute(task: Task, context: NodeContext): Promise<void> {
    try {
      const result = await task.node.execute(context);
      this.#end(context, () => ({ ...this.#report(task, context), type: "task-done", result }));
    } catch (error) {
      this.#end(context, () => ({ ...this.#report(task, context), type: "task-failed", error: toRunError(error) }));
    }
  }

  #timeOut(task: Task, context: NodeContext, error: Error): void {
    context.abort(error);
    this.#end(context, () => ({ ...this.#report(task, context), type: "task-failed", error }));
  }

  #report(task: Task, { spent, startedAt, finished }: NodeContext) {
    return { task, spent, startedAt, ...(finished === undefined ? {} : { finish: finished }) };
  }

  /** (3) */
  #end(context: NodeContext, describe: () => PortEvent): void {
    if (context.isOver) return;
    silence(context);
    this.tell(describe());
  }

  abortTask(task: Task, reason: unknown): void {
    this.#contexts.get(task)?.abort(reason);
  }

  abandonTask(task: Task): void {
    const context = this.#contexts.get(task);
    if (context !== undefined) silence(context);
  }

  emit(task: Task, event: NodeEmission): void {
    if (event.type === "warning") return this.publish(event);
    const spent = spentIn(event);
    if (spent !== undefined) this.tell({ type: "usage", task, spent });
    if (event.type === "context-window") this.contextWindowUsage = event.fraction ?? this.contextWindowUsage;
    this.publish({ ...event, nodeId: task.node.id, taskId: task.id });
  }

  recordStep(task: Task, key: string, value: unknown): void {
    const record = createStepRecord(this.#run, task, { key, value, at: this.now() });
    this.append(record);
    applyRecord(this.#run, record);
  }

  makeCall(...[task, call, resolve, reject]: Parameters<ContextHost["makeCall"]>): void {
    this.tell({ type: "call", task, call, resolve, reject });
  }

  watchCalls(task: Task, onEnd: () => void): void {
    this.tell({ type: "calls-watch", task, onEnd });
  }

  restCalls(task: Task, endCount: number): void {
    this.tell({ type: "calls-rest", task, endCount });
  }

  skip(node: string): void {
    this.tell({ type: "command", command: { type: "skip-node", node }, settle: () => undefined });
  }

  setIdle(task: Task, isIdle: boolean): void {
    this.tell({ type: "idle", task, isIdle });
  }

  /** Stops the timers, and resolves when all code of nodes has ended; code that ignores its signal delays it. */
  async close(): Promise<void> {
    for (const stop of this.#timers.values()) stop();
    for (const context of this.#contexts.values()) silence(context);
    await Promise.all(this.#executions);
  }
}

/** Ignores later events of a node. */
function silence(context: NodeContext): void {
  context.isOver = true;
  context.timer?.stop();
}
