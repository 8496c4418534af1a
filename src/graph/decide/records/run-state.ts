import {
  type HumanRequest,
  noRedaction,
  type Redactor,
  type RunErrorInfo,
  redactFields,
} from "../../../contracts/index.ts";
import type { GraphCode } from "../../compile/graph-code.ts";
import type { ForkInstruction, Region, SubgraphFork } from "../../compile/program.ts";
import { type MapPlace, OUTSIDE_MAPS } from "../../model/map-place.ts";
import type { NodeCall } from "../../model/node-calls.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import type { Sleep } from "../../model/sleep.ts";
import { NOTHING_SPENT, type Spent } from "../../model/spent.ts";
import type { DeclaredFields } from "../../state/declared-fields.ts";
import { SmallMap } from "../../state/small-map.ts";
import type { StateChange, StateRecord } from "../../state/state-update.ts";
import { MAX_UPDATE_BYTES } from "../../state/value-size.ts";

/** A failure as the journal keeps it, with the live error while there is one. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly frame?: string;
  readonly stack?: string;
  readonly bound?: NonNullable<RunErrorInfo["bound"]>;
  readonly allowedBy?: string;
  readonly nodeId: string;
  /** The visit that failed without a handler. Absent of other failures, such as those of decisions. */
  readonly taskId?: string;
  readonly attempt: number;
  readonly at: number;
  /** The thrown error itself; absent after a restart. */
  readonly live?: Error;
}

/**
 * A visit of a node in progress: running, or waiting for a place, for its next attempt, or for a person.
 *
 * A class, like {@link Thread}: the tasks of a large fork outlive many other objects, so V8 would allocate object literals
 * for them in the old generation and keep finished runs alive for long.
 */
export class Task {
  /** Starts of this visit. */
  attempt = 1;
  /** Failures since the run last started; compared with `retry.maxAttempts`. */
  failures = 0;
  /** When the next attempt starts, in milliseconds since 1970. */
  retryAt: number | undefined = undefined;
  /** The pause before it, in milliseconds. */
  pauseMs = 0;
  /** Whether this attempt starts calls again that have failed: an attempt before it, or its run, failed. */
  retriesCalls = false;
  /** Results of `ctx.step`, by key. */
  steps: Map<string, unknown> | undefined = undefined;
  /** The open question, after the node has asked. */
  request: HumanRequest | undefined = undefined;
  /** The sleep that the node has to finish. */
  sleep: Sleep | undefined = undefined;
  /** The target after the answer or the sleep; absent when the run continues with the next node. */
  goto: string | readonly string[] | undefined = undefined;

  constructor(
    readonly id: string,
    readonly thread: Thread,
    readonly node: NodeDefinition,
  ) {}
}

/** Changes of a branch. Only the names of replaced fields: their last values are in the branch's state. */
class BranchChanges {
  readonly replaced = new Set<string>();
  readonly reduced: [field: string, update: unknown][] = [];
}

/** The initial values of a thread. */
export interface ThreadStart {
  /** Empty for the run itself, or like `parallel_1[search]/`; a prefix of the ids of its tasks. */
  readonly id: string;
  readonly branchName: string;
  readonly parent: Thread | undefined;
  /** The graph that the thread executes. */
  readonly code: GraphCode;
  readonly region: Region;
  /** The item of a map's branch. */
  readonly item: MapItem | undefined;
  /** The call that the branch carries out. */
  readonly call?: NodeCall | undefined;
  readonly state: StateRecord;
}

/** A sequence of steps with its own state: the run itself, or a branch of a fork. Rests at a task, a fork or its end. */
export class Thread implements ThreadStart {
  readonly id: string;
  readonly branchName: string;
  readonly parent: Thread | undefined;
  readonly code: GraphCode;
  readonly region: Region;
  readonly item: MapItem | undefined;
  readonly call: NodeCall | undefined;
  /** What a call has spent so far. */
  callSpent: Spent = NOTHING_SPENT;
  pc: number;
  state: StateRecord;
  task: Task | undefined = undefined;
  fork: Fork | undefined = undefined;
  /** Whether advancing stopped at `pc` because a decision failed. */
  isBlocked = false;
  isLive = true;
  /** Iterations started, by position of the loop. */
  loops: Map<number, number> | undefined = undefined;
  /** Arrivals by `goto`: by position of the innermost loop around both ends, or -1, and then by the target's id. */
  arrivals: Map<number, Map<string, number>> | undefined = undefined;
  /** Visits by id of the node or fork. */
  readonly visits = new Map<string, number>();
  /** Position of the last finished task. */
  previousPc: number | undefined = undefined;
  /** The failure that the running handler handles. */
  caught: Failure | undefined = undefined;
  /** Why the result that the next task has to redo was rejected. */
  feedback: string | undefined = undefined;
  /** Rejections by the id of the rejecting node. */
  refusals: Map<string, number> | undefined = undefined;
  #changes: BranchChanges | undefined = undefined;

  constructor(start: ThreadStart) {
    this.id = start.id;
    this.branchName = start.branchName;
    this.parent = start.parent;
    this.code = start.code;
    this.region = start.region;
    this.item = start.item;
    this.call = start.call;
    this.pc = start.region.startPc;
    this.state = start.state;
  }

  /** Changes of the branch since the fork, for the join. The run's own thread has none. */
  get changes(): BranchChanges {
    this.#changes ??= new BranchChanges();
    return this.#changes;
  }
}

/** One item of a map. */
export interface MapItem {
  readonly value: unknown;
  readonly index: number;
}

/** The end of a graph by `finish()`: the run's output that the node passed, and the node's own output. */
export interface GraphEnd {
  readonly finish: { readonly output?: unknown };
  readonly output: unknown;
}

/** A fork in progress. */
export interface Fork {
  readonly instruction: ForkInstruction;
  /** The items of a map. */
  items: MapItems | undefined;
  /** Calls are added to it. */
  readonly children: Thread[];
  /** How many of the branches have started; the others wait for a place. */
  startedCount: number;
  /** Branches that have not ended. */
  openCount: number;
  /** True only while branches are being started, never between two changes of the run. */
  isStarting?: boolean;
  /** Failures of branches, by name, in `any` and `settled`. */
  readonly failures: Map<string, Failure>;
  /** Of calls: those that have ended, in the order of their ends. */
  readonly returned?: Thread[];
  /** The branch that ended the graph, while the join for it has failed: resuming retries that join. */
  ended?: { readonly by: Thread; readonly end: GraphEnd } | undefined;
}

/** The items of a map (E14): its own list, or a field of the state, whose value the journal contains already. */
export type MapItems = { readonly items: readonly unknown[] } | { readonly itemsOf: string };

/**
 * The decision at an `if`, a loop or a map: its outcome, or the error that it threw; `null` when nothing handled that
 * error, so the thread stays where it is.
 */
export type Decision = number | MapItems | { readonly code: string; readonly message: string } | null;

/** The result of a subgraph that exceeds `maxUpdateBytes`; the fields are those of a `ValueTooLargeError`. */
export interface OversizedResult {
  /** The visit of the node that runs the subgraph. */
  readonly task: string;
  readonly field: string;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The state of a run. Changed only by `applyRecord`, so replaying the journal restores it. */
export class RunState {
  readonly tasks = new SmallMap<string, Task>();
  /** Handled failures, oldest first; limited in number. */
  readonly handledFailures: Failure[] = [];
  main: Thread;
  isDone = false;
  spent: Spent = NOTHING_SPENT;
  /** Tasks that the last change started, in order. */
  started: Task[] = [];
  /** Nodes that the last change reached by `goto`, each with its count of arrivals. */
  arrived: (readonly [nodeId: string, count: number])[] = [];
  /** Tasks that the last change dropped. */
  dropped: Task[] = [];
  /** Decisions of the last change. */
  decisions: Decision[] = [];
  /** While a record is replayed: the decisions to repeat. */
  replayedDecisions: Decision[] | undefined;
  /** Subgraphs that the last change ended. */
  exited: SubgraphFork[] = [];
  /** Calls that the last change ended. */
  returned: Thread[] = [];
  /** Results of subgraphs that the last change rejected. */
  oversized: OversizedResult[] = [];
  /** While a record is replayed: the results to reject again, because the limit may have changed since. */
  replayedOversized: readonly OversizedResult[] | undefined;
  /**
   * How the graph, or a graph within it, differs from the one that wrote the journal. If there are differences, a record
   * that does not fit is an error (E10).
   */
  differences: readonly string[] = [];
  /** The version of the state's shape; 0 when the workflow declares none. */
  stateVersion = 0;
  /** How the fields of the state were declared when they got their values; unknown in runs of earlier versions of Atomic. */
  fields: DeclaredFields | undefined = undefined;
  /** Code of the workflows that nodes run by name. */
  workflows: Map<string, GraphCode> | undefined = undefined;
  /** The workflow's own name, to detect cycles. */
  workflowName = "graph";
  /** The maximum size of what a node returns. */
  maxUpdateBytes = MAX_UPDATE_BYTES;
  /** Takes secrets out of all that enters the state and the journal; see {@link redact}. */
  redactor: Redactor = noRedaction;
  /** A failure without a handler: the run cannot continue. */
  fatal: Failure | undefined;
  /** Output of the last step of the run's own thread. */
  output: unknown = undefined;
  /** Set after a node called `finish()`, with the output that it passed. */
  finish: { readonly output?: unknown } | undefined = undefined;
  /** How many steps have started in all. */
  stepCount = 0;

  constructor(
    readonly runId: string,
    readonly code: GraphCode,
    state: StateRecord,
  ) {
    const region = wholeProgram(code);
    this.main = new Thread({ id: "", branchName: "", parent: undefined, code, region, item: undefined, state });
  }

  /**
   * A value as the run keeps it. What is redacted enters the state and the journal alike, so a resumed run works with the
   * same values as this one. Applied to a value that enters, and never by replay.
   */
  redact<T>(value: T): T {
    return this.redactor.value(value);
  }

  /** The same for fields of the state, whose names stay. */
  redactFields(fields: StateChange): StateChange {
    return redactFields(fields, this.redactor);
  }

  /** The open questions, oldest first. */
  get requests(): HumanRequest[] {
    const requests: HumanRequest[] = [];
    for (const task of this.tasks.values()) if (task.request !== undefined) requests.push(task.request);
    return requests;
  }
}

/** The region of a whole graph. */
export function wholeProgram({ program }: GraphCode): Region {
  return { startPc: 0, endPc: program.instructions.length };
}

/** Counts an entry into a node or a fork and returns the name of the visit: the id, and from the second visit on `id#2`. */
export function nameVisit(thread: Thread, id: string): string {
  const visit = (thread.visits.get(id) ?? 0) + 1;
  thread.visits.set(id, visit);
  return visit === 1 ? thread.id + id : `${thread.id}${id}#${visit}`;
}

/** The id of the node of a visit, which {@link nameVisit} named. */
export function nodeOfVisit(visit: string): string {
  return visit.slice(visit.lastIndexOf("/") + 1).replace(/#\d+$/, "");
}

/** Whether the first branch that succeeds ends a fork: the others need not run. */
export function endsWithFirst({ instruction }: Fork): boolean {
  return instruction.strategy === "race" || instruction.strategy === "any";
}

/** The item of the nearest map around a thread. */
export function mapItemOf(thread: Thread): MapItem | undefined {
  return mapBranchOf(thread)?.item;
}

/** The number of items that the nearest map around a thread runs. Undefined outside of maps, and where the first one ends it. */
export function itemCountOf(thread: Thread): number | undefined {
  const fork = mapBranchOf(thread)?.parent?.fork;
  return fork === undefined || endsWithFirst(fork) ? undefined : fork.children.length;
}

/** The branch of the nearest map that a thread is in. */
function mapBranchOf(thread: Thread): Thread | undefined {
  let current: Thread | undefined = thread;
  while (current !== undefined && current.item === undefined) current = current.parent;
  return current;
}

/** The branches of maps that a thread is in. */
export function placeOf(thread: Thread): MapPlace {
  const { item, parent } = mapBranchOf(thread) ?? {};
  if (item === undefined) return OUTSIDE_MAPS;
  const around = parent === undefined ? OUTSIDE_MAPS : placeOf(parent);
  return { item: item.value, index: item.index, outer: around === OUTSIDE_MAPS ? undefined : around };
}

/** Whether a thread's join needs its changes. A subgraph's does not: it uses the final state. */
export function isJoinedByChanges(thread: Thread): boolean {
  return thread.parent !== undefined && thread.parent.code === thread.code;
}

/** Records a change of a branch for its join; does nothing for the run's own thread. */
export function noteChange(thread: Thread, change: StateChange): void {
  if (!isJoinedByChanges(thread)) return;
  const { rules } = thread.code;
  for (const field in change) {
    if (rules.reducers.get(field) === undefined) thread.changes.replaced.add(field);
    else thread.changes.reduced.push([field, change[field]]);
  }
}
