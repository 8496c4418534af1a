import { isFatal, type RunModel, type RunVisit } from "./run-model.ts";
import { hasBegun, type StepNode, visitsBelow } from "./step-tree.ts";
import type { WorkState } from "./work-state.ts";
import { latestWork, type WorkedTime, workTogether } from "./work-times.ts";

/** A row of the graph: a step, or an item of a map. */
export interface GraphRow extends WorkedTime {
  readonly key: string;
  readonly depth: number;
  readonly state: WorkState;
  readonly name: string;
  /** What is added to the name: `3 of 12`, `round 2`, what an item's step is. */
  readonly note: string;
  /** When it continues by itself. */
  readonly until: number | undefined;
  /** The visits that it stands for. */
  readonly taskIds: ReadonlySet<string>;
  /** The visit that commands are for: one in progress, or else the latest. */
  readonly target: RunVisit | undefined;
  readonly isFoldable: boolean;
  readonly isOpen: boolean;
  /** Whether it is a branch of a list. @default false */
  readonly isBranch?: boolean;
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

/** The rows of a run's graph. What is finished or has not begun is folded, and finished items of lists have no row. */
export function graphRows(
  tree: readonly StepNode[],
  model: Pick<RunModel, "isLive" | "status" | "error">,
  { folds = new Map(), focus }: GraphRowOptions = {},
): readonly GraphRow[] {
  const isOver = !model.isLive && model.status === "completed";
  const shown = isOver ? tree.filter(hasBegun) : tree;
  const { isLive, error } = model;
  const rows = shown.flatMap((node) => rowsOf(node, { depth: 0, folds, focus, isOver, isLive, error }));
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
  readonly focus: string | undefined;
  /** Whether the run is completed. */
  readonly isOver: boolean;
  /** Whether a process executes the run. */
  readonly isLive: boolean;
  /** Why the run failed. */
  readonly error: RunModel["error"];
}

function rowsOf(node: StepNode, place: Place): readonly GraphRow[] {
  const { key, name, nodeType, visits } = node;
  const all = visitsBelow(node);
  const items = LISTS.has(nodeType) ? itemsOf(node) : undefined;
  const state = stateOf(node, place);
  const isLive = all.some(isOpenVisit);
  const children = place.isOver ? node.children.filter(hasBegun) : node.children;
  const isFoldable = children.length > 0;
  const isOpen = isFoldable && (place.folds.get(key) ?? (isLive || state === "failed"));
  const row: GraphRow = {
    ...{ key, name, state, isFoldable, isOpen, depth: place.depth },
    note: items === undefined ? noteOf(node) : noteOfItems(items),
    ...(isFoldable ? workTogether(all) : latestWork(visits.at(-1) ?? { worked: [] })),
    until: untilOf(isFoldable ? all : visits.slice(-1)),
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

function rowsOfItems(items: readonly Item[], place: Place): readonly GraphRow[] {
  const { depth, folds, focus } = place;
  return items.flatMap((item) => {
    const { key, name, visits } = item;
    const isFocused = key === focus;
    if (isDone(item) && !isFocused) return [];
    // The row of a single step says all of it.
    const isFoldable = visits.length > 1;
    const isOpen = isFoldable && (folds.get(key) ?? isFocused);
    const state = stateOfItem(item, place);
    const row = { ...rowOfVisits(visits, { key, name, depth }), state, isFoldable, isOpen, isBranch: true };
    if (!isOpen) return [row];
    return [
      row,
      ...visits.map((visit) => rowOfVisits([visit], { key: visit.taskId, name: visit.name, depth: depth + 1 })),
    ];
  });
}

function rowOfVisits(visits: readonly RunVisit[], about: Pick<GraphRow, "key" | "name" | "depth">): GraphRow {
  const target = targetOf(visits);
  const facts = target === undefined || target.name === about.name ? [] : [target.name];
  return {
    ...{ ...about, target, state: stateOfVisits(visits), isFoldable: false, isOpen: false },
    note: [...facts, ...(target === undefined ? [] : attemptOf(target))].join(" "),
    ...workTogether(visits),
    until: untilOf(visits),
    taskIds: new Set(visits.map(({ taskId }) => taskId)),
  };
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
  const doneCount = items.filter(isDone).length;
  return `${doneCount} of ${countItems(items)}`;
}

function isDone(item: Item): boolean {
  return isFinished(stateOfVisits(item.visits)) && !isStopped(item);
}

/** Whether an item was stopped before its end: with the run, or because another item failed or was faster. */
function isStopped({ key, visits }: Item): boolean {
  const last = visits.at(-1);
  // One of several branches inside the item was dropped for another one there.
  const isInside = last?.taskId.slice(key.length).includes("[") === true;
  return visits.some(isCutVisit) || (last?.isDropped === true && !isInside);
}

/** An item that was stopped with the run restarts in the next process. */
function stateOfItem(item: Item, { isLive, error }: Place): WorkState {
  const { visits } = item;
  if (visits.some((visit) => isFatal(visit, error))) return "failed";
  const state = stateOfVisits(visits);
  if (!isFinished(state) || !isStopped(item)) return state;
  return isLive && visits.some(isCutVisit) ? "pending" : "skipped";
}

function isFinished(state: WorkState): boolean {
  return state === "done" || state === "skipped";
}

function noteOf(node: StepNode): string {
  const { nodeType, visits, children, strategy } = node;
  if (strategy === "settled") {
    const branches = itemsOf(node);
    // Where branches failed, the sign of the group does not say so.
    return branches.some((branch) => stateOfVisits(branch.visits) === "failed") ? noteOfItems(branches) : "";
  }
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

function isOpenVisit({ status }: RunVisit): boolean {
  return status === "running" || status === "asking" || status === "sleeping" || status === "retrying";
}

function stateOf(node: StepNode, { isOver, isLive, error }: Place): WorkState {
  if (error !== undefined && visitsBelow(node).some((visit) => isFatal(visit, error))) return "failed";
  // A step that repeats is what its latest visit is.
  const state = stateOfAll(node.children.length === 0 ? node.visits.slice(-1).map(stateOfVisit) : statesIn(node));
  // Between two items of a list nothing is in progress, and not all is done.
  if (isOver || !isFinished(state)) return state;
  if (hasMissingItems(node)) return isLive ? "running" : "pending";
  // Its process ended in the middle of it.
  return !isLive && isCut(node) ? "skipped" : state;
}

/** Whether a visit of a step, or of one inside it, was stopped although its result was needed. */
function isCut({ visits, children }: StepNode): boolean {
  return visits.some(isCutVisit) || children.some(isCut);
}

function isCutVisit({ status, isDropped = false }: RunVisit): boolean {
  return status === "stopped" && !isDropped;
}

/** Whether items of a list have not begun, in a step or inside it. */
function hasMissingItems(node: StepNode): boolean {
  if (node.children.some(hasMissingItems)) return true;
  if (!LISTS.has(node.nodeType)) return false;
  const items = itemsOf(node);
  return items.length < countItems(items);
}

/** The states of a step's visits and of those inside it. A failure that its group accepts counts as done. */
function statesIn({ visits, children, strategy }: StepNode): readonly WorkState[] {
  const inner = children.flatMap(statesIn);
  const isAccepted = strategy === "settled" || (strategy === "any" && inner.includes("done"));
  return [...visits.map(stateOfVisit), ...(isAccepted ? inner.map((one) => (one === "failed" ? "done" : one)) : inner)];
}

/** What several visits are together. */
function stateOfVisits(visits: readonly RunVisit[]): WorkState {
  return stateOfAll(visits.map(stateOfVisit));
}

/** What several states are together: in progress before waiting, and otherwise what the last one is that was not stopped. */
function stateOfAll(states: readonly WorkState[]): WorkState {
  for (const state of ["running", "asks", "waiting"] as const) if (states.includes(state)) return state;
  return states.findLast((state) => state !== "skipped") ?? states.at(-1) ?? "pending";
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

/** When steps continue by themselves, if all that are in progress do. */
function untilOf(visits: readonly RunVisit[]): number | undefined {
  const open = visits.filter(isOpenVisit);
  return open.every(({ until }) => until !== undefined) ? open[0]?.until : undefined;
}
