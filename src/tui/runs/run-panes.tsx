import type { ReactNode } from "react";
import { columnsOf, safeText } from "../../view/index.ts";
import { wrapText } from "../dialogs/wrap-text.ts";
import type { RunTask } from "../host/runs-port.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";
import type { GraphRow } from "./graph-rows.ts";
import { cutLine, fitLine, type Line, span, textOf } from "./line.ts";
import { LinesView, LineView } from "./lines-view.tsx";
import { agentPane, graphPane, type PaneLines } from "./pane-lines.ts";
import type { PaneSize } from "./run-layout.ts";
import { agentSummary, graphSummary, headerLine, keysLine, tasksLine } from "./run-lines.ts";
import { elapsedMsOf, type RunVisit } from "./run-model.ts";
import type { DrawnRun } from "./run-scene.ts";
import {
  describeConfirmation,
  foldsOnEnter,
  isHandledFailure,
  type PaneName,
  type RunScene,
  type RunScreen,
  selectedAgent,
  selectedRow,
} from "./run-screen.ts";
import { stateOfWatched, type WatchedRun, waitsForAnswers } from "./run-watcher.ts";
import { stepDetail } from "./step-detail.ts";
import { TaskPanel } from "./task-panel.tsx";
import { TextPane } from "./text-pane.tsx";
import { ThreadPane } from "./thread-pane.tsx";

/** Properties of {@link RunPanes}. */
export interface RunPanesProps {
  readonly watched: WatchedRun;
  readonly screen: RunScreen;
  readonly scene: DrawnRun;
  /** The outcome of the last key, in a line. */
  readonly said: string;
  readonly areTasksShown: boolean;
}

/** The panes of a run in the arrangement that fits the screen. */
export function RunPanes(props: RunPanesProps) {
  const { watched, screen, scene } = props;
  const { padding, arrangement } = scene.layout;
  return (
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} paddingX={padding}>
      <Header {...props} />
      {screen.full !== undefined ? (
        <FullPane {...props} full={screen.full} />
      ) : isUnreadable(watched) ? (
        <Problem {...props} />
      ) : watched.details === undefined && watched.model.visits.size === 0 ? (
        <box flexGrow={1} />
      ) : arrangement === "side" ? (
        <SidePanes {...props} />
      ) : arrangement === "stack" ? (
        <StackedPanes {...props} />
      ) : (
        <SinglePane {...props} />
      )}
      <Footer {...props} />
    </box>
  );
}

function Header({ watched, scene: { layout } }: RunPanesProps) {
  const { runId, details, model } = watched;
  const { glyphs, now } = useUi();
  if (isUnreadable(watched)) {
    return (
      <LineView line={fitLine([span("The run cannot be read.", "warning")], [span(runId, "muted")], layout.columns)} />
    );
  }
  if (details === undefined && model.startedAt === undefined) {
    return <LineView line={[span(`Reading the run ${glyphs.ellipsis}`, "muted")]} />;
  }
  const tasks = tasksOf(details?.tasks ?? [], model.tasks);
  const done = tasks.filter(({ status }) => status === "passing" || status === "skipped").length;
  const line = headerLine(
    {
      ...{ workflow: details?.workflow ?? model.workflow, id: runId, prompt: details?.prompt ?? "" },
      state: stateOfWatched(watched),
      progress: tasks.length === 0 ? undefined : { done, total: tasks.length },
      elapsedMs: elapsedMsOf(model, now()),
      usage: model.isLive ? model.usage : (details?.usage ?? model.usage),
    },
    { columns: layout.columns, glyphs },
  );
  return <LineView line={line} />;
}

/** Whether nothing but old events could be read of the run. Those of a run in progress say what it does. */
function isUnreadable({ details, problem, model, isOver = false }: WatchedRun): boolean {
  return details === undefined && problem !== undefined && (isOver || !model.isLive);
}

/** Why the run cannot be read, and what to try. */
function Problem({ watched: { problem = "" }, scene: { layout } }: RunPanesProps) {
  const lines = wrapText(safeText(problem), layout.columns - 2).map((line) => [span(`  ${line}`, "warning")]);
  return (
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden">
      <LineView line={[]} />
      <LinesView lines={lines} rows={lines.length} />
    </box>
  );
}

/** The list's tasks with the statuses of the events, which are newer. */
function tasksOf(listed: readonly RunTask[], reported: readonly RunTask[]): readonly RunTask[] {
  if (reported.length === 0) return listed;
  const known = new Map(listed.map((task) => [task.id, task]));
  return reported.map((task) => ({ ...known.get(task.id), ...task }));
}

function SidePanes(props: RunPanesProps) {
  const { graph, agents, columns } = props.scene.layout;
  return (
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden">
      <LineView line={[]} />
      <box flexDirection="row" flexShrink={0} height={graph.rows + 1}>
        <box flexDirection="column" width={graph.columns} flexShrink={0}>
          <GraphPane {...props} size={graph} />
        </box>
        <box
          flexDirection="column"
          width={agents.columns}
          flexShrink={0}
          marginLeft={columns - graph.columns - agents.columns}
        >
          <AgentsPane {...props} size={agents} />
        </box>
      </box>
      <Rule columns={columns} />
      <LowerPane {...props} size={props.scene.layout.thread} />
    </box>
  );
}

function StackedPanes(props: RunPanesProps) {
  const { graph, agents, thread, columns } = props.scene.layout;
  return (
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden">
      <LineView line={[]} />
      <GraphPane {...props} size={graph} />
      <AgentsPane {...props} size={agents} />
      <Rule columns={columns} />
      <LowerPane {...props} size={thread} />
    </box>
  );
}

function SinglePane(props: RunPanesProps) {
  const { screen, scene } = props;
  const { glyphs, now } = useUi();
  const { graph, agents, thread, columns } = scene.layout;
  const style = { columns, glyphs, now: now() };
  return (
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden">
      {screen.pane === "graph" ? undefined : <LineView line={fitLine(graphSummary(scene.rows, style), [], columns)} />}
      {screen.pane === "agents" ? undefined : (
        <LineView line={fitLine(agentSummary(scene.agents, style), [], columns)} />
      )}
      <LineView line={[]} />
      {screen.pane === "graph" ? <GraphPane {...props} size={graph} /> : undefined}
      {screen.pane === "agents" ? <AgentsPane {...props} size={agents} /> : undefined}
      {screen.pane === "thread" ? <LowerPane {...props} size={{ ...thread, rows: thread.rows - 1 }} /> : undefined}
    </box>
  );
}

function Rule({ columns }: { readonly columns: number }) {
  const { glyphs } = useUi();
  const { colors } = useTheme();
  return (
    <text height={1} flexShrink={0} wrapMode="none" fg={colors.border}>
      {glyphs.horizontal.repeat(columns)}
    </text>
  );
}

function PaneTitle({
  name,
  title,
  screen,
  right = [],
  columns,
}: {
  readonly name: PaneName;
  readonly title: string;
  readonly screen: RunScreen;
  readonly right?: Line;
  readonly columns: number;
}) {
  const isFocused = screen.pane === name;
  const { glyphs } = useUi();
  const pointer = span(isFocused ? `${glyphs.open} ` : "  ", "accent");
  return (
    <LineView
      line={fitLine([pointer, span(title, isFocused ? "accent" : "muted", { isBold: isFocused })], right, columns)}
    />
  );
}

function Pane({
  title,
  lines: { lines, selected },
  size,
}: {
  readonly title: ReactNode;
  readonly lines: PaneLines;
  readonly size: PaneSize;
}) {
  return (
    <box flexDirection="column" flexShrink={0} height={size.rows + 1}>
      {title}
      <LinesView lines={lines} rows={size.rows} selected={selected} />
    </box>
  );
}

type SizedProps = RunPanesProps & { readonly size: PaneSize };

function GraphPane({ screen, scene, size }: SizedProps) {
  const { glyphs, now } = useUi();
  const isFocused = screen.pane === "graph";
  const agent = selectedAgent(screen, scene);
  const litTaskIds: ReadonlySet<string> = new Set(isFocused || agent === undefined ? [] : [agent.taskId]);
  const selectedKey = isFocused ? selectedRow(screen, scene)?.key : undefined;
  const lines = graphPane(scene.rows, { size, selectedKey, litTaskIds, glyphs, now: now() });
  const title = screen.branch === undefined ? "Graph" : "Graph, one branch";
  return (
    <Pane
      title={<PaneTitle name="graph" title={title} screen={screen} right={lines.hidden} columns={size.columns} />}
      lines={lines}
      size={size}
    />
  );
}

function AgentsPane({ watched: { details, model }, screen, scene, size }: SizedProps) {
  const { glyphs, now } = useUi();
  const isFocused = screen.pane === "agents";
  const row = screen.pane === "graph" ? selectedRow(screen, scene) : undefined;
  const selectedKey = isFocused ? selectedAgent(screen, scene)?.key : undefined;
  const litTaskIds = row?.taskIds ?? new Set<string>();
  const lines = agentPane(scene.agents, { size, selectedKey, litTaskIds, glyphs, now: now() });
  const tasks = tasksOf(details?.tasks ?? [], model.tasks);
  const counts = tasks.length === 0 ? [] : tasksLine(tasks, { glyphs });
  const right = fitRight(lines.hidden, counts, size.columns - AGENTS_TITLE_COLUMNS);
  const title = <PaneTitle name="agents" title="Agents" screen={screen} right={right} columns={size.columns} />;
  return <Pane title={title} lines={lines} size={size} />;
}

/** Columns of the title of the agents, with its pointer and the space after it. */
const AGENTS_TITLE_COLUMNS = 10;

/** How many rows are hidden, and the counts of tasks. Where there is no room for both, the word before the counts is left out. */
function fitRight(hidden: Line, counts: Line, columns: number): Line {
  if (hidden.length === 0 || counts.length === 0) return [...hidden, ...counts];
  const both = [...hidden, span("  "), ...counts];
  return columnsOf(textOf(both)) <= columns ? both : [...hidden, ...counts.slice(1)];
}

/** The tasks, or the thread of the agent that is selected. */
function LowerPane({ watched, screen, scene, size, areTasksShown }: SizedProps) {
  if (areTasksShown) {
    const { details, model } = watched;
    return <TaskPanel tasks={tasksOf(details?.tasks ?? [], model.tasks)} file={details?.tasksFile} size={size} />;
  }
  const agent = selectedAgent(screen, scene);
  const row = selectedRow(screen, scene);
  const visit = watched.model.visits.get(agent?.taskId ?? row?.target?.taskId ?? "");
  const names =
    agent === undefined ? titleOf(row, visit) : [agent.name, agent.title].filter((text) => text !== "").join(" · ");
  const error = visit?.error;
  const right = error === undefined ? [] : cutLine([span(error, "error")], Math.floor(size.columns * 0.6));
  return (
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden">
      <PaneTitle
        name="thread"
        title={names}
        screen={screen}
        right={right.length > 0 && size.columns > 60 ? right : []}
        columns={size.columns}
      />
      <ThreadPane
        detail={stepDetail(visit, watched.model.questions, { isFolded: foldsOnEnter(screen, row, agent) })}
        thread={watched.model.agents.get(agent?.agentId ?? "")?.thread}
        size={size}
        scroll={screen.scroll}
        isFull={false}
      />
    </box>
  );
}

/** What a step without an agent is, with the block or the branch of a list that is selected. */
function titleOf(row: GraphRow | undefined, visit: RunVisit | undefined): string {
  const isInside = visit?.item !== undefined || row?.isFoldable === true;
  const names = [row?.name, isInside || row === undefined ? visit?.name : undefined].filter(
    (name) => name !== undefined,
  );
  return names.length === 0 ? "Thread" : [...new Set(names)].join(" · ");
}

function FullPane({ watched, screen, scene, full }: RunPanesProps & { readonly full: "thread" | "output" }) {
  const { columns } = scene.layout;
  const size = { columns, rows: scene.pageRows };
  if (full === "output") {
    return (
      <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden">
        <LineView line={[]} />
        <TextPane title="Output" text={watched.details?.output ?? ""} size={size} scroll={screen.scroll} />
      </box>
    );
  }
  const agent = selectedAgent(screen, scene);
  const row = selectedRow(screen, scene);
  const visit = watched.model.visits.get(row?.target?.taskId ?? "");
  const title =
    agent === undefined
      ? titleOf(row, visit)
      : [agent.name, ...agent.about, agent.title].filter((text) => text !== "").join(" · ");
  return (
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden">
      <LineView line={[]} />
      <LineView line={fitLine([span(title, "accent", { isBold: true })], [], columns)} />
      <ThreadPane
        detail={stepDetail(visit, watched.model.questions)}
        thread={watched.model.agents.get(agent?.agentId ?? "")?.thread}
        size={size}
        scroll={screen.scroll}
        isFull
      />
    </box>
  );
}

function Footer({ watched, screen, scene, said }: RunPanesProps) {
  const { glyphs } = useUi();
  const { columns } = scene.layout;
  if (screen.confirmation !== undefined) {
    return <LineView line={fitLine([span(describeConfirmation(screen.confirmation), "warning")], [], columns)} />;
  }
  const isGone = isUnreadable(watched);
  const problem = said === "" && !isGone ? (watched.problem ?? "") : said;
  if (problem !== "") return <LineView line={fitLine([span(problem, "warning")], [], columns)} />;
  if (isGone) return <LineView line={keysLine(["esc leave"], { columns, glyphs })} />;
  const { details, model } = watched;
  const count = Math.max(model.questions.size, details?.requests.length ?? 0);
  const question = count === 0 ? [] : [`${glyphs.waiting} ${count} question${count === 1 ? "" : "s"}: i inbox`];
  return <LineView line={keysLine([...question, ...keysOf(watched, screen, scene)], { columns, glyphs })} />;
}

function keysOf(watched: WatchedRun, screen: RunScreen, scene: RunScene): readonly string[] {
  if (screen.full !== undefined) return ["up/down scroll", "end follow", "esc back"];
  const state = stateOfWatched(watched);
  const pause = state === "running" ? ["p pause"] : waitsForAnswers(watched) ? [] : ["p resume"];
  const output = watched.details?.output === undefined ? [] : ["o output"];
  const repair = isHandledFailure(screen, scene) ? [] : ["r retry", "s skip"];
  const steer = state === "completed" ? [] : [...(scene.canCancel ? ["c cancel"] : []), ...repair, ...pause];
  return ["enter open", "tab pane", ...output, ...steer, "f branch", "t tasks", "esc leave"];
}
