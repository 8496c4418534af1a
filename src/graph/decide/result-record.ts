import { AtomicError } from "../../contracts/index.ts";
import { recordGraph } from "../compile/compare-graphs.ts";
import type { GraphCode } from "../compile/graph-code.ts";
import { given } from "../errors/given.ts";
import type { NodeResult, SubgraphEntry } from "../model/node-definition.ts";
import { planSleep } from "../model/sleep.ts";
import { ownValue } from "../state/owned-value.ts";
import { pruneChange, type StateChange, takeInput } from "../state/state-update.ts";
import { assertResult } from "./assert-result.ts";
import { describeEnd, questionOf } from "./describe-end.ts";
import type { JournalRecord } from "./records/journal-record.ts";
import type { RunState, Task } from "./records/run-state.ts";
import { createRequest } from "./request.ts";
import type { PortEvent } from "./run-port.ts";
import { assertNoCycle, workflowKey } from "./subgraph.ts";

/** A node called `finish()` and then asked a person, slept or started a subgraph. */
export class FinishedTooEarlyError extends AtomicError {
  constructor(readonly nodeId: string) {
    super(
      "FINISHED_TOO_EARLY",
      `The node "${nodeId}" called finish(), and then asked a question, slept or began a subgraph. Call finish() in the node that comes after.`,
    );
  }
}

/**
 * The record of a node that returned: it is done, asks a person, sleeps, or starts a subgraph. Changes nothing, and throws
 * when the result is invalid.
 *
 * @throws InvalidResultError, UnknownStateFieldError, UnserializableValueError, ValueTooLargeError, SubgraphCycleError,
 * InvalidSleepError
 */
export function createResultRecord(
  run: RunState,
  { task, result, startedAt, finish }: Extract<PortEvent, { type: "task-done" }>,
  at: number,
): JournalRecord {
  assertResult(task, result);
  const about = { at, task: task.id, node: task.node.id, attempt: task.attempt };
  const question = questionOf(result);
  const isDone = question === undefined && result?.enter === undefined && result?.sleep === undefined;
  if (finish !== undefined && !isDone) throw new FinishedTooEarlyError(task.node.id);
  if (question !== undefined) {
    const asked = createRequest(task, question, at);
    const request = ownValue({ ...run.redact(asked), id: asked.id, nodeId: asked.nodeId }, ["request"], {
      nodeId: task.node.id,
      maxBytes: run.maxUpdateBytes,
    });
    const update = updateOf(run, task, result?.stateUpdate);
    const updated = update === undefined ? undefined : { update };
    return { type: "request", ...about, request, ...updated, ...endOf(run, result) };
  }
  if (result?.enter !== undefined) {
    return { type: "entered", ...about, ...describeEntry(run, task, result.enter) };
  }
  const sleep = result?.sleep === undefined ? undefined : planSleep(task.node.id, result.sleep, at);
  if (sleep !== undefined && sleep.until > at) {
    const update = updateOf(run, task, result?.stateUpdate);
    return { type: "sleep", ...about, startedAt, ...sleep, ...given({ update }), ...endOf(run, result) };
  }
  const done = { type: "done", ...about, startedAt } as const;
  const update = updateOf(run, task, result?.stateUpdate);
  const end = finish === undefined ? endOf(run, result) : { ...endOf(run, result), finish };
  // Most nodes only return an update, and each spread costs time at every step.
  if (end === undefined) return update === undefined ? done : { ...done, update };
  return { ...done, ...(update === undefined ? {} : { update }), ...end };
}

function endOf(run: RunState, result: NodeResult | undefined): ReturnType<typeof describeEnd> {
  const end = describeEnd(result);
  return end?.label === undefined ? end : { ...end, label: run.redact(end.label) };
}

/** The record of a node's finished `ctx.step`. @throws UnserializableValueError, ValueTooLargeError */
export function createStepRecord(
  { maxUpdateBytes: maxBytes }: RunState,
  task: Task,
  { key, value, at }: { readonly key: string; readonly value: unknown; readonly at: number },
): Extract<JournalRecord, { type: "step" }> {
  const kept = ownValue(value, ["step", key], { nodeId: task.node.id, maxBytes });
  return { type: "step", at, task: task.id, key, value: kept };
}

/** The part of an update that changes something. @throws UnknownStateFieldError, UnserializableValueError, ValueTooLargeError */
export function updateOf(run: RunState, task: Task, stateUpdate: unknown): StateChange | undefined {
  if (stateUpdate === undefined || stateUpdate === null) return undefined;
  // The cast is safe: pruneChange checks every name, ownValue every value.
  const change = pruneChange(task.thread.code.rules, task.thread.state, stateUpdate as StateChange);
  return change && ownValue(run.redactFields(change), [], { nodeId: task.node.id, maxBytes: run.maxUpdateBytes });
}

function describeEntry(run: RunState, task: Task, { code: entered, input: taken, name, config }: SubgraphEntry) {
  // The cast is true: assertResult has checked it.
  const code = entered as GraphCode;
  const limit = { nodeId: task.node.id, maxBytes: run.maxUpdateBytes };
  const input = takeInput(code.rules, taken, { limit, redactor: run.redactor });
  if (name === undefined) return { input, ...recordGraph(code.program) };
  assertNoCycle(run, task.thread, name);
  run.workflows ??= new Map();
  run.workflows.set(workflowKey({ name, config }), code);
  return { input, name, ...given({ config }), ...recordGraph(code.program) };
}
