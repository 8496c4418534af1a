import {
  type HumanRequest,
  NO_USAGE,
  type RunErrorInfo,
  type RunStatus,
  type Usage,
  type UsageByAgent,
} from "../../contracts/index.ts";
import {
  decodeRecord,
  type JournalRecord,
  type LostRecords,
  type WorkflowIdentity,
} from "../decide/records/journal-record.ts";
import { nodeOfVisit } from "../decide/records/run-state.ts";
import { given } from "../errors/given.ts";
import type { Checkpointer, JournalEntry, JournalLoss } from "../model/checkpointer.ts";
import { addSpent, NOTHING_SPENT, type RecordedSpent, type Spent, spentOf } from "../model/spent.ts";
import { momentOf } from "./lost-records.ts";
import { summarizeSnapshot } from "./snapshot.ts";

/** A visit of a node according to the journal. */
export interface NodeSummary {
  readonly taskId: string;
  readonly nodeId: string;
  /**
   * `started` covers nodes that are running now and nodes that ran when their process ended; `dropped` are those whose
   * result was no longer needed, for example in a branch that lost.
   */
  readonly status: "started" | "waiting" | "sleeping" | "completed" | "skipped" | "failed" | "dropped";
  readonly attempts: number;
  /** Of its latest attempt; of a node with a subgraph, how long processes executed that. */
  readonly durationMs: number | undefined;
  readonly endedAt: number | undefined;
  readonly usage: Usage;
  /** The parts of the agents in it. Absent when no agent is known. */
  readonly usageByAgent?: UsageByAgent;
  readonly error: string | undefined;
  /** The outcome of what a completed node checked. Absent when it checked nothing. */
  readonly isPassed?: boolean | undefined;
  /** When a sleeping node is done, in milliseconds since 1970. */
  readonly wakesAt?: number | undefined;
  /** When the attempt after a failed one begins, in milliseconds since 1970. */
  readonly retryAt?: number | undefined;
}

/** A run according to its journal: readable without the workflow's code. */
export interface RunSummary {
  readonly runId: string;
  readonly workflow: WorkflowIdentity;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** When it ended or was suspended, in milliseconds since 1970. Absent if it has continued since. */
  readonly endedAt?: number;
  /** `running` also if a process died; only the saver's lease can distinguish the two. */
  readonly status: RunStatus;
  readonly error: RunErrorInfo | undefined;
  readonly requests: readonly HumanRequest[];
  /**
   * When the run continues without a person, in milliseconds since 1970: the earliest end of a sleep, of the wait before
   * an attempt, or for an automatic answer. Absent when nothing of it waits for a time, or when somebody paused it.
   */
  readonly dueAt?: number;
  readonly nodes: readonly NodeSummary[];
  readonly usage: Usage;
  /** The parts of the agents in it, as in a `RunResult`. */
  readonly usageByAgent?: UsageByAgent;
  /** The output of a completed run, if there is one. */
  readonly output?: unknown;
  /** Records that were written and are lost; absent when no loss is known. */
  readonly losses?: readonly LostRecords[];
}

/** Summarizes a run, even while it is in progress. @throws UnknownRunError, JournalCorruptError */
export async function readRunSummary(checkpointer: Checkpointer, runId: string): Promise<RunSummary> {
  const loss = await checkpointer.findLoss?.(runId);
  return summarizeJournal(runId, await checkpointer.read(runId), loss);
}

function summarizeJournal(runId: string, entries: readonly JournalEntry[], loss: JournalLoss | undefined): RunSummary {
  const fold = new SummaryFold();
  for (const { kind, body } of entries) if (kind === "record") fold.add(decodeRecord(body));
  if (loss !== undefined) fold.addLoss(loss.count);
  return fold.result(runId);
}

type Draft = { -readonly [Key in keyof NodeSummary]: NodeSummary[Key] };

class SummaryFold {
  #workflow: WorkflowIdentity = { name: "unknown" };
  #startedAt = 0;
  #updatedAt = 0;
  #endedAt: number | undefined;
  #status: RunStatus = "running";
  #error: RunErrorInfo | undefined;
  #output: unknown;
  #isPaused = false;
  #fatalNode: Draft | undefined;
  #last: JournalRecord | undefined;
  readonly #losses: LostRecords[] = [];
  /** Usage that no record in the journal contains any more. */
  #spent: Spent = NOTHING_SPENT;
  readonly #nodes = new Map<string, Draft>();
  /** How long no process executed the run, in milliseconds. */
  #restedMs = 0;
  /** When nodes started subgraphs, as if the run had never rested. */
  readonly #entered = new Map<string, number>();
  readonly #requests = new Map<string, HumanRequest>();
  /** Visits whose latest attempt has no end in the journal. */
  readonly #begun = new Set<string>();

  add(record: JournalRecord): void {
    if ("lost" in record && record.lost !== undefined) this.addLoss(record.lost);
    if (record.type === "resumed" || record.type === "edit") this.#restedMs += record.at - this.#updatedAt;
    this.#last = record;
    this.#updatedAt = record.at;
    // An edit starts nothing.
    if (record.type !== "end" && record.type !== "edit") {
      this.#status = "running";
      this.#isPaused = false;
    }
    this.#read(record);
    if ("next" in record) for (const taskId of record.next ?? []) this.#begin(taskId);
    if ("dropped" in record) this.#drop(record);
    if ("exited" in record) for (const taskId of record.exited ?? []) this.#exit(taskId, record.at);
  }

  #read(record: JournalRecord): void {
    switch (record.type) {
      case "run":
        this.#workflow = record.workflow;
        this.#startedAt = record.at;
        this.#losses.push(...(record.losses ?? []));
        if (record.snapshot !== undefined) this.#takeOver(record.snapshot);
        break;
      case "done":
        this.#requests.delete(record.task);
        this.#update(record, {
          status: record.isSkipped ? "skipped" : "completed",
          endedAt: record.at,
          durationMs: record.at - record.startedAt,
          error: undefined,
          ...(record.isPassed === undefined ? {} : { isPassed: record.isPassed }),
        });
        break;
      case "failed":
      case "refused":
        this.#update(record, { status: "failed", endedAt: record.at, error: record.error.message });
        break;
      case "retry":
        this.#requests.delete(record.task);
        this.#retry(record);
        break;
      case "request":
        this.#requests.set(record.request.id, record.request);
        this.#update(record, { status: "waiting" });
        break;
      case "sleep":
        this.#update(record, { status: "sleeping", wakesAt: record.until });
        break;
      case "answer":
        this.#requests.delete(record.requestId);
        this.#update(record, { status: "completed", endedAt: record.at });
        break;
      case "resumed":
        this.#beginAnew(record);
        break;
      case "end":
        this.#status = record.status;
        this.#endedAt = record.at;
        this.#isPaused = record.isPaused === true;
        this.#error = record.error;
        this.#output = record.output;
        this.#beginRetries(record.at);
        this.#failNode(record);
        for (const id of record.unbegun ?? []) this.#leaveUnbegun(id);
        break;
      case "entered":
        this.#entered.set(record.task, record.at - this.#restedMs);
        this.#update(record, {});
        break;
      case "spent":
        this.#spend(record);
        break;
      case "call":
      case "call-again":
        this.#update(record, {});
        break;
      default: // step, edit
    }
  }

  /** Adds the number of records lost after the last one. */
  addLoss(count: number): void {
    this.#losses.push({ count, ...momentOf(this.#last) });
  }

  /** Takes over the tasks and usage of a run that was forked, or whose journal was compacted. */
  #takeOver(snapshot: string): void {
    const { spent, tasks } = summarizeSnapshot(snapshot);
    this.#spent = spent;
    for (const { id, attempt, request, sleep, retryAt } of tasks) {
      const status = request !== undefined ? "waiting" : sleep !== undefined ? "sleeping" : "started";
      Object.assign(this.#begin(id), { attempts: attempt, status, wakesAt: sleep?.until, retryAt });
      if (request !== undefined) this.#requests.set(request.id, request);
    }
  }

  /**
   * Marks the node that ended the run as failed: it has no record of its own, and a resumed run restarts it. Without such a
   * node, what the end spent is the run's alone.
   */
  #failNode({ at, error, ...record }: Extract<JournalRecord, { type: "end" }>): void {
    const spent = spentOf(record) ?? NOTHING_SPENT;
    const failed = [...this.#nodes.values()].filter(
      ({ nodeId, status }) => error !== undefined && nodeId === error.nodeId && status === "started",
    );
    const [first] = failed;
    if (first === undefined) this.#spent = addSpent(this.#spent, spent);
    else Object.assign(first, addSpent(first, spent));
    for (const node of failed) Object.assign(node, { status: "failed", endedAt: at, error: error?.message });
    this.#fatalNode = failed.at(-1);
  }

  #beginAnew({ at, continued = [] }: Extract<JournalRecord, { type: "resumed" }>): void {
    const sameAttempt = new Set(continued);
    this.#error = undefined;
    if (this.#fatalNode !== undefined) Object.assign(this.#fatalNode, { status: "started", endedAt: undefined });
    this.#fatalNode = undefined;
    this.#beginRetries(at);
    for (const node of this.#nodes.values()) {
      if (node.status !== "started") continue;
      if (node.retryAt !== undefined) continue;
      if (!sameAttempt.has(node.taskId)) node.attempts++;
      this.#begun.add(node.taskId);
    }
  }

  /** An attempt is over, and another one follows. One that follows at once is in progress. */
  #retry(record: Extract<JournalRecord, { type: "retry" }>): void {
    const { task, at, attempt, retryAt, isRestart } = record;
    const error = isRestart ? undefined : record.error.message;
    this.#update(record, { status: "started", error });
    const node = this.#nodes.get(task);
    this.#begun.delete(task);
    if (retryAt > at) Object.assign(node ?? {}, { retryAt });
    else {
      Object.assign(node ?? {}, { attempts: attempt + 1 });
      this.#begun.add(task);
    }
  }

  /** No record says that the attempt after a pause has begun. */
  #beginRetries(at: number): void {
    for (const node of this.#nodes.values()) {
      if (node.status !== "started" || node.retryAt === undefined || node.retryAt > at) continue;
      Object.assign(node, { attempts: node.attempts + 1, retryAt: undefined });
      this.#begun.add(node.taskId);
    }
  }

  /** Removes the start of a task that was still waiting for a place when the run ended. */
  #leaveUnbegun(taskId: string): void {
    const node = this.#nodes.get(taskId) ?? this.#begin(taskId);
    if (this.#begun.delete(taskId)) node.attempts = Math.max(0, node.attempts - 1);
  }

  /** A subgraph ended, and with it its node. */
  #exit(taskId: string, at: number): void {
    const startedAt = this.#entered.get(taskId);
    const durationMs = startedAt === undefined ? undefined : at - this.#restedMs - startedAt;
    const node = this.#nodes.get(taskId) ?? this.#begin(taskId);
    Object.assign(node, { status: "completed", endedAt: at, durationMs });
  }

  #drop(record: { readonly task?: string; readonly at: number; readonly dropped?: readonly string[] }): void {
    for (const taskId of record.dropped ?? []) {
      this.#requests.delete(taskId);
      const node = this.#nodes.get(taskId);
      // The record's own task has failed.
      if (node !== undefined && taskId !== record.task) Object.assign(node, { status: "dropped", endedAt: record.at });
    }
  }

  #begin(taskId: string): Draft {
    this.#begun.add(taskId);
    const known = this.#nodes.get(taskId);
    if (known !== undefined) {
      // A call that had failed started again.
      const { attempts } = known;
      return Object.assign(known, { status: "started", attempts: attempts + 1, endedAt: undefined, error: undefined });
    }
    const nodeId = nodeOfVisit(taskId);
    const node: Draft = {
      taskId,
      nodeId,
      status: "started",
      attempts: 1,
      durationMs: undefined,
      endedAt: undefined,
      usage: NO_USAGE,
      error: undefined,
      wakesAt: undefined,
      retryAt: undefined,
    };
    this.#nodes.set(taskId, node);
    return node;
  }

  #update(record: RecordedSpent & { readonly task: string; readonly attempt: number }, change: Partial<Draft>): void {
    const node = this.#nodes.get(record.task) ?? this.#begin(record.task);
    const spent = addSpent(node, spentOf(record) ?? NOTHING_SPENT);
    Object.assign(node, { attempts: record.attempt, ...spent, wakesAt: undefined, retryAt: undefined }, change);
  }

  /** A node may spend when it was dropped, too. */
  #spend(record: Extract<JournalRecord, { type: "spent" }>): void {
    const node = this.#nodes.get(record.task);
    const spent = spentOf(record) ?? NOTHING_SPENT;
    if (node === undefined) this.#spent = addSpent(this.#spent, spent);
    else Object.assign(node, addSpent(node, spent));
  }

  /** See `RunSummary.dueAt`. */
  #dueAt(): number | undefined {
    if (this.#isPaused || (this.#status !== "running" && this.#status !== "suspended")) return undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (const { autoApproveAt = earliest } of this.#requests.values()) earliest = Math.min(earliest, autoApproveAt);
    for (const { status, wakesAt, retryAt } of this.#nodes.values()) {
      const time = status === "sleeping" ? wakesAt : status === "started" ? retryAt : undefined;
      earliest = Math.min(earliest, time ?? earliest);
    }
    return earliest === Number.POSITIVE_INFINITY ? undefined : earliest;
  }

  result(runId: string): RunSummary {
    const nodes = [...this.#nodes.values()];
    return {
      runId,
      workflow: this.#workflow,
      startedAt: this.#startedAt,
      updatedAt: this.#updatedAt,
      status: this.#status,
      error: this.#error,
      requests: [...this.#requests.values()],
      nodes,
      ...given({
        endedAt: this.#status === "running" ? undefined : this.#endedAt,
        dueAt: this.#dueAt(),
        output: this.#output,
        losses: this.#losses.length === 0 ? undefined : this.#losses,
      }),
      ...nodes.reduce<Spent>(addSpent, this.#spent),
    };
  }
}
