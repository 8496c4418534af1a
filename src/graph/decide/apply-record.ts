import { compareGraphs } from "../compile/compare-graphs.ts";
import type { GraphCode } from "../compile/graph-code.ts";
import { instructionAt } from "../compile/instruction-at.ts";
import { GotoOutOfBranchError, UnknownNodeError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import { resumeSleep } from "../model/sleep.ts";
import { addSpent, type RecordedSpent, spentOf } from "../model/spent.ts";
import { applyChange, createInitialState, type StateChange, type StateRecord } from "../state/state-update.ts";
import {
  advance,
  dropChildren,
  enterSubgraph,
  finishGraph,
  handleFailure,
  moveTo,
  resumeThread,
  startFork,
} from "./advance.ts";
import { noteArrival } from "./arrivals.ts";
import { addCallSpent, applyCall, applyCallAgain } from "./calls.ts";
import { changeThread } from "./change-thread.ts";
import { createGotoFork } from "./fork-branches.ts";
import type { JournalRecord } from "./records/journal-record.ts";
import { type Failure, noteChange, type RunState, type Task, type Thread } from "./records/run-state.ts";
import { noteOutput, outputOfNode } from "./run-output.ts";
import { createSubgraphFork, findSubgraph } from "./subgraph.ts";

/**
 * Applies a record to a run. A run changes in no other way, live or in replay. The consequences are in `started`,
 * `dropped`, `decisions` and `fatal`. Throws only before the first change, so a rejected update leaves the run unchanged.
 */
export function applyRecord(run: RunState, record: JournalRecord, live?: Error): void {
  switch (record.type) {
    case "run":
      return advance(run, run.main, record.at);
    case "done":
      return finishTask(run, taskOf(run, record.task), record);
    case "entered":
      return applyEntered(run, record);
    case "spent":
      return addTaskSpent(run, record);
    case "call":
      addTaskSpent(run, record);
      return applyCall(run, taskOf(run, record.task), record);
    case "call-again":
      return applyCallAgain(run, taskOf(run, record.task), record);
    case "failed":
      return applyFailed(run, record, live);
    case "retry":
      return applyRetry(run, record);
    case "refused":
      return applyRefused(run, record);
    case "request":
      applyRest(run, record).request = record.request;
      return;
    case "sleep": {
      const { until, startedAt, durationMs } = record;
      applyRest(run, record).sleep = { until, startedAt, ...given({ durationMs }) };
      return;
    }
    case "answer":
      return applyAnswer(run, record);
    case "step": {
      const task = taskOf(run, record.task);
      task.steps ??= new Map();
      task.steps.set(record.key, record.value);
      return;
    }
    case "resumed":
      return applyResumed(run, record);
    case "edit":
      return changeThread(run.main, record, record.at);
    case "end":
      addTaskSpent(run, record);
      return leaveUnbegun(run, record.unbegun ?? []);
  }
}

type RecordOf<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;

/** How a visit of a node ends. */
type TaskEnd = Pick<RecordOf<"done">, "at" | "task" | "update" | "goto" | "finish"> & RecordedSpent;

function finishTask(run: RunState, task: Task, end: TaskEnd): void {
  const { thread } = task;
  if (end.finish === undefined && end.goto !== undefined && typeof end.goto !== "string") {
    return fanOut(run, task, end, end.goto);
  }
  // A node that ends its graph goes nowhere, but its unknown targets are rejected all the same.
  const targets = [end.goto ?? []].flat();
  const [pc = thread.pc + 1] = targets.map((target) => resolveGoto(task, target));
  const state = stateAfter(task, end);
  addTaskSpent(run, end);
  leave(run, task, state, end.update);
  if (end.finish !== undefined) {
    const { finish, at } = end;
    return finishGraph(run, thread, { finish, output: outputOfNode(task.node.id, end.update) }, at);
  }
  const [nodeId] = targets;
  if (nodeId === undefined) thread.pc = pc;
  else {
    noteArrival(run, thread, { nodeId, pc });
    moveTo(thread, pc);
  }
  advance(run, thread, end.at);
}

/** A node's `goto` named several nodes: each becomes a branch. */
function fanOut(run: RunState, task: Task, record: TaskEnd, targets: readonly string[]): void {
  const { thread, node } = task;
  const { feedback } = thread;
  const pcs = new Map(targets.map((target) => [target, resolveGoto(task, target)]));
  const state = stateAfter(task, record);
  addTaskSpent(run, record);
  leave(run, task, state, record.update);
  if (pcs.size === 0) {
    thread.pc++;
    return advance(run, thread, record.at);
  }
  for (const [nodeId, pc] of pcs) noteArrival(run, thread, { nodeId, pc });
  startFork(run, thread, { instruction: createGotoFork(node, pcs), visit: task.id, now: record.at });
  // The feedback is about the work of the branches.
  for (const child of thread.fork?.children ?? []) child.feedback = feedback;
}

/** A node started a subgraph: the thread rests at the node until the subgraph ends. */
function applyEntered(run: RunState, record: RecordOf<"entered">): void {
  const task = taskOf(run, record.task);
  const { thread, node } = task;
  const code = findSubgraph(run, node, record);
  run.differences = [...run.differences, ...compareGraphs(record, code.program)];
  const state = createInitialState(code.rules, record.input, run.runId, record.at);
  addTaskSpent(run, record);
  run.tasks.delete(task.id);
  thread.task = undefined;
  const { name, config } = record;
  const instruction = createSubgraphFork(thread, node, { taskId: task.id, startedAt: record.at, name, config });
  enterSubgraph(run, thread, { instruction, code, state, now: record.at });
}

/** The state with a task's update. @throws UnfitUpdateError, StateMutationError */
function stateAfter({ thread, node }: Task, { update = {}, at }: Pick<TaskEnd, "update" | "at">): StateRecord {
  return applyChange(thread.code.rules, thread.state, update, { now: at, nodeId: node.id });
}

/** Removes a finished task from its thread. */
function leave(run: RunState, task: Task, state: Thread["state"], update: StateChange | undefined): void {
  const { thread } = task;
  // Calls that the node did not wait for.
  dropChildren(run, thread);
  run.tasks.delete(task.id);
  thread.task = undefined;
  thread.state = state;
  if (update !== undefined) noteChange(thread, update);
  noteOutput(run, thread, outputOfNode(task.node.id, update));
  thread.previousPc = thread.pc;
  thread.caught = undefined;
  thread.feedback = undefined;
  thread.refusals?.delete(task.node.id);
}

function resolveGoto(task: Task, target: string): number {
  const { code, region } = task.thread;
  const pc = code.program.pcOfNode.get(target);
  if (pc === undefined) throw new UnknownNodeError(target, [...code.program.pcOfNode.keys()]);
  if (pc < region.startPc || pc >= region.endPc || isInsideFork(code, region.startPc, pc)) {
    throw new GotoOutOfBranchError(task.node.id, target);
  }
  return pc;
}

/** Whether a position is inside a fork that starts at or after `startPc`. */
function isInsideFork(code: GraphCode, startPc: number, pc: number): boolean {
  for (let index = startPc; index < pc; index++) {
    const instruction = instructionAt(code, index);
    const isFork = instruction.op === "fork" || instruction.op === "map";
    if (isFork && pc < instruction.joinPc) return true;
  }
  return false;
}

function applyFailed(run: RunState, record: RecordOf<"failed">, live: Error | undefined): void {
  const task = taskOf(run, record.task);
  addTaskSpent(run, record);
  const failure: Failure = { ...record.error, nodeId: record.node, attempt: record.attempt, at: record.at };
  handleFailure(run, task.thread, live === undefined ? failure : { ...failure, live }, record.at);
}

function applyRetry(run: RunState, record: RecordOf<"retry">): void {
  const task = taskOf(run, record.task);
  addTaskSpent(run, record);
  task.failures = record.isRestart ? 0 : task.failures + 1;
  task.retriesCalls = true;
  task.attempt = record.attempt + 1;
  task.retryAt = record.retryAt;
  task.pauseMs = record.retryAt - record.at;
  // A node that restarts withdraws its question.
  task.request = undefined;
  task.sleep = undefined;
  task.goto = undefined;
}

function applyRefused(run: RunState, record: RecordOf<"refused">): void {
  const task = taskOf(run, record.task);
  const { thread, node } = task;
  addTaskSpent(run, record);
  const refusals = (thread.refusals?.get(node.id) ?? 0) + 1;
  const previousPc = thread.previousPc ?? thread.pc;
  leave(run, task, thread.state, undefined);
  thread.refusals ??= new Map();
  thread.refusals.set(node.id, refusals);
  thread.feedback = record.error.message;
  moveTo(thread, previousPc);
  advance(run, thread, record.at);
}

/** A node asks or sleeps. Its update applies at once, so the person who answers can see it. */
function applyRest(run: RunState, record: RecordOf<"request" | "sleep">): Task {
  const task = taskOf(run, record.task);
  const { thread } = task;
  // An unknown target is rejected now, not after somebody has answered or the node has slept.
  for (const target of [record.goto ?? []].flat()) resolveGoto(task, target);
  const state = stateAfter(task, record);
  addTaskSpent(run, record);
  if (record.update !== undefined) {
    thread.state = state;
    noteChange(thread, record.update);
  }
  task.goto = record.goto;
  return task;
}

function applyAnswer(run: RunState, record: RecordOf<"answer">): void {
  const task = taskOf(run, record.task);
  finishTask(run, task, { ...record, ...given({ goto: task.goto }) });
}

/** `resumed` increments `attempt`, but these tasks have never started. A task that a failed change started is not among them. */
function leaveUnbegun(run: RunState, ids: readonly string[]): void {
  for (const id of ids) {
    const task = run.tasks.get(id);
    if (task !== undefined) task.attempt--;
  }
}

/** A new process took over: tasks in progress restart with the full number of retries. */
function applyResumed(run: RunState, { at, hasFailed = false, continued = [] }: RecordOf<"resumed">): void {
  const sameAttempt = new Set(continued);
  run.fatal = undefined;
  for (const task of run.tasks.values()) {
    task.retriesCalls = hasFailed || task.failures > 0;
    if (task.request !== undefined) continue;
    if (task.sleep !== undefined) {
      task.sleep = resumeSleep(task.sleep, at);
      continue;
    }
    // The next attempt of a task that still waits for it has not started.
    if (task.retryAt === undefined || task.retryAt <= at) {
      if (!sameAttempt.has(task.id)) task.attempt++;
      task.retryAt = undefined;
      // A clock that was set back must not lengthen the pause.
    } else task.retryAt = Math.min(task.retryAt, at + task.pauseMs);
    task.failures = 0;
  }
  resumeThread(run, run.main, at);
}

function addTaskSpent(run: RunState, record: RecordedSpent & { readonly task?: string }): void {
  const spent = spentOf(record);
  if (spent === undefined) return;
  run.spent = addSpent(run.spent, spent);
  addCallSpent(record.task === undefined ? undefined : run.tasks.get(record.task)?.thread, spent);
}

function taskOf(run: RunState, id: string): Task {
  const task = run.tasks.get(id);
  if (task !== undefined) return task;
  // Only a damaged journal gets here; the caller adds which one.
  throw new RangeError(`it mentions "${id}", which was not in progress`);
}
