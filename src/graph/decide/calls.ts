import { isGraphCode } from "../compile/graph-code.ts";
import type { CallsFork } from "../compile/program.ts";
import { RestoredError } from "../errors/errors.ts";
import type { CallEnd, NodeCall } from "../model/node-calls.ts";
import { addSpent, type Spent } from "../model/spent.ts";
import { ownValue } from "../state/owned-value.ts";
import { createInitialState } from "../state/state-update.ts";
import { advance } from "./advance.ts";
import type { CoordinatedRun } from "./coordinated-run.ts";
import { toError } from "./records/failure.ts";
import type { JournalRecord } from "./records/journal-record.ts";
import { type Fork, type RunState, type Task, Thread, wholeProgram } from "./records/run-state.ts";
import type { PortEvent } from "./run-port.ts";

/*
 * A node with `calls` starts branches while it runs. Its task and their fork exist at the same time; the fork ends with the
 * task. A call is journaled before its work starts, and its result before the node's code gets it (E4), so a later attempt
 * of the node finds all of them under their keys.
 */

/** Starts the branch of a call. */
export function applyCall(
  run: RunState,
  task: Task,
  { call, at }: Extract<JournalRecord, { readonly type: "call" }>,
): void {
  const { thread } = task;
  const child = attachCall(run, task, call, at);
  if (thread.fork !== undefined) thread.fork.openCount++;
  advance(run, child, at);
}

/** Adds the branch of a call to its node's fork, before its start. */
export function attachCall(
  { runId }: RunState,
  { id, thread, node }: Pick<Task, "id" | "thread" | "node">,
  call: NodeCall,
  at = 0,
): Thread {
  const code = node.calls?.codeOf(call.spec);
  if (!isGraphCode(code)) throw new Error(`The node "${node.id}" makes no calls`);
  thread.fork ??= createCallsFork(thread, node);
  const name = String(thread.fork.children.length + 1);
  const child = new Thread({
    id: `${id}[${name}]/`,
    branchName: name,
    parent: thread,
    code,
    region: wholeProgram(code),
    item: undefined,
    call,
    state: createInitialState(code.rules, {}, runId, at),
  });
  thread.fork.children.push(child);
  thread.fork.startedCount++;
  return child;
}

function createCallsFork(thread: Thread, node: Task["node"]): Fork {
  const instruction: CallsFork = {
    op: "calls",
    id: node.id,
    node,
    strategy: "settled",
    merge: undefined,
    joinPc: thread.pc + 1,
  };
  return { instruction, items: undefined, children: [], startedCount: 0, openCount: 0, failures: new Map() };
}

/** Adds what a task has spent to the calls around it. */
export function addCallSpent(thread: Thread | undefined, spent: Spent): void {
  for (let current = thread; current !== undefined; current = current.parent) {
    if (current.call !== undefined) current.callSpent = addSpent(current.callSpent, spent);
  }
}

/** How a call has ended. Undefined while it is in progress. */
export function endOfCall(child: Thread): CallEnd | undefined {
  if (child.isLive) return undefined;
  const { callSpent: spent, branchName, parent } = child;
  const failure = parent?.fork?.failures.get(branchName);
  if (failure === undefined) return { type: "completed", state: child.state, spent };
  return { type: "failed", error: failure.live ?? new RestoredError(failure.code, failure.message), spent };
}

type CallEvent = Extract<PortEvent, { readonly type: "call" }>;

/** The calls that nodes of a live run wait for. */
export class Calls {
  readonly #coordinated: CoordinatedRun;
  readonly #waiting = new Map<Thread, (end: CallEnd) => void>();
  /** How many ends of calls each node has got. */
  readonly #endCounts = new Map<Task, number>();

  constructor(coordinated: CoordinatedRun) {
    this.#coordinated = coordinated;
  }

  /** Makes a call, or waits for a known one. */
  take({ task, call, resolve, reject }: CallEvent): void | Promise<void> {
    const { run, port, commit, isRunning } = this.#coordinated;
    // The result of a dropped or aborted node is not needed.
    if (run.tasks.get(task.id) !== task || !isRunning(task)) return;
    const known = typeof call === "number" ? task.thread.fork?.children[call] : undefined;
    if (known !== undefined) return this.#waitFor(known, resolve);
    if (typeof call === "number") return reject(new RangeError(`There is no call ${call}`));
    const about = { at: port.now(), task: task.id, node: task.node.id, attempt: task.attempt };
    let owned: NodeCall;
    try {
      const limit = { nodeId: task.node.id, maxBytes: run.maxUpdateBytes };
      owned = ownValue({ ...call, spec: run.redact(call.spec) }, ["call"], limit);
    } catch (error) {
      return reject(toError(error));
    }
    return commit({ type: "call", ...about, call: owned }, () => {
      const child = task.thread.fork?.children.at(-1);
      if (child !== undefined) this.#waitFor(child, resolve);
    });
  }

  #waitFor(child: Thread, resolve: (end: CallEnd) => void): void {
    const end = endOfCall(child);
    if (end === undefined) this.#waiting.set(child, resolve);
    else this.#pass(child, end, resolve);
  }

  /** Passes the ends of calls on to their nodes, once they are durable. Such a node works again. */
  deliver(returned: readonly Thread[]): void {
    for (const child of returned) {
      const resolve = this.#waiting.get(child);
      const end = endOfCall(child);
      this.#waiting.delete(child);
      if (resolve !== undefined && end !== undefined) this.#pass(child, end, resolve);
    }
  }

  #pass(child: Thread, end: CallEnd, resolve: (end: CallEnd) => void): void {
    const task = child.parent?.task;
    if (task !== undefined) {
      this.#endCounts.set(task, (this.#endCounts.get(task) ?? 0) + 1);
      this.#coordinated.setIdle(task, false);
    }
    resolve(end);
  }

  /** A node has done all it can with the first `endCount` ends of its calls, and waits for more. */
  rest({ task, endCount }: Extract<PortEvent, { readonly type: "calls-rest" }>): void {
    if ((this.#endCounts.get(task) ?? 0) === endCount) this.#coordinated.setIdle(task, true);
  }

  /** The code of a node has ended. */
  forget(task: Task): void {
    this.#endCounts.delete(task);
    for (const child of task.thread.fork?.children ?? []) this.#waiting.delete(child);
  }
}
