import type { RunModel, RunVisit } from "./run-model.ts";
import { hasBegun, type StepNode, visitsBelow } from "./step-tree.ts";
import type { WorkState } from "./work-state.ts";

/** A row of the graph: a step, or an item of a map. */
export interface GraphRow {
  readonly key: string;
  readonly depth: number;
  readonly state: WorkState;
  readonly name: string;
  /** What is added to the name: `3 of 12`, `round 2`, what an item's step is. */
  readonly note: string;
  readonly startedAt: number | undefined;
  /** When the attempt in progress started, if it is not the first one; its time is added to the note. */
  readonly attemptStartedAt: number | undefined;
  /** Undefined while it is in progress. */
  readonly endedAt: number | undefined;
  /** When it continues by itself. */
  readonly until: number | undefined;
  /** The visits that it stands for. */
  readonly taskIds: ReadonlySet<string>;
  /** The visit that commands are for: one in progress, or else the latest. */
  readonly target: RunVisit | undefined;
  readonly isFoldable: boolean;
  readonly isOpen: boolean;
}

/** Settings of {@link graphRows}. */
export interface GraphRowOptions {
  /** Rows that the person opened or folded, by key. */
  readonly folds?: ReadonlyMap<string, boolean>;
  /** Only this row and what is inside it. */
  readonly focus?: string;
}

/** Types of steps whose branches are items of a list. */
const LISTS: ReadonlySet<string> = new Set(["map", "script"]);

/** The rows of a run's graph. What is finished or has not begun is folded, and items of lists only have a row while they are open. */
export function graphRows(
  tree: readonly StepNode[],
  model: Pick<RunModel, "isLive" | "status">,
  { folds = new Map(), focus }: GraphRowOptions = {},
): readonly GraphRow[] {
  const isOver = !model.isLive && model.status === "completed";
  const shown = isOver ? tree.filter(hasBegun) : tree;
  const rows = shown.flatMap((node) => rowsOf(node, { depth: 0, folds, isOver, isLive: model.isLive }));
  if (focus === undefined) return rows;
  const start = rows.findIndex(({ key }) => key === focus);
  const first = rows[start];
  if (first === undefined) return rows;
  const end = rows.findIndex(({ depth }, index) => index > start && depth <= first.depth);
  const branch = rows.slice(start, end === -1 ? undefined : end);
  return branch.map((row) => ({ ...row, depth: row.depth - first.depth }));
}

interface Place {
  readonly depth: number;
  readonly folds: ReadonlyMap<string, boolean>;
  /** Whether the run is completed. */
  readonly isOver: boolean;
  /** Whether a process executes the run. */
  readonly isLive: boolean;
}

function rowsOf(node: StepNode, place: Place): readonly GraphRow[] {
  const { key, name, nodeType, visits } = node;
  const all = visitsBelow(node);
  const items = LISTS.has(nodeType) ? itemsOf(node) : undefined;
  const state = stateOf(node, all, place);
  const isLive = all.some(isOpenVisit);
  const children = place.isOver ? node.children.filter(hasBegun) : node.children;
  const isFoldable = children.length > 0;
  const isOpen = isFoldable && (place.folds.get(key) ?? (isLive || state === "failed"));
  const row: GraphRow = {
    ...{ key, name, state, isFoldable, isOpen, depth: place.depth },
    note: items === undefined ? noteOf(node) : noteOfItems(items),
    ...timesOf(isFoldable ? all : visits.slice(-1)),
    attemptStartedAt: isFoldable ? undefined : attemptStartOf(visits.at(-1)),
    taskIds: new Set(all.map(({ taskId }) => taskId)),
    target: targetOf(all),
  };
  if (!isOpen) return [row];
  const inner = { ...place, depth: place.depth + 1 };
  const isListed = items !== undefined && items.length > 0;
  return [row, ...(isListed ? rowsOfItems(items, inner) : children.flatMap((child) => rowsOf(child, inner)))];
}

/** An item of a map, or a call of a script. */
interface Item {
  readonly key: string;
  /** The visit of the map. */
  readonly list: string;
  readonly name: string;
  readonly visits: readonly RunVisit[];
}

/** The items of a list, by the branch that their visits are in. */
function itemsOf(node: StepNode): readonly Item[] {
  const branches = new Map<string, RunVisit[]>();
  for (const visit of node.children.flatMap(visitsBelow)) {
    const branch = branchOf(visit.taskId, node.nodeId);
    const known = branches.get(branch);
    if (known === undefined) branches.set(branch, [visit]);
    else known.push(visit);
  }
  return [...branches].map(([key, visits]) => {
    return { key, visits, name: nameOfItem(key, visits), list: key.slice(0, key.lastIndexOf("[")) };
  });
}

/** The part of a visit's id up to the branch of a list: `rounds/map#2[3]`. */
function branchOf(taskId: string, nodeId: string): string {
  const segments = taskId.split("/");
  const index = segments.findIndex(
    (segment) => segment.includes("[") && segment.replace(/(?:#\d+)?\[.*$/, "") === nodeId,
  );
  return segments.slice(0, index + 1).join("/");
}

function nameOfItem(key: string, visits: readonly RunVisit[]): string {
  const named = visits.find(({ item }) => item !== undefined)?.item ?? visits[0]?.name;
  return named ?? key.slice(key.lastIndexOf("["));
}

function rowsOfItems(items: readonly Item[], { depth }: Place): readonly GraphRow[] {
  return items.flatMap(({ key, name, visits }) => {
    const state = stateOfVisits(visits);
    if (isFinished(state)) return [];
    const target = targetOf(visits);
    const attemptStartedAt = attemptStartOf(target);
    const facts = target === undefined || target.name === name ? [] : [target.name];
    const note = [...facts, ...(target === undefined ? [] : attemptOf(target))].join(" ");
    const row = { key, depth, state, name, note, target, attemptStartedAt, isFoldable: false, isOpen: false };
    return [{ ...row, ...timesOf(visits), taskIds: new Set(visits.map(({ taskId }) => taskId)) }];
  });
}

/** How many items the visits of a list have: those that have begun, where no event says how many there are. */
function countItems(items: readonly Item[]): number {
  const counts = new Map<string, { begun: number; known: number }>();
  for (const { key, list, visits } of items) {
    const { begun, known } = counts.get(list) ?? { begun: 0, known: 0 };
    // A visit in a map within the item has the count of that map.
    const own = visits.filter(({ taskId }) => !/\[\d+\]/.test(taskId.slice(key.length)));
    counts.set(list, { begun: begun + 1, known: Math.max(known, ...own.map(({ itemCount = 0 }) => itemCount)) });
  }
  return [...counts.values()].reduce((sum, { begun, known }) => sum + Math.max(begun, known), 0);
}

function noteOfItems(items: readonly Item[]): string {
  if (items.length === 0) return "";
  const doneCount = items.filter(({ visits }) => isFinished(stateOfVisits(visits))).length;
  return `${doneCount} of ${countItems(items)}`;
}

function isFinished(state: WorkState): boolean {
  return state === "done" || state === "skipped";
}

function noteOf({ nodeType, visits, children }: StepNode): string {
  if (nodeType === "loop") {
    const round = Math.max(0, ...children.map(({ visits: inner }) => inner.length));
    return round > 1 ? `round ${round}` : "";
  }
  const last = visits.at(-1);
  const facts = [...(visits.length > 1 ? [`×${visits.length}`] : []), ...(last === undefined ? [] : attemptOf(last))];
  return facts.join(" ");
}

function attemptOf({ attempt }: RunVisit): readonly string[] {
  return attempt > 1 ? [`attempt ${attempt}`] : [];
}

/** When the attempt in progress started. Undefined for a first one, and when none is in progress. */
function attemptStartOf(visit: RunVisit | undefined): number | undefined {
  return visit?.status === "running" ? visit.attemptStartedAt : undefined;
}

function isOpenVisit({ status }: RunVisit): boolean {
  return status === "running" || status === "asking" || status === "sleeping" || status === "retrying";
}

function stateOf(node: StepNode, all: readonly RunVisit[], { isOver, isLive }: Place): WorkState {
  // A step that repeats is what its latest visit is.
  const state = stateOfVisits(node.children.length === 0 ? node.visits.slice(-1) : all);
  // Between two items of a list nothing is in progress, and not all is done.
  if (isOver || !isFinished(state)) return state;
  if (hasMissingItems(node)) return isLive ? "running" : "pending";
  return !isLive && wasCut(node) ? "skipped" : state;
}

/** Whether the process of the run ended in the middle of a step. */
function wasCut(node: StepNode): boolean {
  return visitsBelow(node).some(({ status, isDropped = false }) => status === "stopped" && !isDropped);
}

/** Whether items of a list have not begun, in a step or inside it. */
function hasMissingItems(node: StepNode): boolean {
  if (node.children.some(hasMissingItems)) return true;
  if (!LISTS.has(node.nodeType)) return false;
  const items = itemsOf(node);
  return items.length < countItems(items);
}

/** What several visits are together: in progress before waiting, and otherwise what the last one is. */
function stateOfVisits(visits: readonly RunVisit[]): WorkState {
  const states = visits.map(stateOfVisit);
  for (const state of ["running", "asks", "waiting"] as const) if (states.includes(state)) return state;
  const last = states.at(-1);
  return last === "skipped" && states.includes("done") ? "done" : (last ?? "pending");
}

/** The state of a visit. */
export function stateOfVisit({ status }: Pick<RunVisit, "status">): WorkState {
  switch (status) {
    case "running":
      return "running";
    case "asking":
      return "asks";
    case "sleeping":
    case "retrying":
      return "waiting";
    case "done":
      return "done";
    case "failed":
      return "failed";
    case "skipped":
    case "stopped":
      return "skipped";
  }
}

function targetOf(visits: readonly RunVisit[]): RunVisit | undefined {
  return visits.findLast(({ status }) => status === "running") ?? visits.findLast(isOpenVisit) ?? visits.at(-1);
}

function timesOf(visits: readonly RunVisit[]): Pick<GraphRow, "startedAt" | "endedAt" | "until"> {
  if (visits.length === 0) return { startedAt: undefined, endedAt: undefined, until: undefined };
  const open = visits.filter(isOpenVisit);
  const until = open.length > 0 && open.every((visit) => visit.until !== undefined) ? open[0]?.until : undefined;
  return {
    startedAt: Math.min(...visits.map(({ startedAt }) => startedAt)),
    endedAt: open.length > 0 ? undefined : Math.max(...visits.map(({ startedAt, endedAt = startedAt }) => endedAt)),
    until,
  };
}
