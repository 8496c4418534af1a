import { type AgentRow, agentRows } from "./agent-rows.ts";
import { type GraphRow, graphRows } from "./graph-rows.ts";
import { layoutRun, type PaneSize, type RunLayout } from "./run-layout.ts";
import type { RunScene, RunScreen } from "./run-screen.ts";
import type { WatchedRun } from "./run-watcher.ts";
import { createStepTree } from "./step-tree.ts";

/** What is on the screen of a run, and where. */
export interface DrawnRun extends RunScene {
  readonly rows: readonly GraphRow[];
  readonly agents: readonly AgentRow[];
  readonly layout: RunLayout;
}

/** The rows of a run on a screen of this size. */
export function createRunScene({ details, model }: WatchedRun, screen: RunScreen, size: PaneSize): DrawnRun {
  const tree = createStepTree(details?.steps ?? [], model.visits.values());
  const { folds, branch } = screen;
  const rows = graphRows(tree, model, { folds, ...(branch === undefined ? {} : { focus: branch }) });
  const taskIds = branch === undefined ? undefined : rows.find(({ key }) => key === branch)?.taskIds;
  const layout = layoutRun(size);
  const threadRows = screen.full === undefined ? layout.thread.rows : size.rows - 4;
  return {
    ...{ rows, layout, visits: model.visits, pageRows: threadRows },
    agents: agentRows(model, tree, { taskIds, fallback: details }),
    hasOutput: details?.output !== undefined,
  };
}
