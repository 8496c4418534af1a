import type { GraphStep } from "../host/runs-port.ts";
import type { RunVisit } from "./run-model.ts";

/** A step of a run's graph with its visits, and the steps inside it. */
export interface StepNode {
  /** Unique in the tree, and stable while the run continues. */
  readonly key: string;
  readonly nodeId: string;
  readonly name: string;
  readonly nodeType: string;
  readonly model?: string;
  /** How its branches join. Absent of what has none, and where the graph is unknown. */
  readonly strategy?: GraphStep["strategy"];
  /** Its own visits, oldest first. */
  readonly visits: readonly RunVisit[];
  readonly children: readonly StepNode[];
}

/** Blocks that only say when their steps run: the steps take their place. */
const WRAPPERS: ReadonlySet<string> = new Set(["if", "else", "branch", "catch"]);

/** An id that the builder of the graph made up. */
const MADE_UP_ID = /^(?:loop|map|parallel|catch)_\d+$/;

const MADE_UP_NAMES: Readonly<Record<string, string>> = { loop: "Repeat", map: "For each", parallel: "Side by side" };

interface Draft {
  readonly key: string;
  readonly nodeId: string;
  readonly name: string;
  readonly nodeType: string;
  readonly model?: string;
  readonly strategy?: GraphStep["strategy"];
  readonly parent: Draft | undefined;
  readonly visits: RunVisit[];
  readonly children: Draft[];
}

/**
 * The steps of a graph with the visits of a run. Visits of steps that are not in the graph, such as the calls of a script,
 * are added where they belong; without a graph, all of them.
 */
export function createStepTree(steps: readonly GraphStep[], visits: Iterable<RunVisit>): readonly StepNode[] {
  const root: Draft = draftOf({ nodeId: "", name: "", nodeType: "graph", depth: 0 }, undefined);
  const open: Draft[] = [root];
  for (const step of steps) {
    open.length = Math.min(open.length, step.depth + 1);
    const parent = open.at(-1) ?? root;
    const draft = draftOf(step, parent);
    parent.children.push(draft);
    open.push(draft);
  }
  const places = new Map<string, Draft>();
  for (const visit of visits) placeOf(root, visit, places).visits.push(visit);
  return unwrap(root.children);
}

function draftOf({ nodeId, name, nodeType, model, strategy }: GraphStep, parent: Draft | undefined): Draft {
  const index = parent?.children.length ?? 0;
  const about = {
    ...{ nodeId, name, nodeType, parent },
    ...(model === undefined ? {} : { model }),
    ...(strategy === undefined ? {} : { strategy }),
  };
  // The same id can be in several inner graphs, and `else` has none.
  const key = parent === undefined ? "" : `${parent.key}/${nodeId === "" ? index : nodeId}`;
  return { key, ...about, visits: [], children: [] };
}

/** A part of a visit's id: the step's id without the count of its visits, and whether it is a branch. */
interface Segment {
  readonly id: string;
  readonly branch: string | undefined;
}

function segmentsOf(taskId: string): readonly Segment[] {
  return taskId.split("/").map((segment) => {
    const [, id = segment, branch] = /^([^[\]]*?)(?:#\d+)?(?:\[(.*)\])?(?:#\d+)?$/.exec(segment) ?? [];
    return { id, branch };
  });
}

function placeOf(root: Draft, { taskId, nodeId, nodeType, name }: RunVisit, places: Map<string, Draft>): Draft {
  const above = segmentsOf(taskId).slice(0, -1);
  const place = [...above.map(({ id }) => id), nodeId].join("/");
  const known = places.get(place);
  if (known !== undefined) return known;
  let parent = root;
  for (const { id, branch } of above) {
    const type = branch === undefined ? "subgraph" : /^\d+$/.test(branch) ? "map" : "parallel";
    parent = find(parent, id) ?? addTo(parent, { nodeId: id, name: id, nodeType: type, depth: 0 });
  }
  const draft = find(parent, nodeId) ?? addTo(parent, { nodeId, name, nodeType, depth: 0 });
  places.set(place, draft);
  return draft;
}

function addTo(parent: Draft, step: GraphStep): Draft {
  const draft = draftOf(step, parent);
  parent.children.push(draft);
  return draft;
}

/** The first step with an id below another one, the nearest level first. */
function find(parent: Draft, id: string): Draft | undefined {
  let level: readonly Draft[] = parent.children;
  while (level.length > 0) {
    const found = level.find(({ nodeId, nodeType }) => nodeId === id && !WRAPPERS.has(nodeType));
    if (found !== undefined) return found;
    level = level.flatMap(({ children }) => children);
  }
  return undefined;
}

/** Steps in place of the blocks around them. Handlers of failures are left out until they run. */
function unwrap(drafts: readonly Draft[]): readonly StepNode[] {
  return drafts.flatMap((draft) => {
    const { key, nodeId, nodeType, model, strategy, visits } = draft;
    const children = unwrap(draft.children);
    if (nodeType === "catch" && !children.some(hasBegun)) return [];
    if (WRAPPERS.has(nodeType)) return children;
    const name = MADE_UP_ID.test(draft.name) ? (MADE_UP_NAMES[nodeType] ?? draft.name) : nameOf(draft);
    const about = { ...(model === undefined ? {} : { model }), ...(strategy === undefined ? {} : { strategy }) };
    return [{ key, nodeId, name, nodeType, ...about, visits, children }];
  });
}

/** The name of a step, or the title that its latest visit has where the graph only knows its id. */
function nameOf({ name, nodeId, visits }: Draft): string {
  if (name !== nodeId) return name;
  return visits.findLast((visit) => visit.name !== nodeId)?.name ?? name;
}

/** Whether a step, or one inside it, was visited. */
export function hasBegun({ visits, children }: StepNode): boolean {
  return visits.length > 0 || children.some(hasBegun);
}

/** All visits of a step and of those inside it. */
export function visitsBelow({ visits, children }: StepNode): readonly RunVisit[] {
  return children.length === 0 ? visits : [...visits, ...children.flatMap(visitsBelow)];
}
