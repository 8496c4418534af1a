import { isGraphCode } from "../compile/graph-code.ts";
import type { CallsFork } from "../compile/program.ts";
import { RestoredError } from "../errors/errors.ts";
import type { CallEnd, NodeCall } from "../model/node-calls.ts";
import { addSpent, type Spent } from "../model/spent.ts";
import { ownValue } from "../state/owned-value.ts";
import { createInitialState } from "../state/state-update.ts";
import { advance, resumeThread } from "./advance.ts";
import type { CoordinatedRun } from "./coordinated-run.ts";
import { mayStartAgain, startAgain } from "./failed-calls.ts";
import { toRunError } from "./records/failure.ts";
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

/** Continues a call that has failed. */
export function applyCallAgain(
  run: RunState,
  { thread: { fork } }: Task,
  { index, at }: Extract<JournalRecord, { readonly type: "call-again" }>,
): void {
  const child = fork?.children[index];
  if (fork === undefined || child === undefined) throw new RangeError(`there is no call ${index}`);
  startAgain(run, fork, child);
  resumeThread(run, child, at);
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
  return {
    instruction,
    items: undefined,
    children: [],
    startedCount: 0,
    openCount: 0,
    failures: new Map(),
    returned: [],
  };
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

type EventOf<Type extends PortEvent["type"]> = Extract<PortEvent, { readonly type: Type }>;

/** The calls that nodes of a live run make and wait for. */
export class Calls {
  readonly #coordinated: CoordinatedRun;
  readonly #watchers = new Map<Task, () => void>();

  constructor(coordinated: CoordinatedRun) {
    this.#coordinated = coordinated;
  }

  /** Makes a call. */
  make({ task, call, resolve, reject }: EventOf<"call">): void | Promise<void> {
    const { run, port, commit } = this.#coordinated;
    if (!this.#isNeeded(task)) return;
    const about = { at: port.now(), task: task.id, node: task.node.id, attempt: task.attempt };
    if ("again" in call) {
      const child = task.thread.fork?.children[call.again];
      // Another call of the same attempt may have.
      if (child === undefined || !mayStartAgain(task, child)) return reject(new RangeError("The call has not failed"));
      return commit({ type: "call-again", ...about, index: call.again }, () => resolve(child));
    }
    let owned: NodeCall;
    try {
      const limit = { nodeId: task.node.id, maxBytes: run.maxUpdateBytes };
      owned = ownValue({ ...call, spec: run.redact(call.spec) }, ["call"], limit);
    } catch (error) {
      return reject(toRunError(error));
    }
    return commit({ type: "call", ...about, call: owned }, () => {
      const child = task.thread.fork?.children.at(-1);
      if (child !== undefined) resolve(child);
    });
  }

  /** Informs a node of the ends of its calls. All of them that exist between two events are durable. */
  watch({ task, onEnd }: EventOf<"calls-watch">): void {
    if (!this.#isNeeded(task)) return;
    this.#watchers.set(task, onEnd);
    onEnd();
  }

  /** The result of a dropped or aborted node is not needed. */
  #isNeeded(task: Task): boolean {
    const { run, isRunning } = this.#coordinated;
    return run.tasks.get(task.id) === task && isRunning(task);
  }

  /** Calls have ended, which is durable now. Their nodes work again. */
  deliver(returned: readonly Thread[]): void {
    for (const { parent } of returned) {
      const task = parent?.task;
      const onEnd = task && this.#watchers.get(task);
      if (task === undefined || onEnd === undefined) continue;
      this.#coordinated.setIdle(task, false);
      onEnd();
    }
  }

  /** A node has done all it can with the first `endCount` ends of its calls, and waits for more. */
  rest({ task, endCount }: EventOf<"calls-rest">): void {
    if (endCount === (task.thread.fork?.returned?.length ?? 0)) this.#coordinated.setIdle(task, true);
  }

  /** The code of a node has ended. */
  forget(task: Task): void {
    this.#watchers.delete(task);
  }
}
