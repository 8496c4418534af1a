import { messageOf, type NodeEmission, RedactedRunEvents, type RunEvent } from "../../contracts/index.ts";
import { type SetTimer, setLongTimer } from "../../system/index.ts";
import { toRunError } from "../decide/records/failure.ts";
import type { BeginningRecord, JournalRecord } from "../decide/records/journal-record.ts";
import type { Failure, RunState, Task } from "../decide/records/run-state.ts";
import { createStepRecord } from "../decide/result-record.ts";
import type { PortEvent, PublishedEvent, RunPort, TaskReport } from "../decide/run-port.ts";
import { NodeTimeoutError } from "../errors/errors.ts";
import { UnserializableValueError } from "../errors/update-errors.ts";
import { beginWith } from "../journal/compact-run.ts";
import type { JournalWriter } from "../journal/journal-writer.ts";
import { encodeSnapshot } from "../journal/snapshot.ts";
import type { CodeGuard, NodeScope } from "../model/code-guard.ts";
import type { RunServices } from "../model/execution-context.ts";
import { type GraphConfig, settingsOf } from "../model/graph-config.ts";
import type { GraphSettings } from "../model/graph-settings.ts";
import type { SignalData } from "../model/node-definition.ts";
import { spentIn } from "../model/spent.ts";
import { SmallMap } from "../state/small-map.ts";
import type { StateRecord } from "../state/state-update.ts";
import { type ContextHost, NodeContext } from "./node-context.ts";
import { NodeTimer } from "./node-timer.ts";
import { type RunClock, RunTimers } from "./run-timers.ts";

/** After this many events in a row, the event loop runs once so that timers and signals are handled. */
const EVENTS_PER_BREATH = 1_000;

/** What a runner is made of. */
export interface LocalRunnerOptions {
  readonly run: RunState;
  /** Absent for a run without a journal. */
  readonly writer: JournalWriter | undefined;
  /** The journal's first record, needed if a snapshot replaces everything before it. */
  readonly beginning?: BeginningRecord | undefined;
  readonly services: RunServices;
  /** The run's settings, as nodes see them. */
  readonly config: GraphConfig;
  readonly now: () => number;
  readonly random: () => number;
  /** @default the process's own timers */
  readonly setTimer?: SetTimer;
  /** A monotonic clock, in milliseconds. @default the process's own */
  readonly elapsedMs?: () => number;
  readonly observe: ((event: RunEvent) => void) | undefined;
  readonly hasStateInEvents?: boolean | undefined;
  readonly onProgress?: ((state: StateRecord) => void) | undefined;
  readonly guard?: CodeGuard | undefined;
  /** Resolves when the subscriber has caught up. */
  readonly whenDrained?: (() => Promise<void> | undefined) | undefined;
}

/** Runs the nodes of a graph in this process. */
export class LocalRunner implements RunPort, ContextHost {
  readonly runId: string;
  readonly services: RunServices;
  readonly config: GraphConfig;
  contextWindowUsage: number | undefined;
  #settings: GraphSettings | undefined;
  readonly now: () => number;
  readonly random: () => number;
  readonly isObserved: boolean;
  readonly hasStateInEvents: boolean;
  readonly #options: LocalRunnerOptions;
  readonly #contexts = new SmallMap<Task, NodeContext>();
  readonly #clock: RunClock;
  #timers: RunTimers | undefined;
  #events: PortEvent[] = [];
  #eventIndex = 0;
  #wake: ((event: PortEvent) => void) | undefined;
  #eventCount = 0;
  #whenIdle: (() => void) | undefined;
  #isCancelled = false;
  #stopHolding: (() => void) | undefined;
  readonly #warnings = new Set<string>();
  readonly #redactedEvents: RedactedRunEvents;

  constructor(options: LocalRunnerOptions) {
    this.#options = options;
    this.runId = options.run.runId;
    this.services = options.services;
    this.config = options.config;
    this.now = options.now;
    this.random = options.random;
    this.isObserved = options.observe !== undefined;
    this.hasStateInEvents = options.hasStateInEvents ?? false;
    this.#redactedEvents = new RedactedRunEvents(options.run.redactor);
    const { setTimer = setLongTimer, elapsedMs = () => performance.now() } = options;
    this.#clock = { now: options.now, elapsedMs, setTimer };
  }

  /** Whether the coordinator waits for an event. */
  protected get isAwaited(): boolean {
    return this.#wake !== undefined;
  }

  /** Whether any node's code is running. */
  protected get isBusy(): boolean {
    return this.#contexts.size > 0;
  }

  /** How many nodes' code is running. */
  protected get busyCount(): number {
    return this.#contexts.size;
  }

  get settings(): GraphSettings {
    this.#settings ??= settingsOf(this.config);
    return this.#settings;
  }

  get handledFailures(): readonly Failure[] {
    return this.#options.run.handledFailures;
  }

  /** Sends the coordinator an event, for example a cancel. */
  tell(event: PortEvent): void {
    if (event.type === "cancel") {
      this.#isCancelled = true;
      this.#stopHolding?.();
    }
    if (this.#wake === undefined) {
      this.#events.push(event);
      return;
    }
    const wake = this.#wake;
    this.#wake = undefined;
    wake(event);
  }

  nextEvent(): PortEvent | Promise<PortEvent> {
    // A slow reader holds up the run, but not its cancellation.
    const drained = this.#isCancelled ? undefined : this.#options.whenDrained?.();
    if (drained !== undefined) return this.#holdUntil(drained).then(() => this.nextEvent());
    const event = this.#events[this.#eventIndex];
    if (event === undefined) {
      this.#events = [];
      this.#eventIndex = 0;
      return new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#eventIndex++;
    if (this.#events.length === 1) {
      // Usually it is the only one. Keeping it in the list would retain it after its step.
      this.#events.pop();
      this.#eventIndex = 0;
    }
    if (++this.#eventCount % EVENTS_PER_BREATH !== 0) return event;
    this.#events = this.#events.slice(this.#eventIndex);
    this.#eventIndex = 0;
    return new Promise((resolve) => setImmediate(() => resolve(event)));
  }

  #holdUntil(drained: Promise<void>): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      this.#stopHolding = resolve;
    });
    return Promise.race([drained, stopped]);
  }

  startTask(task: Task): void {
    const context = new NodeContext(this, task, this.now());
    this.#contexts.set(task, context);
    const { timeoutMs: limitMs } = task.node;
    if (limitMs !== undefined) {
      const onTimeout = (): void => this.#timeOut(task, context, limitMs);
      context.timer = new NodeTimer({ clock: this.#clock, limitMs, onTimeout });
    }
    try {
      const result = this.#execute(task, context);
      if (result instanceof Promise) {
        result.then(
          (value) => this.#settle(task, context, { type: "task-done", result: value }),
          (error: unknown) => this.#settle(task, context, { type: "task-failed", error: toRunError(error) }),
        );
      } else this.#settle(task, context, { type: "task-done", result });
    } catch (error) {
      this.#settle(task, context, { type: "task-failed", error: toRunError(error) });
    }
  }

  #execute(task: Task, context: NodeContext): ReturnType<Task["node"]["execute"]> {
    const { guard } = this.#options;
    if (guard === undefined) return task.node.execute(context);
    const ifHeard = (action: () => void): boolean => {
      const isHeard = !context.isOver;
      if (isHeard) action();
      return isHeard;
    };
    const scope: NodeScope = {
      nodeId: task.node.id,
      taskId: task.id,
      emit: (event) => ifHeard(() => context.emit(event)),
      fail: (error) =>
        ifHeard(() => {
          this.#giveUp(task, context, error);
          // The node's code may never settle: what it waits for may have died with the error.
          this.#forget(task, context);
        }),
    };
    return guard.enter(scope, () => task.node.execute(context));
  }

  #settle(task: Task, context: NodeContext, end: DistributiveEnd): void {
    if (!context.isOver) this.#report(task, context, end);
    this.#forget(task, context);
  }

  #forget(task: Task, context: NodeContext): void {
    if (this.#contexts.get(task) === context) this.#contexts.delete(task);
    if (this.#contexts.size === 0) this.#whenIdle?.();
  }

  #report(task: Task, context: NodeContext, end: DistributiveEnd): void {
    silence(context);
    if (end.type === "task-done" && end.result?.signals !== undefined) this.#noteContextWindow(end.result.signals);
    const { spent, startedAt, finished } = context;
    const finish = finished === undefined ? {} : { finish: finished };
    if (end.type === "task-done") this.tell({ type: end.type, result: end.result, task, spent, startedAt, ...finish });
    else this.tell({ type: end.type, error: end.error, task, spent, startedAt });
  }

  #noteContextWindow(signals: readonly SignalData[]): void {
    // The coordinator has not checked the result yet.
    for (const signal of Array.isArray(signals) ? signals : []) {
      if (signal?.type === "context_window_warning") this.contextWindowUsage = signal.usage ?? this.contextWindowUsage;
    }
  }

  #timeOut(task: Task, context: NodeContext, timeoutMs: number): void {
    this.#giveUp(task, context, new NodeTimeoutError(task.node.id, timeoutMs));
  }

  #giveUp(task: Task, context: NodeContext, error: Error): void {
    context.abort(error);
    // The code of a node that ignores its signal keeps running; only the end of the run waits for it.
    this.#report(task, context, { type: "task-failed", error });
  }

  abortTask(task: Task, reason: unknown): void {
    this.#contexts.get(task)?.abort(reason);
  }

  abandonTask(task: Task): void {
    const context = this.#contexts.get(task);
    if (context !== undefined) silence(context);
  }

  startTimer(key: string, at: number): void {
    this.#timers ??= new RunTimers(this.#clock, (due) => this.tell({ type: "timer", key: due }));
    this.#timers.start(key, at);
  }

  append(record: JournalRecord): void | Promise<void> {
    const { writer, run, onProgress } = this.#options;
    if (onProgress !== undefined && (record.type === "done" || record.type === "answer")) {
      this.call("onProgress", () => onProgress(run.main.state));
    }
    if (writer === undefined) return undefined;
    const written = writer.append(record);
    // An ended run needs no snapshot, and one that says so would hide steps that a changed graph has after the end.
    const isOver = run.isDone || record.type === "end";
    if (!writer.isSnapshotDue || isOver) return this.#afterAppend(written, writer);
    return this.#afterAppend(this.#appendSnapshot(run, writer) ?? written, writer);
  }

  #appendSnapshot(run: RunState, writer: JournalWriter): void | Promise<void> {
    let snapshot: string;
    try {
      snapshot = encodeSnapshot(run);
    } catch (error) {
      if (!(error instanceof UnserializableValueError)) throw error;
      // A default or a reducer made a value that JSON cannot represent: rely on the records, which can be replayed.
      return writer.postponeSnapshot();
    }
    const { beginning } = this.#options;
    return beginning === undefined ? writer.appendSnapshot(snapshot) : writer.restart(beginWith(snapshot, beginning));
  }

  #afterAppend(written: void | Promise<void>, writer: JournalWriter): void | Promise<void> {
    if (!this.isObserved) return written;
    const { sequence } = writer;
    if (written === undefined) return this.publish({ type: "checkpoint", sequence });
    return written.then(() => this.publish({ type: "checkpoint", sequence }));
  }

  recordStep(task: Task, key: string, value: unknown): void | Promise<void> {
    const { run, writer } = this.#options;
    const record = createStepRecord(run, task, { key, value, at: this.now() });
    const written = writer?.append(record);
    task.steps ??= new Map();
    task.steps.set(key, record.value);
    return written;
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

  skip(taskId: string): void {
    this.tell({ type: "command", command: { type: "skip-node", node: taskId }, settle: () => undefined });
  }

  setIdle(task: Task, isIdle: boolean): void {
    this.tell({ type: "idle", task, isIdle });
  }

  publish(event: PublishedEvent): void {
    // The cast is true: a published event lacks exactly these two fields.
    const whole = { ...event, runId: this.runId, at: this.now() } as RunEvent;
    for (const each of this.#redactedEvents.take(whole)) this.#observe(each);
  }

  #observe(event: RunEvent): void {
    this.call("onEvent", () => this.#options.observe?.(event));
  }

  /** Calls the user's callback `name`. What it throws becomes a warning. */
  call<T>(name: string, action: () => T): T | undefined {
    const report = (error: unknown): void => this.warn(`${name} threw; the run continues: ${messageOf(error)}`);
    try {
      const returned = action();
      if (returned instanceof Promise) returned.catch(report);
      return returned;
    } catch (error) {
      report(error);
      return undefined;
    }
  }

  /** Publishes a problem that does not fail the run, once per message. */
  warn(problem: string): void {
    const message = this.#options.run.redact(problem);
    if (this.#warnings.has(message)) return;
    this.#warnings.add(message);
    this.publish({ type: "warning", message });
  }

  /** All warnings so far. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  emit(task: Task, event: NodeEmission): void {
    if (event.type === "warning") return this.warn(event.message);
    const spent = spentIn(event);
    if (spent !== undefined) this.tell({ type: "usage", task, spent });
    if (event.type === "context-window") this.contextWindowUsage = event.fraction ?? this.contextWindowUsage;
    if (this.isObserved) this.publish({ ...event, nodeId: task.node.id, taskId: task.id });
  }

  /** Stops timers, and waits at most `graceMs` for running node code to settle. */
  async close(graceMs: number): Promise<void> {
    this.#timers?.stopAll();
    if (this.#contexts.size > 0) {
      await new Promise<void>((resolve) => {
        const stop = setLongTimer(resolve, graceMs);
        this.#whenIdle = () => {
          stop();
          resolve();
        };
      });
    }
    // Code that still runs is ignored from here on.
    for (const context of this.#contexts.values()) silence(context);
    await this.#options.writer?.settle();
  }
}

/** Ignores everything that the node reports from now on. */
function silence(context: NodeContext): void {
  context.isOver = true;
  context.timer?.stop();
}

/** How a node ended: the part of its end event besides the {@link TaskReport}. */
type DistributiveEnd =
  | Omit<Extract<PortEvent, { type: "task-done" }>, keyof TaskReport>
  | Omit<Extract<PortEvent, { type: "task-failed" }>, keyof TaskReport>;
