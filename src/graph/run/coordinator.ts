import { AtomicError } from "../../contracts/index.ts";
import { applyRecord } from "../decide/apply-record.ts";
import { findBrokenLimit } from "../decide/arrivals.ts";
import { Calls } from "../decide/calls.ts";
import type { CoordinatedRun } from "../decide/coordinated-run.ts";
import { assertAnswerable, OpenQuestions } from "../decide/open-questions.ts";
import { Pauses } from "../decide/pauses.ts";
import { isRefusal, planNextAttempt } from "../decide/plan-attempt.ts";
import { planFailure } from "../decide/plan-failure.ts";
import { errorInfoOf, lastingErrorOf, recordedErrorOf } from "../decide/records/failure.ts";
import { type JournalRecord, withConsequences } from "../decide/records/journal-record.ts";
import type { Failure, RunState, Task } from "../decide/records/run-state.ts";
import { createResultRecord } from "../decide/result-record.ts";
import type { PortEvent, RunLimits, RunOutcome, RunPort, TaskReport } from "../decide/run-port.ts";
import { RunPublisher } from "../decide/run-publisher.ts";
import { RunningTasks } from "../decide/running-tasks.ts";
import { JournalWriteError, RunLimitError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import { JournalFailure, unwrapFailure } from "../errors/journal-failure.ts";
import { VisitLimitError } from "../errors/visit-limit-error.ts";
import { findBrokenBudget } from "../model/spending.ts";
import { recordSpent, type Spent } from "../model/spent.ts";
import type { NodeCommand } from "../model/steering-command.ts";
import { Steering } from "../steering/steering.ts";

const RUN_TIMEOUT = "run-timeout";

/** Answers and commands that were given before this process's part in the run began. */
export interface TakenFirst {
  readonly answers?: readonly (readonly [requestId: string, value: unknown])[];
  readonly commands?: readonly NodeCommand[];
}

/**
 * Decides what happens next in a run, and nothing else: one loop that takes one event at a time (DESIGN §3.4). Events
 * come from a {@link RunPort}, and every effect goes through it: the decisions are the same wherever the run is executed.
 */
export class Coordinator {
  readonly #run: RunState;
  readonly #port: RunPort;
  readonly #limits: RunLimits;
  /** Tasks whose code runs, dropped ones included until they settle. */
  readonly #running = new RunningTasks();
  /** Tasks that wait until fewer than `maxConcurrency` run. */
  readonly #queue: Task[] = [];
  /** Whether the run is pausing: no more tasks start. */
  #isPausing = false;
  #cancelled: { readonly reason: unknown } | undefined;
  readonly #publisher: RunPublisher;
  #questionsMade: OpenQuestions | undefined;
  #steeringMade: Steering | undefined;
  #pausesMade: Pauses | undefined;
  #callsMade: Calls | undefined;

  constructor(run: RunState, port: RunPort, limits: RunLimits) {
    this.#run = run;
    this.#port = port;
    this.#limits = limits;
    this.#publisher = new RunPublisher(port, run);
  }

  // These four are created on first use: most runs need none of them, and a process may hold many waiting runs.
  get #questions(): OpenQuestions {
    this.#questionsMade ??= new OpenQuestions(this.#coordinated());
    return this.#questionsMade;
  }

  get #steering(): Steering {
    this.#steeringMade ??= new Steering(this.#coordinated(), this.#limits.cancelGraceMs);
    return this.#steeringMade;
  }

  get #pauses(): Pauses {
    this.#pausesMade ??= new Pauses(this.#coordinated());
    return this.#pausesMade;
  }

  get #calls(): Calls {
    this.#callsMade ??= new Calls(this.#coordinated());
    return this.#callsMade;
  }

  #coordinated(): CoordinatedRun {
    return {
      run: this.#run,
      port: this.#port,
      publisher: this.#publisher,
      commit: (record, tell) => this.#commit(record, { tell }),
      fail: (task, error) => this.#failWith(task, error),
      isRunning: (task) => this.#running.has(task),
      setIdle: (task, isIdle) => this.#running.setIdle(task, isIdle),
      release: (task) => this.#release(task),
      enqueue: (task) => void this.#queue.push(task),
    };
  }

  /** Removes a task from the running ones, the queue and the pauses. Returns what its attempt has spent. */
  #release(task: Task): Spent | undefined {
    const spent = this.#running.spentBy(task);
    this.#running.delete(task);
    this.#pausesMade?.end(task);
    const index = this.#queue.indexOf(task);
    if (index >= 0) this.#queue.splice(index, 1);
    return spent;
  }

  /** Cancels the run. Called before {@link coordinate}, it keeps every node from starting. */
  cancel(reason: unknown): void {
    this.#cancelled = { reason };
  }

  /**
   * Runs until the run completes, fails, is cancelled, or waits only for people.
   *
   * @param first the first record of this process's part: `run` or `resumed`
   * @param taken valid answers and commands, applied before anything else
   */
  async coordinate(
    first: Extract<JournalRecord, { type: "run" | "resumed" }>,
    taken: TakenFirst = {},
  ): Promise<RunOutcome> {
    const { answers = [], commands = [] } = taken;
    try {
      const { timeoutMs } = this.#limits;
      if (timeoutMs !== undefined) this.#port.startTimer(RUN_TIMEOUT, this.#port.now() + timeoutMs);
      const written = this.#commit(first);
      if (written !== undefined) await written;
      for (const [requestId, value] of answers) await this.#questions.answer(requestId, value);
      for (const command of commands) await this.#steering.takeFirst(command);
      if (first.type === "resumed") this.#takeOver();
      this.#checkBudget();
      for (;;) {
        const outcome = this.#outcome();
        if (outcome !== undefined) return await this.#finish(outcome);
        this.#fillPlaces();
        const next = this.#port.nextEvent();
        const event = next instanceof Promise ? await next : next;
        const handled = this.#handle(event);
        if (handled !== undefined) await handled;
      }
    } catch (error) {
      const reason = unwrapFailure(error);
      for (const task of this.#running.all()) this.#port.abortTask(task, reason);
      throw reason;
    } finally {
      this.#steeringMade?.forgetAll();
    }
  }

  /** Restarts the tasks of a restored run, or their pauses and questions. */
  #takeOver(): void {
    const begun = new Set(this.#queue);
    for (const task of this.#run.tasks.values()) {
      if (begun.has(task)) continue;
      if (task.request !== undefined) this.#questions.watch(task);
      else this.#pauses.begin(task);
    }
  }

  /** False for dropped tasks, which may still run or be queued. */
  readonly #isLive = (task: Task): boolean => this.#run.tasks.get(task.id) === task;

  #outcome(): RunOutcome | undefined {
    const run = this.#run;
    if (this.#cancelled !== undefined) return { status: "cancelled", failure: undefined };
    if (run.fatal !== undefined) return { status: "failed", failure: run.fatal };
    if (run.isDone) return { status: "completed", failure: undefined };
    const isWorking = this.#running.isAnyWorking(run, this.#isPausing);
    if (this.#isPausing && !isWorking) return { status: "suspended", failure: undefined };
    const isIdle = !isWorking && !this.#queue.some(this.#isLive) && (this.#pausesMade?.isEmpty ?? true);
    return isIdle && !this.#questions.answerThemselvesWithin(this.#limits.autoApproveWaitMs)
      ? { status: "suspended", failure: undefined }
      : undefined;
  }

  async #finish(outcome: RunOutcome): Promise<RunOutcome> {
    const { status, failure } = outcome;
    const reason = this.#cancelled?.reason ?? failure?.live ?? new AtomicError("RUN_ENDED", `The run ended: ${status}`);
    for (const task of this.#running.all()) this.#port.abortTask(task, reason);
    const waiting = this.#queue.filter(this.#isLive).map(({ id }) => id);
    const unbegun = waiting.length === 0 ? undefined : waiting;
    const output = status === "completed" ? this.#limits.outputOf(this.#run) : undefined;
    const isPaused = status === "suspended" && this.#isPausing ? true : undefined;
    const about = given({ error: failure && errorInfoOf(failure), unbegun, output, isPaused });
    const written = this.#commit({ type: "end", at: this.#port.now(), status, ...about });
    if (written !== undefined) await written;
    return { ...outcome, output };
  }

  #fillPlaces(): void {
    if (this.#isPausing) return;
    let index = 0;
    while (index < this.#queue.length && this.#running.placeCount < this.#limits.maxConcurrency) {
      const task = this.#queue[index++];
      if (task === undefined || !this.#isLive(task)) continue;
      task.retryAt = undefined;
      this.#running.add(task);
      this.#publisher.started(task);
      this.#port.startTask(task);
    }
    if (index > 0) this.#queue.splice(0, index);
  }

  #handle(event: PortEvent): void | Promise<void> {
    switch (event.type) {
      case "task-done":
      case "task-failed":
        return this.#takeBack(event) ? this.#handleEnd(event) : this.#steeringMade?.forget(event.task);
      case "command":
        return this.#takeCommand(event);
      case "usage":
        return this.#spend(event);
      case "idle":
        return this.#running.setIdle(event.task, event.isIdle);
      case "call":
        return this.#calls.make(event);
      case "calls-watch":
        return this.#calls.watch(event);
      case "calls-rest":
        return this.#calls.rest(event);
      case "timer":
        return this.#handleTimer(event.key);
      case "cancel":
        return this.cancel(event.reason);
      case "crash":
        return this.#stop(event.error);
    }
  }

  #takeCommand({ command, settle }: Extract<PortEvent, { type: "command" }>): void | Promise<void> {
    switch (command.type) {
      case "answer":
        return this.#questions.take(command, settle);
      case "pause":
      case "unpause":
        this.#isPausing = command.type === "pause";
        return settle();
      default:
        return this.#steering.take({ command, settle }, this.#isPausing);
    }
  }

  /** Handles the end of a node's code. Returns whether its result is still needed. */
  #takeBack({ task }: TaskReport): boolean {
    this.#running.delete(task);
    this.#callsMade?.forget(task);
    return this.#isLive(task);
  }

  /** Records what a node has spent at once: the process may be killed before the node ends, and it is paid for. */
  #spend({ task, spent }: Extract<PortEvent, { type: "usage" }>): void | Promise<void> {
    this.#running.spend(task, spent);
    const about = { at: this.#port.now(), task: task.id, node: task.node.id, attempt: task.attempt };
    const written = this.#commit({ type: "spent", ...about, ...recordSpent(spent) });
    this.#checkBudget();
    return written;
  }

  #checkBudget(): void {
    const { budget } = this.#limits;
    if (budget === undefined) return;
    const broken = findBrokenBudget(budget, this.#run.spent.usage);
    if (broken !== undefined) this.#stop(broken);
  }

  #handleEnd(event: Extract<PortEvent, { type: "task-done" | "task-failed" }>): void | Promise<void> {
    if (this.#steeringMade?.isAwaiting(event)) return this.#steering.finish(event);
    return event.type === "task-done" ? this.#handleDone(event) : this.#handleFailed(event, event.error);
  }

  #handleDone(event: Extract<PortEvent, { type: "task-done" }>): void | Promise<void> {
    const at = this.#port.now();
    try {
      const record = createResultRecord(this.#run, event, at);
      if (record.type === "request") assertAnswerable(record.request, at, this.#limits);
      const written = this.#commit(record, { tell: () => this.#publisher.done(event, record, at) });
      if (record.type === "request") this.#questions.watch(event.task);
      if (record.type === "sleep") this.#pauses.begin(event.task);
      return written;
    } catch (error) {
      if (error instanceof JournalFailure) throw error;
      // Nothing has changed: the node's result is invalid, so the node failed.
      return this.#handleFailed(event, lastingErrorOf(error));
    }
  }

  #handleFailed({ task }: TaskReport, thrown: Error): void | Promise<void> {
    // A step of the node failed to write the journal: that fails the run, not the node.
    if (thrown instanceof JournalWriteError) throw thrown;
    const { error, delayMs } = planNextAttempt(task, thrown, this.#port.random());
    const at = this.#port.now();
    const about = {
      at,
      task: task.id,
      node: task.node.id,
      attempt: task.attempt,
      error: this.#run.redact(recordedErrorOf(error)),
    };
    if (isRefusal(task, error)) {
      this.#publisher.failed(about, undefined);
      return this.#commit({ type: "refused", ...about });
    }
    if (delayMs !== undefined) {
      const retryAt = at + delayMs;
      this.#publisher.failed(about, retryAt);
      const written = this.#commit({ type: "retry", ...about, retryAt });
      this.#pauses.begin(task);
      return written;
    }
    this.#publisher.failed(about, undefined);
    return this.#fail(task, about, error);
  }

  /** Fails a node for a reason outside its code. */
  #failWith(task: Task, error: Error): void | Promise<void> {
    const { id, node, attempt } = task;
    const recorded = this.#run.redact(recordedErrorOf(error));
    const about = { at: this.#port.now(), task: id, node: node.id, attempt, error: recorded };
    this.#publisher.failed(about, undefined);
    return this.#fail(task, about, error);
  }

  #fail(
    task: Task,
    about: Omit<Extract<JournalRecord, { type: "failed" }>, "type">,
    error: Error,
  ): void | Promise<void> {
    const failure: Failure = { ...about.error, nodeId: about.node, attempt: about.attempt, at: about.at, live: error };
    // An uncaught failure is not applied: the node stays in progress, and a resume restarts it.
    const plan = planFailure(task.thread, failure, about.at);
    if (plan.type !== "nobody") return this.#commit({ type: "failed", ...about }, { live: error });
    this.#run.fatal = plan.reason;
    return undefined;
  }

  #handleTimer(key: string): void | Promise<void> {
    const paused = this.#pausesMade?.take(key);
    if (paused !== undefined) return this.#pauses.finish(paused);
    if (key === RUN_TIMEOUT) return this.#stop(new RunLimitError("timeoutMs", this.#limits.timeoutMs ?? 0));
    return this.#questions.handleTimer(key) ?? this.#steering.handleTimer(key);
  }

  /** Fails the run. No node is to blame, unless the error names one. */
  #stop(error: Error): void {
    const nodeId = error instanceof VisitLimitError ? error.nodeId : "";
    const recorded = this.#run.redact(recordedErrorOf(error, "RUN_FAILED"));
    this.#run.fatal ??= { ...recorded, nodeId, attempt: 1, at: this.#port.now(), live: error };
  }

  /** Applies a record, appends it to the journal, publishes it with `tell`, and carries out its consequences once it is durable (E4). */
  #commit(
    record: JournalRecord,
    { live, tell }: { readonly live?: Error; readonly tell?: (() => void) | undefined } = {},
  ): void | Promise<void> {
    const run = this.#run;
    run.started = [];
    run.dropped = [];
    run.arrived = [];
    run.decisions = [];
    run.exited = [];
    run.returned = [];
    run.oversized = [];
    applyRecord(run, record, live);
    const written = this.#append(withConsequences(record, run));
    tell?.();
    return written === undefined ? this.#letHappen() : written.then(() => this.#letHappen());
  }

  /** @throws JournalFailure, so that handlers of node failures can tell it from one */
  #append(record: JournalRecord): void | Promise<void> {
    try {
      return this.#port.append(record)?.catch((error: unknown) => {
        throw new JournalFailure(error);
      });
    } catch (error) {
      throw new JournalFailure(error);
    }
  }

  #abortDropped(dropped: readonly Task[]): void {
    const reason = new AtomicError("BRANCH_DROPPED", "The result of this node is no longer needed.");
    for (const task of dropped) {
      this.#pausesMade?.end(task);
      this.#steeringMade?.forget(task);
      if (!this.#running.has(task)) continue;
      this.#publisher.dropped(task);
      this.#port.abortTask(task, reason);
    }
  }

  #letHappen(): void {
    const run = this.#run;
    if (run.dropped.length > 0) this.#abortDropped(run.dropped);
    this.#publisher.exited(run);
    for (const task of run.started) this.#queue.push(task);
    this.#callsMade?.deliver(run.returned);
    const broken = findBrokenLimit(run, this.#limits);
    if (broken !== undefined) this.#stop(broken);
  }
}
