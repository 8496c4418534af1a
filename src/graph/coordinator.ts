import { AtomicError, messageOf, type RunEvent, type RunStatus, type Usage } from "../contracts/index.ts";
import { planFailure } from "./advance.ts";
import { applyRecord } from "./apply-record.ts";
import { toStorable } from "./codec.ts";
import { JournalWriteError, RunLimitError, SchemaValidationError } from "./errors.ts";
import type { JournalRecord } from "./journal-record.ts";
import type { NodeResult } from "./node-definition.ts";
import { createRequest } from "./request.ts";
import { maxAttemptsOf, planRetry } from "./retry-policy.ts";
import type { Failure, RunState, Task } from "./run-state.ts";
import { pruneChange, type StateChange } from "./state-update.ts";

/** What a node's execution came to. */
export interface TaskReport {
  readonly task: Task;
  readonly usage: Usage | undefined;
  readonly startedAt: number;
}

/** What the world tells the coordinator. */
export type PortEvent =
  | (TaskReport & { readonly type: "task-done"; readonly result: NodeResult | undefined })
  | (TaskReport & { readonly type: "task-failed"; readonly error: Error })
  /** The answer was validated before. */
  | { readonly type: "answer"; readonly requestId: string; readonly value: unknown }
  | { readonly type: "timer"; readonly key: string }
  | { readonly type: "cancel" };

/** An event without what the port adds. */
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type PublishedEvent = DistributiveOmit<RunEvent, "runId" | "at">;

/** What a place that runs graphs must offer (one process here, a durable engine elsewhere). */
export interface RunPort {
  now(): number;
  /** From 0 to 1, for jitter. */
  random(): number;
  startTask(task: Task): void;
  abortTask(task: Task, reason: unknown): void;
  /** Calls back with a `timer` event; the same key replaces an earlier one. */
  startTimer(key: string, at: number): void;
  /** The first thing that happened and was not told yet. */
  nextEvent(): PortEvent | Promise<PortEvent>;
  /** Keeps a record durably (E4). */
  append(record: JournalRecord): void | Promise<void>;
  /** Whether {@link publish} is worth calling. */
  readonly isObserved: boolean;
  publish(event: PublishedEvent): void;
}

/** Bounds of a run (E3). */
export interface RunLimits {
  readonly maxConcurrency: number;
  readonly maxSteps: number;
  readonly timeoutMs: number | undefined;
  /** For how long a process stays alive for a question that will answer itself. */
  readonly autoApproveWaitMs: number;
}

/** How a process's part in a run ended. */
export interface RunOutcome {
  readonly status: Exclude<RunStatus, "running">;
  readonly failure: Failure | undefined;
}

const RUN_TIMEOUT = "run-timeout";

/**
 * Decides what happens next in a run, and nothing else: one loop over the first thing that happened (DESIGN §3.4). It
 * is fed by a {@link RunPort} and does everything through it, so that the same decisions come out wherever it runs.
 */
export class Coordinator {
  readonly #run: RunState;
  readonly #port: RunPort;
  readonly #limits: RunLimits;
  /** Tasks whose code runs, dropped ones included until they settle. */
  readonly #running = new Set<Task>();
  /** Tasks that wait for a free place. */
  readonly #queue: Task[] = [];
  /** Tasks that wait for their next attempt, by timer key. */
  readonly #pausing = new Map<string, Task>();
  #isCancelled = false;

  constructor(run: RunState, port: RunPort, limits: RunLimits) {
    this.#run = run;
    this.#port = port;
    this.#limits = limits;
  }

  /**
   * Goes on until the run ends, fails, is cancelled, or waits for people only.
   *
   * @param first the record that begins this process's part: `run` or `resumed`
   * @param answers valid answers to open questions, taken before anything else
   */
  async coordinate(
    first: Extract<JournalRecord, { type: "run" | "resumed" }>,
    answers: readonly (readonly [requestId: string, value: unknown])[] = [],
  ): Promise<RunOutcome> {
    const { timeoutMs } = this.#limits;
    if (timeoutMs !== undefined) this.#port.startTimer(RUN_TIMEOUT, this.#port.now() + timeoutMs);
    const written = this.#commit(first);
    if (written !== undefined) await written;
    for (const [requestId, value] of answers) await this.#handleAnswer(requestId, value);
    if (first.type === "resumed") this.#takeOver();
    for (;;) {
      const outcome = this.#outcome();
      if (outcome !== undefined) return await this.#finish(outcome);
      this.#fillPlaces();
      const next = this.#port.nextEvent();
      const event = next instanceof Promise ? await next : next;
      const handled = this.#handle(event);
      if (handled !== undefined) await handled;
    }
  }

  /** What a restored run has under way starts, pauses or waits again. */
  #takeOver(): void {
    const begun = new Set(this.#queue);
    for (const task of this.#run.tasks.values()) {
      if (begun.has(task)) continue;
      if (task.request !== undefined) this.#watchRequest(task);
      else this.#schedule(task);
    }
  }

  #schedule(task: Task): void {
    if (task.retryAt !== undefined && task.retryAt > this.#port.now()) {
      const key = `retry:${task.id}`;
      this.#pausing.set(key, task);
      this.#port.startTimer(key, task.retryAt);
    } else this.#queue.push(task);
  }

  #watchRequest(task: Task): void {
    const { request } = task;
    if (request?.autoApproveAt !== undefined) this.#port.startTimer(`request:${request.id}`, request.autoApproveAt);
  }

  #outcome(): RunOutcome | undefined {
    const run = this.#run;
    if (this.#isCancelled) return { status: "cancelled", failure: undefined };
    if (run.fatal !== undefined) return { status: "failed", failure: run.fatal };
    if (run.isDone) return { status: "completed", failure: undefined };
    const isIdle = this.#queue.length === 0 && this.#pausing.size === 0 && !this.#hasRunningTask();
    return isIdle && !this.#answersItselfSoon() ? { status: "suspended", failure: undefined } : undefined;
  }

  #hasRunningTask(): boolean {
    for (const task of this.#running) if (this.#run.tasks.get(task.id) === task) return true;
    return false;
  }

  #answersItselfSoon(): boolean {
    const latest = this.#port.now() + this.#limits.autoApproveWaitMs;
    return this.#run.requests.some(({ autoApproveAt }) => autoApproveAt !== undefined && autoApproveAt <= latest);
  }

  async #finish(outcome: RunOutcome): Promise<RunOutcome> {
    const { status, failure } = outcome;
    const reason = failure?.live ?? new AtomicError("RUN_ENDED", `The run ended: ${status}`);
    for (const task of this.#running) this.#port.abortTask(task, reason);
    const error = failure && { code: failure.code, message: failure.message, nodeId: failure.nodeId };
    await this.#port.append({ type: "end", at: this.#port.now(), status, ...(error === undefined ? {} : { error }) });
    return outcome;
  }

  #fillPlaces(): void {
    let index = 0;
    while (index < this.#queue.length && this.#running.size < this.#limits.maxConcurrency) {
      const task = this.#queue[index++];
      if (task === undefined || this.#run.tasks.get(task.id) !== task) continue;
      task.retryAt = undefined;
      this.#running.add(task);
      if (this.#port.isObserved) {
        const { node } = task;
        const name = node.name ?? node.id;
        this.#port.publish({
          type: "node-start",
          nodeId: node.id,
          taskId: task.id,
          nodeType: node.type,
          name,
          attempt: task.attempt,
        });
      }
      this.#port.startTask(task);
    }
    if (index > 0) this.#queue.splice(0, index);
  }

  #handle(event: PortEvent): void | Promise<void> {
    switch (event.type) {
      case "task-done":
        this.#running.delete(event.task);
        return this.#isUnderWay(event.task) ? this.#handleDone(event) : undefined;
      case "task-failed":
        this.#running.delete(event.task);
        return this.#isUnderWay(event.task) ? this.#handleFailed(event, event.error) : undefined;
      case "answer":
        return this.#handleAnswer(event.requestId, event.value);
      case "timer":
        return this.#handleTimer(event.key);
      case "cancel":
        this.#isCancelled = true;
        return undefined;
    }
  }

  #isUnderWay(task: Task): boolean {
    return this.#run.tasks.get(task.id) === task;
  }

  #handleDone(event: Extract<PortEvent, { type: "task-done" }>): void | Promise<void> {
    const { task, result, usage, startedAt } = event;
    const at = this.#port.now();
    const about = {
      at,
      task: task.id,
      node: task.node.id,
      attempt: task.attempt,
      ...(usage === undefined ? {} : { usage }),
    };
    let record: JournalRecord;
    try {
      if (result?.request !== undefined) {
        record = { type: "request", ...about, request: createRequest(task, result.request, at) };
      } else {
        const update = this.#updateOf(task, result?.stateUpdate);
        const goto = result?.goto;
        record = {
          type: "done",
          ...about,
          startedAt,
          ...(update === undefined ? {} : { update }),
          ...(goto === undefined ? {} : { goto }),
        };
      }
      const written = this.#commit(record);
      this.#publishDone(event, record, at);
      return written;
    } catch (error) {
      if (error instanceof JournalWriteError) throw error;
      // Nothing was changed: the node's result was refused, so the node failed.
      return this.#handleFailed(event, toError(error));
    }
  }

  #updateOf(task: Task, stateUpdate: unknown): StateChange | undefined {
    if (stateUpdate === undefined || stateUpdate === null) return undefined;
    // The cast is true as far as it goes: pruneChange checks every name, toStorable every value.
    const update = pruneChange(this.#run.rules, task.thread.state, stateUpdate as StateChange);
    if (update !== undefined) toStorable(update, []);
    return update;
  }

  #publishDone(event: TaskReport, record: JournalRecord, at: number): void {
    const { task, usage, startedAt } = event;
    if (record.type === "request") this.#watchRequest(task);
    if (!this.#port.isObserved) return;
    const about = { nodeId: task.node.id, taskId: task.id };
    if (record.type === "request") this.#port.publish({ type: "request", ...about, request: record.request });
    else {
      const spent = usage ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
      this.#port.publish({ type: "node-end", ...about, durationMs: at - startedAt, usage: spent });
    }
  }

  #handleFailed(report: TaskReport, error: Error): void | Promise<void> {
    const { task, usage } = report;
    const at = this.#port.now();
    const recorded = { code: codeOf(error), message: messageOf(error) };
    const spent = usage === undefined ? {} : { usage };
    const about = { at, task: task.id, node: task.node.id, attempt: task.attempt, error: recorded, ...spent };
    const retryDelayMs = planRetry(task.node.retry, error, task.failures + 1, this.#port.random());
    if (this.#isRefusal(task, error)) {
      this.#publishError(about, undefined);
      return this.#commit({ type: "refused", ...about });
    }
    if (retryDelayMs !== undefined && !(error instanceof SchemaValidationError)) {
      const retryAt = at + retryDelayMs;
      this.#publishError(about, retryAt);
      const written = this.#commit({ type: "retry", ...about, retryAt });
      this.#schedule(task);
      return written;
    }
    this.#publishError(about, undefined);
    return this.#fail(task, about, error);
  }

  #isRefusal(task: Task, error: Error): boolean {
    if (!(error instanceof SchemaValidationError) || task.thread.previousPc === undefined) return false;
    return (task.thread.refusals.get(task.node.id) ?? 0) + 1 < maxAttemptsOf(task.node.retry);
  }

  #fail(
    task: Task,
    about: Omit<Extract<JournalRecord, { type: "failed" }>, "type">,
    error: Error,
  ): void | Promise<void> {
    const failure: Failure = { ...about.error, nodeId: about.node, attempt: about.attempt, at: about.at, live: error };
    // A failure nobody takes is not applied: the node stays under way, so that a resumed run begins it again.
    if (planFailure(this.#run, task.thread, failure, about.at) !== undefined) {
      return this.#commit({ type: "failed", ...about }, error);
    }
    this.#run.fatal = failure;
    return undefined;
  }

  #publishError(about: Omit<Extract<JournalRecord, { type: "failed" }>, "type">, retryAt: number | undefined): void {
    if (!this.#port.isObserved) return;
    const { node: nodeId, task: taskId, attempt } = about;
    const error = { ...about.error, nodeId };
    this.#port.publish({
      type: "node-error",
      nodeId,
      taskId,
      attempt,
      error,
      ...(retryAt === undefined ? {} : { retryAt }),
    });
  }

  #handleAnswer(requestId: string, value: unknown): void | Promise<void> {
    for (const task of this.#run.tasks.values()) {
      if (task.request?.id !== requestId) continue;
      const { id, node, thread, attempt } = task;
      const change = node.applyAnswer ? node.applyAnswer(value, thread.state) : { outputs: { [node.id]: value } };
      const update = this.#updateOf(task, change);
      const about = { at: this.#port.now(), task: id, node: node.id, attempt, requestId, value };
      const written = this.#commit({ type: "answer", ...about, ...(update === undefined ? {} : { update }) });
      if (this.#port.isObserved) this.#port.publish({ type: "answer", nodeId: node.id, taskId: id, requestId, value });
      return written;
    }
    return undefined;
  }

  #handleTimer(key: string): void | Promise<void> {
    const pausing = this.#pausing.get(key);
    if (pausing !== undefined) {
      this.#pausing.delete(key);
      this.#queue.push(pausing);
      return undefined;
    }
    if (key === RUN_TIMEOUT) {
      const error = new RunLimitError("timeoutMs", this.#limits.timeoutMs ?? 0);
      this.#run.fatal = {
        code: error.code,
        message: error.message,
        nodeId: "",
        attempt: 1,
        at: this.#port.now(),
        live: error,
      };
      return undefined;
    }
    const requestId = key.slice("request:".length);
    for (const task of this.#run.tasks.values()) {
      if (task.request?.id === requestId) return this.#handleAnswer(requestId, task.request.autoApproveValue ?? "yes");
    }
    return undefined;
  }

  /** Applies a record, keeps it durably, and only then lets its consequences happen (E4). */
  #commit(record: JournalRecord, live?: Error): void | Promise<void> {
    const run = this.#run;
    run.started = [];
    run.dropped = [];
    run.decisions = [];
    applyRecord(run, record, live);
    const { started, decisions } = run;
    const consequences = {
      ...(decisions.length === 0 ? {} : { decisions }),
      ...(started.length === 0 ? {} : { next: started.map((task) => task.id) }),
    };
    const written = this.#port.append({ ...record, ...consequences });
    return written === undefined ? this.#release() : written.then(() => this.#release());
  }

  #release(): void {
    const run = this.#run;
    const reason = new AtomicError("BRANCH_DROPPED", "The result of this node is no longer needed.");
    for (const task of run.dropped) {
      this.#pausing.delete(`retry:${task.id}`);
      if (this.#running.has(task)) this.#port.abortTask(task, reason);
    }
    for (const task of run.started) this.#queue.push(task);
    if (run.stepCount > this.#limits.maxSteps && run.fatal === undefined) {
      const error = new RunLimitError("maxSteps", this.#limits.maxSteps);
      run.fatal = {
        code: error.code,
        message: error.message,
        nodeId: "",
        attempt: 1,
        at: this.#port.now(),
        live: error,
      };
    }
  }
}

function codeOf(error: Error): string {
  return error instanceof AtomicError ? error.code : "NODE_FAILED";
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
