import type { HumanRequest, JsonObject } from "../../contracts/index.ts";
import { compareGraphs, type RecordedGraph, recordGraph } from "../compile/compare-graphs.ts";
import type { GraphCode } from "../compile/graph-code.ts";
import { instructionAt } from "../compile/instruction-at.ts";
import type { ForkInstruction, SubgraphFork } from "../compile/program.ts";
import { attachCall } from "../decide/calls.ts";
import { setAside } from "../decide/failed-calls.ts";
import { createBranches, createGotoFork } from "../decide/fork-branches.ts";
import {
  type Failure,
  type Fork,
  type GraphEnd,
  type MapItems,
  RunState,
  Task,
  type Thread,
} from "../decide/records/run-state.ts";
import { attachSubgraph, createSubgraphFork, findSubgraph } from "../decide/subgraph.ts";
import { GraphChangedError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import type { NodeCall } from "../model/node-calls.ts";
import type { Sleep } from "../model/sleep.ts";
import { NOTHING_SPENT, type RecordedSpent, recordSpent, type Spent, spentOf } from "../model/spent.ts";
import { decodeValue, encodeValue } from "../state/codec.ts";
import type { DeclaredFields } from "../state/declared-fields.ts";
import { fillDefaults, type StateRecord } from "../state/state-update.ts";

/** A run at one moment, with ids instead of positions. */
interface Snapshot extends RecordedGraph, RecordedSpent {
  readonly runId: string;
  /** Absent for 0. */
  readonly stateVersion?: number;
  readonly fields?: DeclaredFields;
  readonly stepCount: number;
  readonly isDone: boolean;
  readonly output: unknown;
  readonly finish?: { readonly output?: unknown };
  readonly handledFailures: readonly Omit<Failure, "live">[];
  readonly main: ThreadSnapshot;
}

interface ThreadSnapshot {
  readonly at: string;
  /** The branch's name, which detects a changed graph. */
  readonly branch: string;
  /** For a branch, only the fields that differ from its parent's. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly isBlocked: boolean;
  readonly isLive: boolean;
  readonly loops: readonly (readonly [string, number])[];
  readonly visits: readonly (readonly [string, number])[];
  /** Arrivals by `goto`: by the id of the loop around, or "" outside of loops; absent without any. */
  readonly arrivals?: readonly (readonly [string, readonly (readonly [string, number])[]])[];
  readonly previous?: string;
  readonly caught?: Omit<Failure, "live">;
  readonly feedback?: string;
  readonly refusals: readonly (readonly [string, number])[];
  readonly replaced: readonly string[];
  readonly reduced: readonly (readonly [string, unknown])[];
  /** The call that the branch carries out, and what it has spent. */
  readonly call?: NodeCall & RecordedSpent;
  readonly task?: TaskSnapshot;
  readonly fork?: ForkSnapshot;
}

interface ForkSnapshot {
  /** The branches are calls of a node in progress. */
  readonly isOfCalls?: true;
  readonly startedCount: number;
  /** The subgraph of a node. */
  readonly subgraph?: SubgraphSnapshot;
  /** The items of a map. */
  readonly items?: MapItems;
  /** The targets of a node whose `goto` named several nodes. */
  readonly targets?: readonly string[];
  readonly children: readonly ThreadSnapshot[];
  readonly failures: readonly (readonly [string, Omit<Failure, "live">])[];
  /** The calls that have ended, by index, in the order of their ends. */
  readonly returned?: readonly number[];
  /** The branch that ended the graph, by index, while its join has failed. */
  readonly ended?: GraphEnd & { readonly by: number };
}

interface SubgraphSnapshot extends RecordedGraph {
  readonly taskId: string;
  readonly startedAt: number;
  readonly name?: string;
  readonly config?: JsonObject;
}

interface TaskSnapshot {
  readonly id: string;
  readonly attempt: number;
  readonly failures: number;
  readonly retryAt?: number;
  readonly pauseMs?: number;
  readonly steps?: readonly (readonly [string, unknown])[];
  readonly request?: HumanRequest;
  readonly sleep?: Sleep;
  readonly goto?: string | readonly string[];
}

/** The position of an ended branch. */
const ENDED = "#ended";

/** Encodes a run's current state. @param newRunId the id of the run that the snapshot is for; defaults to its own */
export function encodeSnapshot(run: RunState, newRunId?: string): string {
  const { stepCount, isDone, stateVersion, fields } = run;
  const runId = newRunId ?? run.runId;
  const handledFailures = run.handledFailures.map(withoutLive);
  const main = takeThread(run, run.main);
  const snapshot: Snapshot = {
    runId,
    ...(stateVersion === 0 ? {} : { stateVersion }),
    ...(fields === undefined ? {} : { fields }),
    ...recordGraph(run.code.program),
    ...recordSpent(run.spent),
    stepCount,
    isDone,
    output: run.output,
    ...(run.finish === undefined ? {} : { finish: run.finish }),
    handledFailures,
    main,
  };
  return encodeValue(snapshot);
}

function takeThread(run: RunState, thread: Thread): ThreadSnapshot {
  const { previousPc, caught, feedback, task, fork, arrivals } = thread;
  const nameOf = (pc: number): string => {
    const instruction = instructionAt(thread.code, pc);
    return "id" in instruction ? instruction.id : ENDED;
  };
  return {
    // The branch of a `goto` is one node long, and rests after that node when it has ended.
    at: thread.pc < thread.region.endPc ? nameOf(thread.pc) : ENDED,
    branch: thread.branchName,
    state: stateDelta(thread),
    isBlocked: thread.isBlocked,
    isLive: thread.isLive,
    loops: [...(thread.loops ?? [])].map(([pc, count]) => [nameOf(pc), count] as const),
    visits: [...thread.visits],
    refusals: [...(thread.refusals ?? [])],
    replaced: [...thread.changes.replaced],
    reduced: thread.changes.reduced,
    ...(arrivals === undefined
      ? {}
      : { arrivals: [...arrivals].map(([pc, counts]) => [pc < 0 ? "" : nameOf(pc), [...counts]] as const) }),
    ...(previousPc === undefined ? {} : { previous: nameOf(previousPc) }),
    ...(caught === undefined ? {} : { caught: withoutLive(caught) }),
    ...(feedback === undefined ? {} : { feedback }),
    ...(thread.call === undefined ? {} : { call: { ...thread.call, ...recordSpent(thread.callSpent) } }),
    ...(task === undefined ? {} : { task: takeTask(task) }),
    ...(fork === undefined ? {} : { fork: takeFork(run, fork) }),
  };
}

function takeFork(run: RunState, fork: Fork): NonNullable<ThreadSnapshot["fork"]> {
  const { ended } = fork;
  return {
    startedCount: fork.startedCount,
    ...(fork.instruction.op === "calls" ? { isOfCalls: true } : {}),
    ...(fork.instruction.op === "subgraph" ? { subgraph: takeSubgraph(fork.instruction, fork) } : {}),
    ...(fork.instruction.op === "goto" ? { targets: fork.instruction.branches.map(({ name }) => name) } : {}),
    ...(fork.items === undefined ? {} : { items: fork.items }),
    children: fork.children.map((child) => takeThread(run, child)),
    failures: [...fork.failures].map(([name, failure]) => [name, withoutLive(failure)] as const),
    ...given({ returned: fork.returned?.map((child) => fork.children.indexOf(child)) }),
    ...(ended === undefined ? {} : { ended: { ...ended.end, by: fork.children.indexOf(ended.by) } }),
  };
}

function takeSubgraph(instruction: SubgraphFork, fork: Fork): SubgraphSnapshot {
  const { taskId, startedAt, name, config } = instruction;
  const program = fork.children[0]?.code.program;
  const graph = program === undefined ? { fingerprint: "", nodes: [] } : recordGraph(program);
  return { taskId, startedAt, ...graph, ...given({ name, config }) };
}

function takeTask(task: Task): TaskSnapshot {
  const { id, attempt, failures, retryAt, pauseMs, steps, request, sleep, goto } = task;
  return {
    id,
    attempt,
    failures,
    ...(retryAt === undefined ? {} : { retryAt, pauseMs }),
    ...(steps === undefined ? {} : { steps: [...steps] }),
    ...(request === undefined ? {} : { request }),
    ...(sleep === undefined ? {} : { sleep }),
    ...(goto === undefined ? {} : { goto }),
  };
}

function stateDelta(thread: Thread): Readonly<Record<string, unknown>> {
  // A subgraph has its own state; equal field names mean nothing.
  if (thread.parent === undefined || thread.parent.code !== thread.code) return thread.state;
  const parentState = thread.parent.state;
  return Object.fromEntries(
    Object.entries(thread.state).filter(([field, value]) => !Object.is(value, parentState[field])),
  );
}

function withoutLive(failure: Failure): Omit<Failure, "live"> {
  const { live: _live, ...kept } = failure;
  return kept;
}

/** The part of a snapshot that is readable without the graph. */
export interface SnapshotSummary {
  readonly spent: Spent;
  /** Visits in progress. */
  readonly tasks: readonly TaskSnapshot[];
}

/** Reads a snapshot without its graph. */
export function summarizeSnapshot(text: string): SnapshotSummary {
  // The cast is true as in decodeSnapshot.
  const { main, ...snapshot } = decodeValue(text) as Snapshot;
  const tasksOf = ({ task, fork, isLive }: ThreadSnapshot): readonly TaskSnapshot[] =>
    isLive ? [...(task === undefined ? [] : [task]), ...(fork?.children.flatMap(tasksOf) ?? [])] : [];
  return { spent: spentOf(snapshot) ?? NOTHING_SPENT, tasks: tasksOf(main) };
}

/** Code of workflows that nodes run by name. */
export type Workflows = ReadonlyMap<string, GraphCode>;

/** Decodes a snapshot. @throws GraphChangedError */
export function decodeSnapshot(text: string, code: GraphCode, workflows: Workflows = new Map()): RunState {
  // The cast is true for text that encodeSnapshot wrote, and the saver's checksum has verified that.
  const snapshot = decodeValue(text) as Snapshot;
  // The cast is true: the main thread's snapshot contains its whole state.
  const run = new RunState(snapshot.runId, code, fillDefaults(code.rules, snapshot.main.state as StateRecord));
  run.stateVersion = snapshot.stateVersion ?? 0;
  run.fields = snapshot.fields;
  run.workflows = new Map(workflows);
  run.differences = compareGraphs(snapshot, code.program);
  run.spent = spentOf(snapshot) ?? NOTHING_SPENT;
  run.stepCount = snapshot.stepCount;
  run.isDone = snapshot.isDone;
  run.output = snapshot.output;
  run.finish = snapshot.finish;
  run.handledFailures.push(...snapshot.handledFailures);
  new SnapshotReader(run).fill(run.main, snapshot.main);
  return run;
}

class SnapshotReader {
  readonly #run: RunState;
  readonly #positions = new Map<GraphCode, ReadonlyMap<string, number>>();

  constructor(run: RunState) {
    this.#run = run;
  }

  fill(thread: Thread, snapshot: ThreadSnapshot): void {
    if (snapshot.branch !== thread.branchName) {
      throw this.#changed(`the branch "${snapshot.branch}" is now "${thread.branchName}"`);
    }
    thread.pc = snapshot.at === ENDED ? thread.region.endPc - 1 : this.#positionOf(thread, snapshot.at);
    thread.isBlocked = snapshot.isBlocked;
    thread.isLive = snapshot.isLive;
    if (snapshot.loops.length > 0) {
      thread.loops = new Map(snapshot.loops.map(([id, count]) => [this.#positionOf(thread, id), count]));
    }
    for (const [id, count] of snapshot.visits) thread.visits.set(id, count);
    for (const [id, counts] of snapshot.arrivals ?? []) {
      thread.arrivals ??= new Map();
      thread.arrivals.set(id === "" ? -1 : this.#positionOf(thread, id), new Map(counts));
    }
    if (snapshot.refusals.length > 0) thread.refusals = new Map(snapshot.refusals);
    for (const field of snapshot.replaced) thread.changes.replaced.add(field);
    for (const [field, update] of snapshot.reduced) thread.changes.reduced.push([field, update]);
    if (snapshot.previous !== undefined) thread.previousPc = this.#positionOf(thread, snapshot.previous);
    thread.caught = snapshot.caught;
    thread.feedback = snapshot.feedback;
    if (snapshot.task !== undefined) this.#fillTask(thread, snapshot.task);
    if (snapshot.fork !== undefined) this.#fillFork(thread, snapshot.fork);
  }

  #fillTask(thread: Thread, snapshot: TaskSnapshot): void {
    const instruction = instructionAt(thread.code, thread.pc);
    if (instruction.op !== "task") throw this.#changed(`"${snapshot.id}" is no longer a node`);
    const { id, pauseMs = 0, steps, ...rest } = snapshot;
    const task = new Task(id, thread, instruction.node);
    Object.assign(task, rest, { pauseMs, steps: steps && new Map(steps) });
    thread.task = task;
    this.#run.tasks.set(id, task);
  }

  #fillFork(thread: Thread, snapshot: NonNullable<ThreadSnapshot["fork"]>): void {
    if (snapshot.subgraph !== undefined) return this.#fillSubgraph(thread, snapshot, snapshot.subgraph);
    if (snapshot.isOfCalls) return this.#fillCalls(thread, snapshot);
    const instruction = this.#forkAt(thread, snapshot.targets);
    const visit = thread.visits.get(instruction.id) ?? 1;
    const name = visit === 1 ? thread.id + instruction.id : `${thread.id}${instruction.id}#${visit}`;
    const children = createBranches(thread, instruction, { visit: name, items: snapshot.items });
    if (children.length !== snapshot.children.length) {
      throw this.#changed(
        `"${instruction.id}" had ${snapshot.children.length} branches and now has ${children.length}`,
      );
    }
    const openCount = snapshot.children.filter((child) => child.isLive).length;
    const { startedCount, ended } = snapshot;
    const endedBy = ended === undefined ? undefined : children[ended.by];
    thread.fork = {
      instruction,
      items: snapshot.items,
      children,
      startedCount,
      openCount,
      failures: new Map(snapshot.failures),
      ...(ended === undefined || endedBy === undefined ? {} : { ended: { by: endedBy, end: ended } }),
    };
    for (const [index, child] of children.entries()) {
      const childSnapshot = snapshot.children[index];
      if (childSnapshot === undefined) continue;
      child.state = { ...thread.state, ...childSnapshot.state };
      this.fill(child, childSnapshot);
    }
  }

  #fillCalls(thread: Thread, { children, failures, returned }: ForkSnapshot): void {
    const { task } = thread;
    if (task === undefined) throw this.#changed("a node of the journal makes no calls any more");
    for (const snapshot of children) {
      if (snapshot.call === undefined) continue;
      const { key, version, spec, replaces, ...spent } = snapshot.call;
      const child = attachCall(this.#run, task, { key, version, spec, ...given({ replaces }) });
      child.callSpent = spentOf(spent) ?? NOTHING_SPENT;
      // The cast is true: the snapshot of a call contains its whole state.
      child.state = fillDefaults(child.code.rules, snapshot.state as StateRecord);
      this.fill(child, snapshot);
      if (!snapshot.isLive) setAside(this.#run, child);
    }
    const { fork } = thread;
    if (fork === undefined) return;
    fork.openCount = children.filter(({ isLive }) => isLive).length;
    for (const [name, failure] of failures) fork.failures.set(name, failure);
    // Without the order, that of the calls.
    const order = returned ?? children.flatMap(({ isLive }, index) => (isLive ? [] : [index]));
    for (const index of order) fork.returned?.push(...fork.children.slice(index, index + 1));
  }

  #fillSubgraph(thread: Thread, { children: [snapshot] }: ForkSnapshot, about: SubgraphSnapshot): void {
    const task = instructionAt(thread.code, thread.pc);
    if (task.op !== "task" || snapshot === undefined) throw this.#changed("a subgraph of the journal is gone");
    const code = findSubgraph(this.#run, task.node, about);
    this.#run.differences = [...this.#run.differences, ...compareGraphs(about, code.program)];
    const instruction = createSubgraphFork(thread, task.node, {
      ...about,
      name: about.name,
      config: about.config,
    });
    // The cast is true: a subgraph's snapshot contains its whole state.
    const state = fillDefaults(code.rules, snapshot.state as StateRecord);
    const child = attachSubgraph(thread, { instruction, code, state });
    this.fill(child, snapshot);
  }

  #forkAt(thread: Thread, targets: readonly string[] | undefined): ForkInstruction {
    const instruction = instructionAt(thread.code, thread.pc);
    if (instruction.op === "fork" || instruction.op === "map") return instruction;
    if (instruction.op !== "task" || targets === undefined)
      throw this.#changed("a parallel step of the journal is gone");
    return createGotoFork(
      instruction.node,
      new Map(targets.map((target) => [target, this.#positionOf(thread, target)])),
    );
  }

  #positionOf({ code, region }: Thread, id: string): number {
    const positions = this.#positions.get(code) ?? positionsOf(code);
    this.#positions.set(code, positions);
    const pc = positions.get(id);
    if (pc === undefined) throw this.#changed(`"${id}" is gone`);
    if (pc < region.startPc || pc >= region.endPc) throw this.#changed(`"${id}" is in another branch`);
    return pc;
  }

  #changed(difference: string): GraphChangedError {
    const { runId, differences } = this.#run;
    // `compareGraphs()` already reported removed nodes.
    const isReported = differences.some((reported) => reported.endsWith(difference));
    return new GraphChangedError(runId, isReported ? differences : [difference, ...differences]);
  }
}

function positionsOf({ program }: GraphCode): ReadonlyMap<string, number> {
  return new Map(
    program.instructions.flatMap((instruction, pc) => ("id" in instruction ? [[instruction.id, pc]] : [])),
  );
}
