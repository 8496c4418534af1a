import { NO_USAGE } from "../../contracts/index.ts";
import type { NodeResult } from "../model/node-definition.ts";
import type { Sleep } from "../model/sleep.ts";
import { NOTHING_SPENT, type Spent } from "../model/spent.ts";
import type { StateChange, StateRecord } from "../state/state-update.ts";
import { eventsOf } from "./describe-end.ts";
import type { JournalRecord, TaskRecord } from "./records/journal-record.ts";
import type { RunState, Task, Thread } from "./records/run-state.ts";
import { itemOf, titleOf } from "./records/task-title.ts";
import type { PortEvent, RunPort } from "./run-port.ts";

type FailedRecord = Omit<Extract<JournalRecord, { type: "failed" }>, "type">;

/** Publishes what the coordinator does to a run's subscribers; costs nothing without any. */
export class RunPublisher {
  readonly #port: RunPort;

  readonly #run: RunState;

  constructor(port: RunPort, run: RunState) {
    this.#port = port;
    this.#run = run;
  }

  started(task: Task): void {
    if (!this.#port.isObserved) return;
    const { id: nodeId, type: nodeType } = task.node;
    const name = titleOf(task);
    this.#port.publish({
      type: "node-start",
      nodeId,
      taskId: task.id,
      nodeType,
      name,
      attempt: task.attempt,
      ...itemOf(task),
    });
  }

  /** A node's code has succeeded. */
  done(
    { task, result, spent = NOTHING_SPENT, startedAt }: Extract<PortEvent, { type: "task-done" }>,
    record: JournalRecord,
    at: number,
  ): void {
    // The end of a subgraph's node is the end of its graph.
    if (!this.#port.isObserved || record.type === "entered") return;
    const about = { nodeId: task.node.id, taskId: task.id };
    for (const told of eventsOf(result)) this.#port.publish({ ...told, ...about });
    if (record.type === "sleep") return;
    if (record.type === "request") this.#port.publish({ type: "request", ...about, request: record.request });
    else {
      const end = { ...about, durationMs: at - startedAt, ...spent, ...this.#changesOf(record) };
      const outcome = result?.isPassed === undefined ? {} : { isPassed: result.isPassed };
      this.#port.publish({
        type: "node-end",
        ...end,
        ...outcome,
        ...this.#nextOf(result),
        ...this.#stateOf(task.thread),
      });
    }
  }

  /** What the last change of the run has decided. */
  #nextOf(result: NodeResult | undefined): { readonly next?: readonly string[] } {
    const { decisions, started } = this.#run;
    return decisions.length === 0 && result?.goto === undefined ? {} : { next: started.map(({ id }) => id) };
  }

  #changesOf(record: JournalRecord): { readonly update?: StateChange } {
    return record.type === "done" && record.update !== undefined ? { update: record.update } : {};
  }

  #stateOf(thread: Thread): { readonly state?: StateRecord } {
    return this.#port.hasStateInEvents ? { state: thread.state } : {};
  }

  /** A running node is no longer needed. */
  dropped({ id: taskId, node }: Task): void {
    if (this.#port.isObserved) this.#port.publish({ type: "node-dropped", nodeId: node.id, taskId });
  }

  /** A node sleeps, or still sleeps when a process resumes the run. */
  slept({ id: taskId, node }: Task, { until }: Sleep): void {
    if (this.#port.isObserved) this.#port.publish({ type: "node-sleep", nodeId: node.id, taskId, until });
  }

  /** A node that slept is done. */
  woke({ node: nodeId, task: taskId, at, startedAt }: Extract<JournalRecord, { type: "done" }>): void {
    if (!this.#port.isObserved) return;
    this.#port.publish({ type: "node-end", nodeId, taskId, durationMs: at - startedAt, usage: NO_USAGE });
  }

  /** A node was skipped or restarted by a command. */
  steered(record: Extract<JournalRecord, { type: "done" | "retry" }>, spent: Spent = NOTHING_SPENT): void {
    if (record.type === "retry") return this.failed(record, record.retryAt);
    if (!this.#port.isObserved) return;
    const { node: nodeId, task: taskId, at, startedAt } = record;
    const end = { nodeId, taskId, durationMs: at - startedAt, ...spent, ...this.#changesOf(record) };
    this.#port.publish({ type: "node-end", ...end, isSkipped: true });
  }

  /** @param retryAt when the node runs again, if it does */
  failed({ error: recorded, ...record }: FailedRecord, retryAt: number | undefined): void {
    if (!this.#port.isObserved) return;
    const { node: nodeId, task: taskId, attempt } = record;
    const error = { ...recorded, nodeId };
    const again = retryAt === undefined ? {} : { retryAt };
    this.#port.publish({ type: "node-error", nodeId, taskId, attempt, error, ...again });
  }

  answered({ node: nodeId, task: taskId }: TaskRecord, requestId: string, value: unknown): void {
    if (this.#port.isObserved) this.#port.publish({ type: "answer", nodeId, taskId, requestId, value });
  }

  /** Subgraphs that the last change ended. */
  exited({ exited }: RunState): void {
    if (exited.length === 0 || !this.#port.isObserved) return;
    for (const { id: nodeId, taskId, startedAt } of exited) {
      const durationMs = this.#port.now() - startedAt;
      this.#port.publish({ type: "node-end", nodeId, taskId, durationMs, usage: NO_USAGE });
    }
  }
}
