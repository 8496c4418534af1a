import type { Glyphs } from "../theme/glyphs.ts";
import { type AgentRow, agentRows } from "./agent-rows.ts";
import { failsRun } from "./fails-run.ts";
import { type GraphRow, graphRows } from "./graph-rows.ts";
import { layoutRun, type PaneSize, type RunLayout } from "./run-layout.ts";
import { type RunScene, type RunScreen, selectedAgent, selectedRow } from "./run-screen.ts";
import { stateOfWatched, type WatchedRun } from "./run-watcher.ts";
import { stepDetail } from "./step-detail.ts";
import { createStepTree } from "./step-tree.ts";
import { textRows } from "./text-rows.ts";
import { threadLines } from "./thread-lines.ts";

/** What is on the screen of a run, and where. */
export interface DrawnRun extends RunScene {
  readonly rows: readonly GraphRow[];
  readonly agents: readonly AgentRow[];
  readonly layout: RunLayout;
}

/** The rows of a run on a screen of this size. */
export function createRunScene(watched: WatchedRun, screen: RunScreen, size: PaneSize): DrawnRun {
  const { details, model } = watched;
  const tree = createStepTree(details?.steps ?? [], model.visits.values());
  const { folds, branch } = screen;
  const rows = graphRows(tree, model, { folds, ...(branch === undefined ? {} : { focus: branch }) });
  const taskIds = branch === undefined ? undefined : rows.find(({ key }) => key === branch)?.taskIds;
  const layout = layoutRun(size);
  const threadRows = screen.full === undefined ? layout.thread.rows : size.rows - 4;
  return {
    ...{ rows, layout, visits: model.visits, pageRows: threadRows },
    agents: agentRows(model, tree, { taskIds, fallback: details }),
    failsRun: (nodeId) => failsRun(details?.steps ?? [], nodeId),
    hasOutput: details?.output !== undefined,
    hasFailed: stateOfWatched(watched) === "failed",
    canCancel: !["completed", "failed", "cancelled"].includes(stateOfWatched(watched)),
  };
}

/** How far the thread or the output is scrolled up at most: no further than to its start. */
export function possibleScroll(
  { details, model }: WatchedRun,
  screen: RunScreen,
  { scene, glyphs }: { readonly scene: DrawnRun; readonly glyphs: Glyphs },
): number {
  const { scroll, full } = screen;
  const { layout, pageRows: rows } = scene;
  if (scroll === 0) return 0;
  if (full === "output")
    return Math.min(scroll, Math.max(0, textRows(details?.output ?? "", layout.columns).length - rows));
  const thread = model.agents.get(selectedAgent(screen, scene)?.agentId ?? "")?.thread;
  if (thread === undefined) {
    const visit = model.visits.get(selectedRow(screen, scene)?.target?.taskId ?? "");
    const count = textRows(stepDetail(visit, model.questions), layout.columns - 2).length;
    return Math.min(scroll, Math.max(0, count - rows));
  }
  const size = { columns: layout.columns - 2, rows, scroll, glyphs, now: 0 };
  return threadLines(thread, { ...size, isFull: full === "thread" }).scroll;
}
