import { Graph, layout } from "@dagrejs/dagre";
import { columnsOf, formatDuration, safeLine } from "../../view/index.ts";
import type { ReportedEdge, ReportedGraph, ReportedNode } from "../model/run-report-page.ts";
import { type Html, html } from "./markup.ts";
import { classOf } from "./status-badge.ts";

/** The longest name in a box, in columns. */
const NAME_COLUMNS = 30;
/** The width of a character of a name and of a label, in pixels. */
const NAME_WIDTH = 8.2;
const LABEL_WIDTH = 6.2;
const BOX_HEIGHT = 44;
const MARGIN = 12;
/** Larger graphs are not drawn: nobody could read them. */
const MAX_NODES = 400;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Line {
  readonly edge: ReportedEdge;
  readonly label: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly x?: number;
  readonly y?: number;
}

/**
 * A graph as an inline SVG, laid out from top to bottom; each node links to its visit.
 *
 * @param anchorOf the id of the element about a visit
 */
export function drawGraph(graph: ReportedGraph, anchorOf: (taskId: string) => string | undefined): Html {
  const { nodes, edges } = graph;
  if (nodes.length > MAX_NODES)
    return html`<p class="muted">The graph has ${nodes.length} nodes, too many to draw.</p>`;
  const { boxes, lines, width, height } = arrange(nodes, edges);
  const isVisited = new Map(nodes.map(({ id, visits }) => [id, visits > 0]));
  const drawnLines = lines.map((line) =>
    drawLine(line, isVisited.get(line.edge.from) === true && isVisited.get(line.edge.to) === true),
  );
  const drawnNodes = nodes.map((node) => {
    const box = boxes.get(node.id);
    return box && drawNode(node, box, node.taskId === undefined ? undefined : anchorOf(node.taskId));
  });
  return html`<div class="scroll graph" tabindex="0" role="region" aria-label="Graph of the workflow"><svg viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${Math.ceil(width)}" height="${Math.ceil(height)}" role="img" aria-label="${nodes.length} nodes"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" class="head"/></marker></defs>${drawnLines}${drawnNodes}</svg></div>`;
}

function arrange(
  nodes: readonly ReportedNode[],
  edges: readonly ReportedEdge[],
): {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
} {
  const picture = new Graph({ multigraph: true });
  picture.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 34, edgesep: 14, marginx: MARGIN, marginy: MARGIN });
  const known = new Set(nodes.map(({ id }) => id));
  for (const node of nodes) {
    const columns = Math.max(textWidth(nameOf(node), NAME_WIDTH), textWidth(aboutOf(node), LABEL_WIDTH));
    picture.setNode(node.id, { width: Math.max(96, columns + 32), height: BOX_HEIGHT });
  }
  const drawn = edges.filter(({ from, to }) => known.has(from) && known.has(to));
  for (const [index, { from, to, label = "" }] of drawn.entries()) {
    const text = safeLine(label, NAME_COLUMNS);
    const size = text === "" ? {} : { width: textWidth(text, LABEL_WIDTH) + 8, height: 14, labelpos: "c" as const };
    picture.setEdge(from, to, size, String(index));
  }
  layout(picture);
  const boxes = new Map(nodes.map(({ id }) => [id, boxOf(picture.node(id))]));
  const lines = drawn.map((edge, index): Line => {
    const { points = [], x, y } = picture.edge(edge.from, edge.to, String(index));
    const place = x === undefined || y === undefined ? {} : { x, y };
    return { edge, label: safeLine(edge.label ?? "", NAME_COLUMNS), points, ...place };
  });
  const { width = 0, height = 0 } = picture.graph();
  return { boxes, lines, width, height };
}

function boxOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box>): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function textWidth(text: string, characterWidth: number): number {
  return columnsOf(text) * characterWidth;
}

function nameOf({ name }: ReportedNode): string {
  return safeLine(name, NAME_COLUMNS);
}

function aboutOf({ status, visits, durationMs }: ReportedNode): string {
  const times = visits > 1 ? ` ×${visits}` : "";
  return visits === 0 ? "not visited" : `${status}${times} · ${formatDuration(durationMs)}`;
}

function drawNode(node: ReportedNode, box: Box, anchor: string | undefined): Html {
  const { x, y, width, height } = box;
  const middle = round(x + width / 2);
  const drawn = html`<title>${node.name}: ${aboutOf(node)}</title><rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="7"/><rect class="mark" x="${round(x)}" y="${round(y)}" width="5" height="${height}" rx="2.5"/><text class="name" x="${middle}" y="${round(y + 19)}">${nameOf(node)}</text><text class="about" x="${middle}" y="${round(y + 34)}">${aboutOf(node)}</text>`;
  const className = `node ${classOf(node.status)}`;
  if (anchor === undefined) return html`<g class="${className}">${drawn}</g>`;
  return html`<a class="${className}" href="#${anchor}">${drawn}</a>`;
}

function drawLine({ points, label, x, y }: Line, isTaken: boolean): Html {
  if (points.length === 0) return html``;
  const isLabelled = label !== "" && x !== undefined && y !== undefined;
  const text = isLabelled ? html`<text class="label" x="${round(x)}" y="${round(y + 4)}">${label}</text>` : undefined;
  return html`<path class="edge${isTaken ? "" : " idle"}" d="${pathOf(points)}" marker-end="url(#arrow)"/>${text}`;
}

/** A line with round corners: the curves begin and end in the middle between the points. */
function pathOf(points: Line["points"]): string {
  const [first, ...others] = points;
  const last = others.pop();
  if (first === undefined || last === undefined) return "";
  const at = (x: number, y: number): string => `${round(x)} ${round(y)}`;
  const curves = others.map((point, index) => {
    const next = others[index + 1] ?? last;
    return `Q${at(point.x, point.y)} ${at((point.x + next.x) / 2, (point.y + next.y) / 2)}`;
  });
  return `M${at(first.x, first.y)}${curves.join("")}L${at(last.x, last.y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
