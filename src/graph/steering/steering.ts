import type { AtomicError } from "../../contracts/index.ts";
import type { CoordinatedRun } from "../decide/coordinated-run.ts";
import { recordedErrorOf, toRunError } from "../decide/records/failure.ts";
import { nodeOfVisit, type RunState, type Task } from "../decide/records/run-state.ts";
import { updateOf } from "../decide/result-record.ts";
import type { PortEvent } from "../decide/run-port.ts";
import { JournalFailure, unwrapFailure } from "../errors/journal-failure.ts";
import type { Spent } from "../model/spent.ts";
import type { NodeCommand } from "../model/steering-command.ts";
import { assertFits } from "../state/state-update.ts";
import {
  AmbiguousNodeError,
  CommandReplacedError,
  NodeCancelledError,
  NodeEndedError,
  NodeNotUnderWayError,
  NodeRestartedError,
  NodeSkippedError,
  RunPausingError,
} from "./steering-errors.ts";

const STEERING_TIMER = "steering:";

/** A command for a node. */
type CommandEvent = Omit<Extract<PortEvent, { type: "command" }>, "type" | "command"> & {
  readonly command: NodeCommand;
};
type EndEvent = Extract<PortEvent, { type: "task-done" | "task-failed" }>;

/** A command that waits for the node's aborted code to end. */
interface PendingCommand extends CommandEvent {
  readonly startedAt: number;
  /** Whether the node's current attempt has started. */
  readonly hasBegun: boolean;
}

/**
 * Carries out commands for nodes of a live run (E12). Running code is aborted first. The command takes effect when the
 * code has ended, so two attempts never run at the same time. Code that does not end within `graceMs` is abandoned.
 */
export class Steering {
  readonly #coordinated: CoordinatedRun;
  readonly #graceMs: number;
  #pending: Map<Task, PendingCommand> | undefined;

  constructor(coordinated: CoordinatedRun, graceMs: number) {
    this.#coordinated = coordinated;
    this.#graceMs = graceMs;
  }

  /** Takes a command. `settle` is called when it has taken effect, or with the error that prevented it. */
  take({ command, settle }: CommandEvent, isPausing = false): void | Promise<void> {
    const { run, port } = this.#coordinated;
    // The node's work would be lost: no node starts until the run is resumed.
    if (isPausing && command.type === "retry-node") return settle(new RunPausingError(run.runId, command.node));
    let task: Task;
    try {
      task = checkCommand(run, command);
    } catch (error) {
      return settle(toRunError(error));
    }
    const startedAt = port.now();
    if (!this.#coordinated.isRunning(task)) {
      const hasBegun = task.request !== undefined || task.sleep !== undefined;
      return this.#applyAndSettle(task, { command, settle, startedAt, hasBegun }, undefined);
    }
    // The latest command wins.
    this.forget(task, new CommandReplacedError(task.id));
    this.#pending ??= new Map();
    this.#pending.set(task, { command, settle, startedAt, hasBegun: true });
    port.startTimer(STEERING_TIMER + task.id, startedAt + this.#graceMs);
    port.abortTask(task, reasonOf(command, task));
    return undefined;
  }

  /** Takes a command before the run resumes. @throws the error that rejected it */
  async takeFirst(command: NodeCommand): Promise<void> {
    let rejection: Error | undefined;
    const settle = (error?: Error): void => {
      rejection = error;
    };
    await this.take({ command, settle });
    if (rejection !== undefined) throw rejection;
  }

  /** Whether a command waits for this end of a node's code. If so, call {@link finish}. */
  isAwaiting({ task, ...event }: EndEvent): boolean {
    const pending = this.#pending?.get(task);
    if (pending === undefined) return false;
    if (pending.command.type !== "cancel-node" || event.type === "task-failed") return true;
    // It completed before it could be cancelled.
    this.forget(task);
    return false;
  }

  /** Carries out the pending command of a node whose aborted code has ended. */
  finish({ task, startedAt, spent }: EndEvent): void | Promise<void> {
    const pending = this.#pending?.get(task);
    this.#pending?.delete(task);
    return pending && this.#applyAndSettle(task, { ...pending, startedAt }, spent);
  }

  /** Carries out the pending command of a node whose aborted code did not end in time. */
  handleTimer(key: string): void | Promise<void> {
    if (!key.startsWith(STEERING_TIMER)) return;
    const task = this.#coordinated.run.tasks.get(key.slice(STEERING_TIMER.length));
    const pending = task && this.#pending?.get(task);
    if (task === undefined || pending === undefined) return;
    this.#pending?.delete(task);
    this.#coordinated.port.abandonTask(task);
    return this.#applyAndSettle(task, pending, undefined);
  }

  /** Rejects the pending command of a node whose result is no longer needed, or whose run is over. */
  forget(task: Task, reason: Error = new NodeEndedError(task.id)): void {
    this.#pending?.get(task)?.settle(reason);
    this.#pending?.delete(task);
  }

  forgetAll(): void {
    for (const task of [...(this.#pending?.keys() ?? [])]) this.forget(task);
  }

  async #applyAndSettle(task: Task, { settle, ...pending }: PendingCommand, last: Spent | undefined): Promise<void> {
    const spent = this.#coordinated.release(task) ?? last;
    try {
      await this.#apply(task, pending, spent);
    } catch (error) {
      settle(toRunError(unwrapFailure(error)));
      if (error instanceof JournalFailure) throw error;
      // Nothing has changed. The node's code is no longer running: the node failed, not the run.
      return this.#coordinated.fail(task, toRunError(error));
    }
    settle();
  }

  #apply(task: Task, pending: Omit<PendingCommand, "settle">, spent: Spent | undefined): void | Promise<void> {
    const { command, startedAt, hasBegun } = pending;
    const { port } = this.#coordinated;
    const at = port.now();
    const about = { at, task: task.id, node: task.node.id };
    // An attempt that has not started does not count.
    const attempt = hasBegun ? task.attempt : task.attempt - 1;
    switch (command.type) {
      case "cancel-node":
        return this.#coordinated.fail(task, reasonOf(command, task));
      case "skip-node": {
        const update = updateOf(this.#coordinated.run, task, command.update);
        const change = update === undefined ? {} : { update };
        return this.#commit({ type: "done", ...about, attempt, startedAt, ...change, isSkipped: true }, spent);
      }
      case "retry-node": {
        const error = this.#coordinated.run.redact(recordedErrorOf(reasonOf(command, task)));
        this.#coordinated.enqueue(task);
        return this.#commit({ type: "retry", ...about, attempt, error, retryAt: at, isRestart: true }, spent);
      }
    }
  }

  #commit(...[record, spent]: Parameters<CoordinatedRun["publisher"]["steered"]>): void | Promise<void> {
    const { commit, publisher } = this.#coordinated;
    return commit(record, () => publisher.steered(record, spent));
  }
}

/**
 * Returns the visit that a command targets.
 *
 * @throws NodeNotUnderWayError, AmbiguousNodeError, UnknownStateFieldError, UnserializableValueError, UnfitUpdateError
 */
export function checkCommand(run: RunState, command: NodeCommand): Task {
  const task = findTarget(run, command.node);
  if (command.type !== "skip-node") return task;
  const { code, state } = task.thread;
  // Checked before the node is aborted: a rejected command leaves it running.
  assertFits(code.rules, state, updateOf(run, task, command.update) ?? {});
  return task;
}

/**
 * Checks the commands for the start of a resumed run. Each visit may have one command or answer: the first would change
 * what the second applies to.
 *
 * @throws what {@link checkCommand} throws; CommandReplacedError
 */
export function checkCommands(
  run: RunState,
  { commands, answered }: { readonly commands: readonly NodeCommand[]; readonly answered: readonly string[] },
): void {
  // A question has the id of the visit that asks it.
  const targets = new Set(answered);
  for (const command of commands) {
    const { id } = checkCommand(run, command);
    if (targets.has(id)) throw new CommandReplacedError(id);
    targets.add(id);
  }
}

function findTarget(run: RunState, node: string): Task {
  const visit = run.tasks.get(node);
  if (visit !== undefined) return visit;
  const visits = [...run.tasks.values()].filter((task) => task.node.id === node);
  const [task] = visits;
  if (task === undefined) {
    const nodeId = nodeOfVisit(node);
    const isHandled = run.handledFailures.some((failure) => failure.nodeId === nodeId);
    throw new NodeNotUnderWayError(node, [...run.tasks.keys()], isHandled);
  }
  if (visits.length > 1)
    throw new AmbiguousNodeError(
      node,
      visits.map(({ id }) => id),
    );
  return task;
}

function reasonOf({ type }: NodeCommand, { node }: Task): AtomicError {
  switch (type) {
    case "cancel-node":
      return new NodeCancelledError(node.id);
    case "skip-node":
      return new NodeSkippedError(node.id);
    case "retry-node":
      return new NodeRestartedError(node.id);
  }
}
