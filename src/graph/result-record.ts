import { recordGraph } from "./compare-graphs.ts";
import { describeEnd, questionOf } from "./describe-end.ts";
import { FinishedTooEarlyError } from "./finished-too-early-error.ts";
import { given } from "./given.ts";
import { isGraphCode } from "./graph-code.ts";
import type { JournalRecord } from "./journal-record.ts";
import type { SubgraphEntry } from "./node-definition.ts";
import { ownValue } from "./owned-value.ts";
import { createRequest } from "./request.ts";
import type { PortEvent } from "./run-port.ts";
import type { RunState, Task } from "./run-state.ts";
import { planSleep } from "./sleep.ts";
import { pruneChange, type StateChange, takeInput } from "./state-update.ts";
import { assertNoCycle, workflowKey } from "./subgraph.ts";
import { MAX_UPDATE_BYTES } from "./value-size.ts";

/**
 * The record of a node that returned: it is done, asks a person, sleeps, or begins a graph of its own. Throws, with
 * nothing changed, when what it returned cannot be taken.
 *
 * @throws UnknownStateFieldError, UnserializableValueError, ValueTooLargeError, SubgraphCycleError, InvalidSleepError
 */
export function createResultRecord(
  run: RunState,
  { task, result, usage, startedAt, finish }: Extract<PortEvent, { type: "task-done" }>,
  at: number,
): JournalRecord {
  const about = { at, task: task.id, node: task.node.id, attempt: task.attempt };
  const spent = usage === undefined ? undefined : { usage };
  const question = questionOf(result);
  const isDone = question === undefined && result?.enter === undefined && result?.sleep === undefined;
  if (finish !== undefined && !isDone) throw new FinishedTooEarlyError(task.node.id);
  if (question !== undefined) {
    const request = ownValue(createRequest(task, question, at), ["request"], {
      nodeId: task.node.id,
      maxBytes: run.maxUpdateBytes ?? MAX_UPDATE_BYTES,
    });
    const update = updateOf(task, result?.stateUpdate, run.maxUpdateBytes);
    const updated = update === undefined ? undefined : { update };
    return { type: "request", ...about, ...spent, request, ...updated, ...describeEnd(result) };
  }
  if (result?.enter !== undefined) {
    return { type: "entered", ...about, ...spent, ...describeEntry(run, task, result.enter) };
  }
  const sleep = result?.sleep && planSleep(task.node.id, result.sleep, at);
  if (sleep !== undefined && sleep.until > at) {
    const update = updateOf(task, result?.stateUpdate, run.maxUpdateBytes);
    return { type: "sleep", ...about, ...spent, startedAt, ...sleep, ...given({ update }), ...describeEnd(result) };
  }
  const done = { type: "done", ...about, startedAt } as const;
  const update = updateOf(task, result?.stateUpdate, run.maxUpdateBytes);
  const end = finish === undefined ? describeEnd(result) : { ...describeEnd(result), finish };
  // Most nodes leave an update and nothing else, and every spread is paid for at every step.
  if (spent === undefined && end === undefined) return update === undefined ? done : { ...done, update };
  return { ...done, ...spent, ...(update === undefined ? {} : { update }), ...end };
}

/** The part of an update that is worth keeping. @throws UnknownStateFieldError, UnserializableValueError, ValueTooLargeError */
export function updateOf(
  task: Task,
  stateUpdate: unknown,
  maxBytes: number = MAX_UPDATE_BYTES,
): StateChange | undefined {
  if (stateUpdate === undefined || stateUpdate === null) return undefined;
  // The cast is true as far as it goes: pruneChange checks every name, ownValue every value.
  const change = pruneChange(task.thread.code.rules, task.thread.state, stateUpdate as StateChange);
  return ownValue(change, [], { nodeId: task.node.id, maxBytes });
}

function describeEntry(run: RunState, task: Task, { code, input: taken, name, config }: SubgraphEntry) {
  if (!isGraphCode(code)) throw new TypeError(`The node "${task.node.id}" runs something that is no compiled graph`);
  const input = takeInput(code.rules, taken);
  if (name === undefined) return { input, ...recordGraph(code.program) };
  assertNoCycle(run, task.thread, name);
  run.workflows ??= new Map();
  run.workflows.set(workflowKey({ name, config }), code);
  return { input, name, ...given({ config }), ...recordGraph(code.program) };
}
