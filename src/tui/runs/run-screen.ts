import type { KeyActionName, PressedKey } from "../keys/keymap.ts";
import type { AgentRow } from "./agent-rows.ts";
import type { Confirmation } from "./confirmation.ts";
import type { GraphRow } from "./graph-rows.ts";
import type { RunVisit } from "./run-model.ts";
import { describeVisit, stepLog } from "./step-detail.ts";

/** The panes of a run, in the order in which Tab visits them. */
export const PANES = ["graph", "agents", "thread"] as const;
export type PaneName = (typeof PANES)[number];

/** What a person chose on the screen of a run. */
export interface RunScreen {
  readonly pane: PaneName;
  /** The selected row of the graph, by its key. Undefined until somebody selects one: then it follows the work. */
  readonly rowKey: string | undefined;
  readonly agentKey: string | undefined;
  readonly folds: ReadonlyMap<string, boolean>;
  /** The only branch that is shown. */
  readonly branch: string | undefined;
  /** What fills the screen in place of the panes. */
  readonly full: "thread" | "output" | undefined;
  /** How many lines the thread is scrolled up from its end. */
  readonly scroll: number;
  readonly confirmation: Confirmation | undefined;
}

/** The screen of a run that was just opened. */
export const OPENED_RUN: RunScreen = {
  pane: "graph",
  rowKey: undefined,
  agentKey: undefined,
  folds: new Map(),
  branch: undefined,
  full: undefined,
  scroll: 0,
  confirmation: undefined,
};

/** What is on the screen when a key is pressed. */
export interface RunScene {
  readonly rows: readonly GraphRow[];
  readonly agents: readonly AgentRow[];
  readonly visits: ReadonlyMap<string, RunVisit>;
  /** Lines of a page of the thread. */
  readonly pageRows: number;
  readonly hasOutput: boolean;
  /** Whether there is something to cancel. */
  readonly canCancel: boolean;
  /** Whether a failure has ended the run: only that failure can be repaired. */
  readonly hasFailed: boolean;
  /** Whether the run fails when this node fails. */
  readonly failsRun: (nodeId: string) => boolean;
}

/** What the program has to do after a key. */
export type RunEffect =
  | { readonly type: "cancel-run" }
  | { readonly type: "cancel-node" | "skip-node" | "retry-node"; readonly visit: RunVisit }
  | { readonly type: "pause-or-resume" }
  /** `taskId`: the step whose question is selected. @default the first of the run. `isOpen`: whether its form is open. @default false */
  | { readonly type: "inbox"; readonly taskId?: string; readonly isOpen?: boolean }
  | { readonly type: "tasks" }
  | { readonly type: "leave" }
  | { readonly type: "say"; readonly text: string };

/** The outcome of a key. Undefined for a key that means nothing here. */
export interface RunKeyOutcome {
  readonly screen: RunScreen;
  readonly effect?: RunEffect;
}

/** The selected row of the graph: by default the first one that works. */
export function selectedRow({ rowKey }: RunScreen, { rows }: Pick<RunScene, "rows">): GraphRow | undefined {
  const working = ({ state, isOpen }: GraphRow): boolean => state === "running" && !isOpen;
  return (
    rows.find(({ key }) => key === rowKey) ??
    rows.find(working) ??
    rows.find(({ state }) => state !== "done") ??
    rows.at(-1)
  );
}

/** The agent whose thread is shown: the selected one, or in the graph one of the selected row. */
export function selectedAgent(screen: RunScreen, scene: Pick<RunScene, "rows" | "agents">): AgentRow | undefined {
  const { agents } = scene;
  const chosen = agents.find(({ key }) => key === screen.agentKey);
  if (screen.pane !== "graph") return chosen ?? agents[0];
  const row = selectedRow(screen, scene);
  if (row === undefined) return chosen ?? agents[0];
  const ofRow = agentsOf(row, agents);
  return ofRow.find(({ key }) => key === chosen?.key) ?? ofRow[0];
}

/** The agents of a row. Where a step failed, or one without an agent is in progress, those of other steps do not count. */
function agentsOf({ target, taskIds }: GraphRow, agents: readonly AgentRow[]): readonly AgentRow[] {
  const ofRow = agents.filter(({ taskId }) => taskIds.has(taskId));
  const isPassive = isOpen(target) && ofRow.every(({ endedAt }) => endedAt !== undefined);
  return target?.status === "failed" || isPassive ? ofRow.filter(({ taskId }) => taskId === target?.taskId) : ofRow;
}

/** The visit that commands are for. */
function targetOf(screen: RunScreen, scene: RunScene): RunVisit | undefined {
  if (screen.pane === "graph") return selectedRow(screen, scene)?.target;
  return scene.visits.get(selectedAgent(screen, scene)?.taskId ?? "");
}

/** Whether a key does what the settings say for an action. */
export type MatchesAction = (action: KeyActionName, key: PressedKey) => boolean;

/** What a key does on the screen of a run. */
export function pressRunKey(
  screen: RunScreen,
  key: PressedKey,
  { scene, matches }: { readonly scene: RunScene; readonly matches: MatchesAction },
): RunKeyOutcome | undefined {
  if (screen.confirmation !== undefined) return confirm(screen, screen.confirmation, key);
  if (matches("stop", key)) return leave(screen);
  if (matches("inbox", key)) return { screen, effect: toInbox(screen, scene) };
  if (matches("tasks", key)) return { screen, effect: { type: "tasks" } };
  if (matches("complete", key)) return { screen: toPane(screen, 1) };
  if (key.name === "tab" && key.shift) return { screen: toPane(screen, -1) };
  if (matches("pageUp", key)) return { screen: scrollBy(screen, scene.pageRows - 1) };
  if (matches("pageDown", key)) return { screen: scrollBy(screen, 1 - scene.pageRows) };
  if (matches("follow", key)) return { screen: { ...screen, scroll: 0 } };
  if (matches("previous", key)) return { screen: move(screen, scene, -1) };
  if (matches("next", key)) return { screen: move(screen, scene, 1) };
  if (key.ctrl || key.meta) return undefined;
  switch (key.name) {
    case "return":
      return enter(screen, scene);
    case "left":
    case "right":
      return fold(screen, scene, key.name === "right");
    default:
      return pressLetter(screen, key.name, scene);
  }
}

function leave(screen: RunScreen): RunKeyOutcome {
  if (screen.full !== undefined) return { screen: { ...screen, full: undefined, scroll: 0 } };
  if (screen.branch !== undefined) return { screen: { ...screen, branch: undefined } };
  return { screen, effect: { type: "leave" } };
}

function toPane(screen: RunScreen, step: number): RunScreen {
  const index = (PANES.indexOf(screen.pane) + step + PANES.length) % PANES.length;
  return { ...screen, pane: PANES[index] ?? "graph" };
}

function scrollBy(screen: RunScreen, lines: number): RunScreen {
  return { ...screen, scroll: Math.max(0, screen.scroll + lines) };
}

function move(screen: RunScreen, scene: RunScene, step: number): RunScreen {
  if (screen.full !== undefined || screen.pane === "thread") return scrollBy(screen, -step);
  if (screen.pane === "graph") {
    const key = neighbour(scene.rows, selectedRow(screen, scene)?.key, step);
    return { ...screen, rowKey: key, agentKey: undefined, scroll: 0 };
  }
  return { ...screen, agentKey: neighbour(scene.agents, selectedAgent(screen, scene)?.key, step), scroll: 0 };
}

/** The key of the row before or after another one; that of the same row at an end. */
export function neighbour(
  rows: readonly { readonly key: string }[],
  key: string | undefined,
  step: number,
): string | undefined {
  const index = rows.findIndex((row) => row.key === key);
  const next = Math.min(Math.max(0, (index === -1 ? 0 : index) + step), rows.length - 1);
  return rows[next]?.key;
}

function enter(screen: RunScreen, scene: RunScene): RunKeyOutcome {
  const row = selectedRow(screen, scene);
  const agent = selectedAgent(screen, scene);
  if (screen.full !== undefined) return { screen: { ...screen, full: undefined, scroll: 0 } };
  if (row !== undefined && foldsOnEnter(screen, row, agent)) return fold(screen, scene, !row.isOpen);
  if (agent !== undefined) return { screen: { ...screen, agentKey: agent.key, full: "thread", scroll: 0 } };
  const { target } = row ?? {};
  if (target?.status === "asking") return { screen, effect: { ...toInbox(screen, scene), isOpen: true } };
  if (stepLog(target) !== undefined) return { screen: { ...screen, rowKey: row?.key, full: "thread", scroll: 0 } };
  return say(screen, describeVisit(target));
}

/** Whether Enter folds or opens a row, rather than what is selected in it. */
export function foldsOnEnter(
  { pane }: Pick<RunScreen, "pane">,
  row: GraphRow | undefined,
  agent: AgentRow | undefined,
): boolean {
  // A branch that works opens its agent; the arrow keys fold it.
  const opensAgent = row?.isBranch === true && row.state !== "failed" && agent !== undefined;
  return pane === "graph" && row?.isFoldable === true && !opensAgent;
}

/** Shows the inbox at the question of the selected step, or at the first of the run. */
function toInbox(screen: RunScreen, scene: RunScene): Extract<RunEffect, { readonly type: "inbox" }> {
  const target = selectedRow(screen, scene)?.target;
  return { type: "inbox", ...(target?.status === "asking" ? { taskId: target.taskId } : {}) };
}

function fold(screen: RunScreen, scene: RunScene, isOpen: boolean): RunKeyOutcome {
  const row = selectedRow(screen, scene);
  if (screen.pane !== "graph" || screen.full !== undefined || row === undefined || !row.isFoldable) return { screen };
  return { screen: { ...screen, rowKey: row.key, folds: new Map(screen.folds).set(row.key, isOpen) } };
}

function pressLetter(screen: RunScreen, letter: string, scene: RunScene): RunKeyOutcome | undefined {
  const visit = targetOf(screen, scene);
  switch (letter) {
    case "c":
      if (!scene.canCancel) return say(screen, "The run has ended: there is nothing to cancel.");
      return { screen: { ...screen, confirmation: cancelOf(isOpen(visit) ? visit : undefined, scene) } };
    case "s":
      return whereOpen("skipped", { screen, scene }, (visit) => ({
        screen: { ...screen, confirmation: { type: "skip", visit } },
      }));
    case "r":
      // The selection follows the work: the step can be another one than a moment ago.
      return whereOpen("retried", { screen, scene }, (visit) => ({
        screen: { ...screen, confirmation: { type: "retry", visit } },
      }));
    case "p":
      return { screen, effect: { type: "pause-or-resume" } };
    case "f":
      return {
        screen: { ...screen, branch: screen.branch === undefined ? selectedRow(screen, scene)?.key : undefined },
      };
    case "o":
      return scene.hasOutput
        ? { screen: { ...screen, full: screen.full === "output" ? undefined : "output", scroll: 0 } }
        : say(screen, "The run has no output yet.");
    case "i":
      return { screen, effect: toInbox(screen, scene) };
    case "t":
      return { screen, effect: { type: "tasks" } };
    default:
      return undefined;
  }
}

/** Does something with the selected step, or says why that is not possible. */
function whereOpen(
  done: "skipped" | "retried",
  { screen, scene }: { readonly screen: RunScreen; readonly scene: RunScene },
  act: (visit: RunVisit) => RunKeyOutcome,
): RunKeyOutcome {
  const visit = targetOf(screen, scene);
  if (visit === undefined || visit.status === "done")
    return say(screen, `Only a step that works, waits or failed can be ${done}. Select one.`);
  if (isHandledFailure(screen, scene))
    return say(screen, `The run handled this failure and continues without the step: it cannot be ${done}.`);
  return act(visit);
}

/** Whether the selected step failed and the run continues without it: nothing can be done about the step. */
export function isHandledFailure(screen: RunScreen, scene: RunScene): boolean {
  return targetOf(screen, scene)?.status === "failed" && !scene.hasFailed;
}

function cancelOf(visit: RunVisit | undefined, { failsRun }: RunScene): Confirmation {
  return { type: "cancel", visit, ...(visit !== undefined && failsRun(visit.nodeId) ? { isFatal: true } : {}) };
}

function say(screen: RunScreen, text: string): RunKeyOutcome {
  return { screen, effect: { type: "say", text } };
}

function isOpen(visit: RunVisit | undefined): boolean {
  return visit !== undefined && ["running", "asking", "sleeping", "retrying"].includes(visit.status);
}

/** The default is never the dangerous answer: a key that is not offered does nothing. */
function confirm(screen: RunScreen, confirmation: Confirmation, key: PressedKey): RunKeyOutcome {
  const answered = { ...screen, confirmation: undefined };
  const { type, visit } = confirmation;
  const { name } = key;
  if (key.ctrl || key.meta || !["y", "a", "n", "escape"].includes(name)) return { screen };
  if (type !== "cancel")
    return name === "y" ? { screen: answered, effect: { type: `${type}-node`, visit } } : { screen: answered };
  if (name === "y" && visit !== undefined) return { screen: answered, effect: { type: "cancel-node", visit } };
  const isWhole = name === "a" || (name === "y" && visit === undefined);
  return isWhole ? { screen: answered, effect: { type: "cancel-run" } } : { screen: answered };
}
