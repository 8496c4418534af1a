import { type NodeEmission, noRedaction } from "../../contracts/index.ts";
import { type Failure, mapItemOf, placeOf, type Task } from "../decide/records/run-state.ts";
import { resolveModel } from "../decide/resolve-model.ts";
import type { FinishedRun } from "../decide/run-port.ts";
import { RestoredError } from "../errors/errors.ts";
import type { ExecutionContext, ExecutionError, RunServices } from "../model/execution-context.ts";
import type { GraphConfig } from "../model/graph-config.ts";
import type { GraphSettings } from "../model/graph-settings.ts";
import type { MapPlace } from "../model/map-place.ts";
import type { NodeCalls } from "../model/node-calls.ts";
import { addSpent, type Spent, spentIn } from "../model/spent.ts";
import { InvalidOptionsError } from "../options/check-call.ts";
import { ownValue } from "../state/owned-value.ts";
import type { StateRecord } from "../state/state-update.ts";
import { MAX_UPDATE_BYTES } from "../state/value-size.ts";
import { type CallsHost, TaskCalls } from "./node-calls.ts";
import type { NodeTimer } from "./node-timer.ts";

/** What a context needs from the runner that made it. */
export interface ContextHost extends CallsHost {
  readonly runId: string;
  readonly services: RunServices;
  readonly config: GraphConfig;
  /** The same, without what belongs to the run alone. */
  readonly settings: GraphSettings;
  readonly contextWindowUsage: number | undefined;
  readonly handledFailures: readonly Failure[];
  emit(task: Task, event: NodeEmission): void;
  recordStep(task: Task, key: string, value: unknown): void | Promise<void>;
  setIdle(task: Task, isIdle: boolean): void;
}

/** One attempt of one visit. Expensive parts, such as the abort controller, are created on first use. */
export class NodeContext implements ExecutionContext {
  readonly #host: ContextHost;
  readonly #task: Task;
  #controller: AbortController | undefined;
  #abortReason: { readonly value: unknown } | undefined;
  #calls: TaskCalls | undefined;
  readonly attempt: number;
  readonly state: StateRecord;
  readonly startedAt: number;
  spent: Spent | undefined;
  /** Set once the node called `finish()`. */
  finished: FinishedRun | undefined;
  /** Set once the node has ended or was abandoned. Everything it reports afterwards is ignored. */
  isOver = false;
  /** The node's time limit, if it has one. */
  timer: NodeTimer | undefined;

  constructor(host: ContextHost, task: Task, startedAt: number) {
    this.#host = host;
    this.#task = task;
    this.attempt = task.attempt;
    this.state = task.thread.state;
    this.startedAt = startedAt;
  }

  get runId(): string {
    return this.#host.runId;
  }

  get nodeId(): string {
    return this.#task.node.id;
  }

  get taskId(): string {
    return this.#task.id;
  }

  get services(): RunServices {
    return this.#host.services;
  }

  get model(): string | undefined {
    return this.modelFor(undefined);
  }

  get config(): GraphSettings {
    return this.#host.settings;
  }

  get contextWindowThreshold(): number | undefined {
    return this.#host.config.contextWindowThreshold;
  }

  get contextWindowUsage(): number | undefined {
    return this.#host.contextWindowUsage;
  }

  get feedback(): string | undefined {
    return this.#task.thread.feedback;
  }

  get keepsReply(): boolean {
    return this.#task.node.keepsReply === true;
  }

  get errors(): readonly ExecutionError[] {
    return this.#host.handledFailures.map((failure) => ({
      nodeId: failure.nodeId,
      error: errorOf(failure),
      timestamp: new Date(failure.at),
      attempt: failure.attempt,
    }));
  }

  get item(): unknown {
    return mapItemOf(this.#task.thread)?.value;
  }

  get index(): number {
    return mapItemOf(this.#task.thread)?.index ?? -1;
  }

  get outer(): MapPlace | undefined {
    return placeOf(this.#task.thread).outer;
  }

  get error(): Error | undefined {
    const { caught } = this.#task.thread;
    return caught === undefined ? undefined : errorOf(caught);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason.value);
    }
    return this.#controller.signal;
  }

  get abortSignal(): AbortSignal {
    return this.signal;
  }

  abort(reason: unknown): void {
    if (this.#abortReason !== undefined) return;
    this.#abortReason = { value: reason };
    this.#controller?.abort(reason);
  }

  // Nodes destructure these from their context (`({ emit }) => …`): they must not depend on `this`.
  get modelFor(): ExecutionContext["modelFor"] {
    return (agentType) => resolveModel(this.#task, agentType, this.#host.config);
  }

  get emit(): ExecutionContext["emit"] {
    return (event) => this.#emit(event);
  }

  get step(): ExecutionContext["step"] {
    return (key, action) => this.#step(key, action);
  }

  get finish(): ExecutionContext["finish"] {
    return (...given) => {
      const { maxUpdateBytes: maxBytes = MAX_UPDATE_BYTES } = this.#host.config;
      const limit = { nodeId: this.#task.node.id, maxBytes };
      this.finished = given.length === 0 ? {} : { output: ownValue(this.#redact(given[0]), ["output"], limit) };
    };
  }

  get stopTimeout(): ExecutionContext["stopTimeout"] {
    return () => this.timer?.pause() ?? noLimit;
  }

  get whileIdle(): ExecutionContext["whileIdle"] {
    return (wait) => this.#waitIdly(wait);
  }

  get calls(): NodeCalls {
    this.#calls ??= new TaskCalls(this.#host, this.#task, () => this.isOver || this.#abortReason !== undefined);
    return this.#calls;
  }

  get recall(): ExecutionContext["recall"] {
    return (key) => structuredClone(this.#task.steps?.get(key));
  }

  /** A value as the run keeps it. */
  #redact<T>(value: T): T {
    const { redactor = noRedaction } = this.#host.services;
    return redactor.value(value);
  }

  #emit(event: NodeEmission): void {
    if (this.isOver) return;
    const more = spentIn(event);
    if (more !== undefined) this.spent = this.spent === undefined ? more : addSpent(this.spent, more);
    this.#host.emit(this.#task, event);
  }

  async #waitIdly<T>(wait: () => Promise<T>): Promise<T> {
    this.#host.setIdle(this.#task, true);
    try {
      return await wait();
    } finally {
      this.#host.setIdle(this.#task, false);
    }
  }

  /** Steps in progress, by key: a second call with the same key awaits the first. Most nodes have none. */
  #steps: Map<string, Promise<unknown>> | undefined;

  /** Steps that this attempt has taken itself. */
  #taken: Set<string> | undefined;

  async #step<T>(key: string, action: () => T | Promise<T>): Promise<T> {
    if (typeof key !== "string" || typeof action !== "function") {
      const problem = `the node "${this.nodeId}" has to call it with a name and a function: step("fetch", () => …)`;
      throw new InvalidOptionsError("step", [problem]);
    }
    const inProgress = this.#steps?.get(key) as Promise<T> | undefined;
    if (inProgress !== undefined || this.#taken?.has(key)) this.#warnOfRepeated(key);
    // The casts are true: the same code returned the value for this key. recall() copies it: the node may change it.
    if (this.#task.steps?.has(key)) return this.recall(key) as T;
    if (inProgress !== undefined) return await inProgress;
    const step = this.#takeStep(key, action);
    this.#steps ??= new Map();
    this.#steps.set(key, step);
    try {
      const value = await step;
      this.#taken ??= new Set();
      this.#taken.add(key);
      return value;
    } finally {
      this.#steps.delete(key);
    }
  }

  #warnOfRepeated(key: string): void {
    const message = `The node "${this.nodeId}" called step("${key}") more than once: the action ran once, and each call returned its result. Name each step of a visit differently.`;
    this.#emit({ type: "warning", message });
  }

  async #takeStep<T>(key: string, action: () => T | Promise<T>): Promise<T> {
    const made = await action();
    // A later attempt gets what the journal has: this one gets the same.
    const value = this.#redact(made);
    // The step of a dropped task must not be recorded after the record that dropped it, even before the signal is aborted.
    const isDropped = this.#task.thread.task !== this.#task;
    if (this.isOver || isDropped || this.#abortReason !== undefined) {
      throw (
        this.#abortReason?.value ??
        new Error(`The node "${this.nodeId}" is over: its step "${key}" was not kept. Await every step.`)
      );
    }
    await this.#host.recordStep(this.#task, key, value);
    return value;
  }
}

/** Resumes the time limit of a node that has none. */
function noLimit(): void {}

/** The thrown error in the process that caught it, else one with the same code and message. */
export function errorOf(failure: Failure): Error {
  return failure.live ?? new RestoredError(failure.code, failure.message);
}
