import { instructionAt } from "../compile/instruction-at.ts";
import type { CatchScope, ForkInstruction, Instruction } from "../compile/program.ts";
import { LoopLimitError } from "../errors/errors.ts";
import type { StateChange } from "../state/state-update.ts";
import { type DecidingInstruction, decide, LOOP_EXITS, LOOP_IS_OVER_LIMIT } from "./decide.ts";
import { isRepeatable, setAside } from "./failed-calls.ts";
import { branchLimit, createBranches } from "./fork-branches.ts";
import { joinBranches } from "./join.ts";
import { planFailure } from "./plan-failure.ts";
import { recordedErrorOf, toRunError } from "./records/failure.ts";
import {
  endsWithFirst,
  type Failure,
  type Fork,
  type GraphEnd,
  type MapItems,
  nameVisit,
  type RunState,
  Task,
  type Thread,
} from "./records/run-state.ts";
import { noteOutput, outputOfNode } from "./run-output.ts";
import { attachSubgraph, type SubgraphStart } from "./subgraph.ts";

/**
 * Moves a thread forward to its next stop and starts tasks and branches on the way. Synchronous, and changes nothing
 * outside `run`. The only code of the author's that it calls is conditions and reducers.
 */
export function advance(run: RunState, thread: Thread, now: number): void {
  thread.isBlocked = false;
  for (;;) {
    // The branch of a `goto` is one node long; other branches end with an instruction of their own.
    if (thread.pc >= thread.region.endPc) return endBranch(run, thread, now);
    const instruction = instructionAt(thread.code, thread.pc);
    switch (instruction.op) {
      case "task":
        return startTask(run, thread, instruction);
      case "jump":
        thread.pc = instruction.to;
        break;
      case "if":
      case "loop":
        if (!passDecision(run, thread, instruction, now)) return;
        break;
      case "map":
        if (!passMap(run, thread, instruction, now)) return;
        break;
      case "fork":
        if (!passFork(run, thread, instruction, now)) return;
        break;
      case "branch-end":
        return endBranch(run, thread, now);
      case "end":
        if (thread.parent !== undefined) return endBranch(run, thread, now);
        run.isDone = true;
        return;
    }
  }
}

function startTask(run: RunState, thread: Thread, instruction: Extract<Instruction, { op: "task" }>): void {
  const task = new Task(nameVisit(thread, instruction.id), thread, instruction.node);
  thread.task = task;
  run.tasks.set(task.id, task);
  run.started.push(task);
  run.stepCount++;
}

/** Decides an `if` or a loop and moves on; false when the thread cannot continue by itself. */
function passDecision(
  run: RunState,
  thread: Thread,
  instruction: Exclude<DecidingInstruction, { op: "map" }>,
  now: number,
): boolean {
  const decision = settleDecision(run, thread, instruction, now);
  if (decision === undefined) return false;
  if (instruction.op === "loop") thread.arrivals?.delete(thread.pc);
  if (instruction.op === "if") thread.pc = decision === 1 ? thread.pc + 1 : instruction.elsePc;
  else if (decision === LOOP_EXITS) {
    thread.loops?.delete(thread.pc);
    thread.pc = instruction.exitPc;
  } else {
    thread.loops ??= new Map();
    thread.loops.set(thread.pc, (thread.loops.get(thread.pc) ?? 0) + 1);
    thread.pc++;
  }
  return true;
}

/** Determines the items of a map and splits the thread; true when the branches have already joined. */
function passMap(
  run: RunState,
  thread: Thread,
  instruction: Extract<Instruction, { op: "map" }>,
  now: number,
): boolean {
  const items = settleDecision(run, thread, instruction, now);
  if (items === undefined) return false;
  if (typeof items === "number") throw new RangeError(`"${instruction.id}" decided something else before`);
  return openFork(run, thread, { instruction, visit: nameVisit(thread, instruction.id), now, items });
}

/** The decision, or undefined after its failure was handled: the caller has nothing left to do. */
function settleDecision(
  run: RunState,
  thread: Thread,
  instruction: DecidingInstruction,
  now: number,
): number | MapItems | undefined {
  const decision = decide(run, thread, instruction);
  if (decision === null) {
    thread.isBlocked = true;
    return undefined;
  }
  const isOverLimit = instruction.op === "loop" && decision === LOOP_IS_OVER_LIMIT;
  const isError = typeof decision === "object" && "code" in decision;
  if (isError || isOverLimit) {
    const error = isError ? decision : recordedErrorOf(limitError(instruction));
    const failure = { ...error, nodeId: instruction.id, attempt: 1, at: now };
    const unhandled = handleFailure(run, thread, failure, now);
    if (unhandled !== undefined) {
      // Not decided: a restart, perhaps with corrected code, decides again.
      run.decisions[run.decisions.length - 1] = null;
      thread.isBlocked = true;
      run.fatal = unhandled;
    }
    return undefined;
  }
  return decision;
}

function limitError(instruction: DecidingInstruction): LoopLimitError {
  return new LoopLimitError(instruction.id, instruction.op === "loop" ? instruction.maxIterations : 0);
}

/** Splits a thread; true when the branches ended at once and the thread is past their join. */
function passFork(run: RunState, thread: Thread, instruction: ForkInstruction, now: number): boolean {
  return openFork(run, thread, { instruction, visit: nameVisit(thread, instruction.id), now });
}

interface ForkStart {
  readonly instruction: ForkInstruction;
  /** The name of this visit of the fork. */
  readonly visit: string;
  /** The items of a map. */
  readonly items?: MapItems;
  readonly now: number;
}

/** Splits a thread and advances as far as possible. */
export function startFork(run: RunState, thread: Thread, start: ForkStart): void {
  if (openFork(run, thread, start)) advance(run, thread, start.now);
}

function openFork(run: RunState, thread: Thread, { instruction, visit, items, now }: ForkStart): boolean {
  const children = createBranches(thread, instruction, { visit, items });
  const fork: Fork = { instruction, items, children, startedCount: 0, openCount: children.length, failures: new Map() };
  thread.fork = fork;
  return startWaiting(run, thread, fork, now);
}

/** Starts a subgraph below a thread that rests at the subgraph's node. */
export function enterSubgraph(
  run: RunState,
  thread: Thread,
  { now, ...start }: SubgraphStart & { readonly now: number },
): void {
  advance(run, attachSubgraph(thread, start), now);
}

/**
 * Starts branches while the limit allows it, and joins them when the fork is over; true when the thread is past the join
 * then. A branch can end at once and so end the fork or free a place for another one. The loop already in progress
 * handles that, so the stack does not grow with the number of branches.
 */
function startWaiting(run: RunState, thread: Thread, fork: Fork, now: number): boolean {
  if (fork.isStarting) return false;
  fork.isStarting = true;
  const limit = branchLimit(fork.instruction);
  while (thread.fork === fork && !isOver(fork) && fork.startedCount < fork.children.length) {
    const runningCount = fork.openCount - (fork.children.length - fork.startedCount);
    if (runningCount >= limit) break;
    const child = fork.children[fork.startedCount++];
    if (child !== undefined) advance(run, child, now);
  }
  fork.isStarting = false;
  return thread.fork === fork && isOver(fork) && finishFork(run, thread, fork, now);
}

/** Starts waiting branches after one has ended, or continues after the fork. */
function continueWithout(run: RunState, thread: Thread, fork: Fork, child: Thread, now: number): void {
  fork.openCount--;
  if (fork.returned !== undefined) {
    fork.returned.push(child);
    return void run.returned.push(child);
  }
  // Once a branch has ended the graph, only that branch is joined.
  if (fork.ended === undefined && startWaiting(run, thread, fork, now)) advance(run, thread, now);
}

function endBranch(run: RunState, child: Thread, now: number): void {
  child.isLive = false;
  const thread = child.parent;
  const fork = thread?.fork;
  if (thread !== undefined && fork !== undefined) continueWithout(run, thread, fork, child, now);
}

/** Whether no more branches are awaited: all have ended, or one has and the strategy needs only one. */
function isOver(fork: Fork): boolean {
  // Its node ends it.
  if (fork.instruction.op === "calls") return false;
  return fork.openCount === 0 || (endsWithFirst(fork) && fork.openCount + fork.failures.size < fork.children.length);
}

/** The branches that completed. */
function succeeded(fork: Fork): Thread[] {
  return fork.children.filter((child) => !child.isLive && !fork.failures.has(child.branchName));
}

/** Retries a failed join; false when the thread has none. */
function retryJoin(run: RunState, thread: Thread, now: number): boolean {
  const { fork } = thread;
  if (fork?.ended !== undefined) {
    finishGraph(run, fork.ended.by, fork.ended.end, now);
    return true;
  }
  if (fork === undefined || !isOver(fork)) return false;
  if (finishFork(run, thread, fork, now)) advance(run, thread, now);
  return true;
}

/** Retries what blocked a thread or one of its branches: a failed decision or join. */
export function resumeThread(run: RunState, thread: Thread, at: number): void {
  if (thread.isBlocked) return advance(run, thread, at);
  if (retryJoin(run, thread, at)) return;
  for (const child of thread.fork?.children ?? []) if (child.isLive) resumeThread(run, child, at);
}

/**
 * Ends the graph that a thread is in, from any position. Changes of the branches around the thread are kept; the branches
 * beside it are dropped.
 */
export function finishGraph(run: RunState, thread: Thread, end: GraphEnd, now: number): void {
  let inner = thread;
  for (;;) {
    inner.pc = inner.region.endPc - 1;
    const { parent } = inner;
    if (parent === undefined || parent.code !== inner.code) break;
    inner.isLive = false;
    if (parent.fork !== undefined) {
      parent.fork.ended = { by: inner, end };
      if (!finishFork(run, parent, parent.fork, now, [inner])) return;
    }
    inner = parent;
  }
  if (inner.parent !== undefined) return endBranch(run, inner, now);
  run.isDone = true;
  // The joins have set an output, but this node was the last.
  run.finish = end.finish;
  run.output = end.output;
}

/** Joins the branches and moves the thread after them; false when the join failed. */
function finishFork(run: RunState, thread: Thread, fork: Fork, now: number, ended = succeeded(fork)): boolean {
  let update: StateChange | undefined;
  try {
    update = joinBranches(run, { thread, fork, ended, now });
  } catch (error) {
    const about = { nodeId: fork.instruction.id, attempt: 1, at: now, live: toRunError(error) };
    const failure = { ...run.redact(recordedErrorOf(error, "MERGE_FAILED")), ...about };
    const unhandled = handleFailure(run, thread, failure, now);
    if (unhandled !== undefined) run.fatal = unhandled;
    return false;
  }
  dropChildren(run, thread);
  if (fork.instruction.op === "subgraph") {
    run.exited.push(fork.instruction);
    thread.previousPc = thread.pc;
    thread.caught = undefined;
    thread.feedback = undefined;
  }
  const { op, id } = fork.instruction;
  noteOutput(run, thread, op === "subgraph" ? outputOfNode(id, update) : thread.state.outputs[id]);
  moveTo(thread, fork.instruction.joinPc);
  return true;
}

/** Handles a failure. Without a handler, changes nothing and returns the failure that ends the run. */
export function handleFailure(run: RunState, thread: Thread, failure: Failure, now: number): Failure | undefined {
  const plan = planFailure(thread, failure, now);
  switch (plan.type) {
    case "handler":
      enterHandler(run, plan.thread, plan.scope, plan.reason, now);
      return undefined;
    case "branch":
      failBranch(run, plan.parent, plan.fork, plan.child, plan.reason, now);
      return undefined;
    case "nobody":
      return plan.reason;
  }
}

function failBranch(run: RunState, parent: Thread, fork: Fork, child: Thread, failure: Failure, now: number): void {
  fork.failures.set(child.branchName, failure);
  noteHandled(run, failure);
  if (isRepeatable(fork, child)) setAside(run, child);
  else dropThread(run, child);
  continueWithout(run, parent, fork, child, now);
}

function enterHandler(run: RunState, thread: Thread, scope: CatchScope, failure: Failure, now: number): void {
  noteHandled(run, failure);
  dropChildren(run, thread);
  dropTask(run, thread);
  thread.caught = failure;
  thread.feedback = undefined;
  thread.refusals = undefined;
  moveTo(thread, scope.handlerPc);
  advance(run, thread, now);
}

/** Moves a thread to another position of its region; loops that it leaves restart from zero when entered again. */
export function moveTo(thread: Thread, pc: number): void {
  for (const loopPc of thread.loops?.keys() ?? []) {
    const loop = instructionAt(thread.code, loopPc);
    const isInside = loop.op === "loop" && pc >= loopPc && pc < loop.exitPc;
    if (isInside) continue;
    thread.loops?.delete(loopPc);
    thread.arrivals?.delete(loopPc);
  }
  thread.pc = pc;
}

/** How many handled failures are remembered. */
const MAX_HANDLED_FAILURES = 100;

function noteHandled(run: RunState, failure: Failure): void {
  run.handledFailures.push(failure);
  if (run.handledFailures.length > MAX_HANDLED_FAILURES) run.handledFailures.shift();
}

/** Drops the branches of a thread's fork. */
export function dropChildren(run: RunState, thread: Thread): void {
  const isOfCalls = thread.fork?.instruction.op === "calls";
  for (const child of thread.fork?.children ?? []) {
    // A call that failed may keep its visit.
    if (child.isLive || (child.task !== undefined && !isOfCalls)) dropThread(run, child);
  }
  thread.fork = undefined;
}

function dropThread(run: RunState, thread: Thread): void {
  thread.isLive = false;
  dropTask(run, thread);
  dropChildren(run, thread);
}

function dropTask(run: RunState, thread: Thread): void {
  const { task } = thread;
  if (task === undefined) return;
  thread.task = undefined;
  run.tasks.delete(task.id);
  run.dropped.push(task);
}
