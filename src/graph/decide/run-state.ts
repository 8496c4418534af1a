import { type HumanRequest, NO_USAGE, type RunErrorInfo, type Usage } from "../../contracts/index.ts";
import type { GraphCode } from "../compile/graph-code.ts";
import type { ForkInstruction, Region, SubgraphFork } from "../compile/program.ts";
import { type MapPlace, OUTSIDE_MAPS } from "../model/map-place.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import type { Sleep } from "../model/sleep.ts";
import { SmallMap } from "../state/small-map.ts";
import type { StateChange, StateRecord } from "../state/state-update.ts";
import { MAX_UPDATE_BYTES } from "../state/value-size.ts";

/** A failure as the journal keeps it, with the live error while there is one. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly frame?: string;
  readonly stack?: string;
  readonly bound?: NonNullable<RunErrorInfo["bound"]>;
  readonly nodeId: string;
  readonly attempt: number;
  readonly at: number;
  /** The thrown error itself; absent after a restart. */
  readonly live?: Error;
}

/**
 * A visit of a node that is under way: running, waiting for its turn, for its next attempt, or for a person.
 *
 * A class, as {@link Thread} is: V8 sees that the tasks of a large fork outlive many others, puts object literals like
 * them among the old objects at once, and then keeps dead runs for long.
 */
export class Task {
  /** Counts every beginning of this visit. */
  attempt = 1;
  /** Failures since the run was last started; what `retry.maxAttempts` is compared with. */
  failures = 0;
  /** When the next attempt begins, in milliseconds since 1970. */
  retryAt: number | undefined = undefined;
  /** How long the pause before it is, in milliseconds. */
  pauseMs = 0;
  /** Results of `ctx.step`, by key. */
  steps: Map<string, unknown> | undefined = undefined;
  /** The open question, once the node has asked. */
  request: HumanRequest | undefined = undefined;
  /** The rest that the node takes before it is done. */
  sleep: Sleep | undefined = undefined;
  /** Where the run goes once the question has an answer, or the node has rested, when not on. */
  goto: string | readonly string[] | undefined = undefined;

  constructor(
    readonly id: string,
    readonly thread: Thread,
    readonly node: NodeDefinition,
  ) {}
}

/** Changes of a branch: the last value of a replaced field is in its state, so that only the name is kept. */
class BranchChanges {
  readonly replaced = new Set<string>();
  readonly reduced: [field: string, update: unknown][] = [];
}

/** What a thread begins with. */
export interface ThreadStart {
  /** Empty for the run itself, else like `parallel_1[search]/`; a prefix of the ids of its tasks. */
  readonly id: string;
  readonly branchName: string;
  readonly parent: Thread | undefined;
  /** The graph the thread moves in. */
  readonly code: GraphCode;
  readonly region: Region;
  /** What the branch of a map is about. */
  readonly item: MapItem | undefined;
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
  pc: number;
  state: StateRecord;
  task: Task | undefined = undefined;
  fork: Fork | undefined = undefined;
  /** The position at which advancing stopped because a decision could not be taken. */
  isBlocked = false;
  isLive = true;
  /** Iterations begun, by position of the loop. */
  loops: Map<number, number> | undefined = undefined;
  /** How often a `goto` led to a node, where it has: by where the loop begins that both lie in, or -1, and then by id. */
  arrivals: Map<number, Map<string, number>> | undefined = undefined;
  /** How often a node or fork was entered, by id. */
  readonly visits = new Map<string, number>();
  /** Position of the last finished task. */
  previousPc: number | undefined = undefined;
  /** What the handler that runs now is about. */
  caught: Failure | undefined = undefined;
  /** Why the next task's earlier result was refused. */
  feedback: string | undefined = undefined;
  /** Refusals by the id of the refusing node. */
  refusals: Map<string, number> | undefined = undefined;
  #changes: BranchChanges | undefined = undefined;

  constructor(start: ThreadStart) {
    this.id = start.id;
    this.branchName = start.branchName;
    this.parent = start.parent;
    this.code = start.code;
    this.region = start.region;
    this.item = start.item;
    this.pc = start.region.startPc;
    this.state = start.state;
  }

  /** What the branch changed since the fork, for the join. The run's own thread has none. */
  get changes(): BranchChanges {
    this.#changes ??= new BranchChanges();
    return this.#changes;
  }
}

/** One of the things a map fans out over. */
export interface MapItem {
  readonly value: unknown;
  readonly index: number;
}

/** A node that brought its graph to the end, what it gave for the run's output, and what it left. */
export interface GraphEnd {
  readonly finish: { readonly output?: unknown };
  readonly output: unknown;
}

/** A fork whose branches are under way. */
export interface Fork {
  readonly instruction: ForkInstruction;
  /** Of a map. */
  items: MapItems | undefined;
  readonly children: readonly Thread[];
  /** How many of the branches have begun; the others wait for a place. */
  startedCount: number;
  /** Branches that have not ended. */
  openCount: number;
  /** While branches are being started, which is over before a change of the run is. */
  isStarting?: boolean;
  /** Failures of branches, by name, in `any` and `settled`. */
  readonly failures: Map<string, Failure>;
  /** The branch that has brought the graph to its end, as long as the join of that has failed: resuming tries it again. */
  ended?: { readonly by: Thread; readonly end: GraphEnd } | undefined;
}

/** What a map fans out over (E14): a list of its own, or the one in a field of the state, which the journal has already. */
export type MapItems = { readonly items: readonly unknown[] } | { readonly itemsOf: string };

/**
 * What was decided at an `if`, a loop or a map: its outcome, or the error that deciding threw; `null` when nobody took
 * that error, so that the thread stays where it is.
 */
export type Decision = number | MapItems | { readonly code: string; readonly message: string } | null;

/** Everything that is known about a run. Changed only by `applyRecord`, so that replaying its journal restores it. */
export class RunState {
  readonly tasks = new SmallMap<string, Task>();
  /** Handled failures, oldest first; bounded. */
  readonly handledFailures: Failure[] = [];
  main: Thread;
  isDone = false;
  usage: Usage = NO_USAGE;
  /** Tasks begun by the last change, in order. */
  started: Task[] = [];
  /** Nodes that a `goto` of the last change led to, and how often one has by now. */
  arrived: (readonly [nodeId: string, count: number])[] = [];
  /** Tasks that the last change made pointless. */
  dropped: Task[] = [];
  /** Decisions taken by the last change. */
  decisions: Decision[] = [];
  /** Decisions to repeat instead of deciding, while a record is replayed. */
  replayedDecisions: Decision[] | undefined;
  /** Subgraphs that the last change brought to their end. */
  exited: SubgraphFork[] = [];
  /**
   * How the graph, or one within it, differs from the one that wrote the journal. Where it does, reading refuses whatever
   * does not fit (E10).
   */
  differences: readonly string[] = [];
  /** The version of the state's shape; 0 where the workflow gives none. */
  stateVersion = 0;
  /** Code of workflows that nodes run by name. */
  workflows: Map<string, GraphCode> | undefined = undefined;
  /** The workflow's own name, for finding circles. */
  workflowName = "graph";
  /** How large what one node leaves may be. */
  maxUpdateBytes = MAX_UPDATE_BYTES;
  /** A failure that nobody handles; the run cannot go on. */
  fatal: Failure | undefined;
  /** What the last step of the run's own thread has left. */
  output: unknown = undefined;
  /** Set once a node has brought the run to its end, with what it gave for the run's output. */
  finish: { readonly output?: unknown } | undefined = undefined;
  /** Steps started in all. */
  stepCount = 0;

  constructor(
    readonly runId: string,
    readonly code: GraphCode,
    state: StateRecord,
  ) {
    const region = wholeProgram(code);
    this.main = new Thread({ id: "", branchName: "", parent: undefined, code, region, item: undefined, state });
  }

  /** The open questions, oldest first. */
  get requests(): HumanRequest[] {
    const requests: HumanRequest[] = [];
    for (const task of this.tasks.values()) if (task.request !== undefined) requests.push(task.request);
    return requests;
  }
}

/** Where the thread of a whole graph moves. */
export function wholeProgram({ program }: GraphCode): Region {
  return { startPc: 0, endPc: program.instructions.length };
}

/** Counts an entry into a node or a fork and gives the name of this visit: the id, from the second on `id#2`. */
export function nameVisit(thread: Thread, id: string): string {
  const visit = (thread.visits.get(id) ?? 0) + 1;
  thread.visits.set(id, visit);
  return visit === 1 ? thread.id + id : `${thread.id}${id}#${visit}`;
}

/** What the nearest map around a thread is about there. */
export function mapItemOf(thread: Thread): MapItem | undefined {
  let current: Thread | undefined = thread;
  while (current !== undefined && current.item === undefined) current = current.parent;
  return current?.item;
}

/** Which branches of maps a thread is in. */
export function placeOf(thread: Thread): MapPlace {
  let current: Thread | undefined = thread;
  while (current !== undefined && current.item === undefined) current = current.parent;
  if (current?.item === undefined) return OUTSIDE_MAPS;
  const { item, parent } = current;
  const around = parent === undefined ? OUTSIDE_MAPS : placeOf(parent);
  return { item: item.value, index: item.index, outer: around === OUTSIDE_MAPS ? undefined : around };
}

/** Whether a thread is a branch whose changes its join needs: a subgraph is joined by its final state. */
export function isJoinedByChanges(thread: Thread): boolean {
  return thread.parent !== undefined && thread.parent.code === thread.code;
}

/** Notes a change of a branch, for its join; the run's own thread has none. */
export function noteChange(thread: Thread, change: StateChange): void {
  if (!isJoinedByChanges(thread)) return;
  const { rules } = thread.code;
  for (const field in change) {
    if (rules.reducers.get(field) === undefined) thread.changes.replaced.add(field);
    else thread.changes.reduced.push([field, change[field]]);
  }
}
