import { type AgentType, addUsage, NO_USAGE, type RunEvent, type Usage } from "../../contracts/index.ts";
import type { NodeSummary } from "../../graph/index.ts";
import type { RecordedTurn, RecordedVisit, Recording } from "../../testkit/index.ts";
import type { RunReport } from "../../workflows/index.ts";
import { shownStatusOf } from "../../workflows/run-kit.ts";

/** A node of a run, all its visits together. */
export interface ComparedNode {
  readonly nodeId: string;
  /** The status of the last visit. */
  readonly status: string;
  readonly visits: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly usage: Usage;
  /** What it sent to agents, in the order of its visits. */
  readonly prompts: readonly string[];
}

/** What a comparison shows of a run. */
export interface ComparedRun {
  /** How the user named it. */
  readonly name: string;
  readonly runId: string;
  readonly workflow: string;
  readonly status: string;
  readonly error?: string;
  /** How many checks of nodes passed, of how many. */
  readonly checks: { readonly passed: number; readonly total: number };
  readonly agents: readonly AgentType[];
  readonly models: readonly string[];
  /** From the first start to the last end. */
  readonly durationMs: number;
  readonly usage: Usage;
  readonly nodes: readonly ComparedNode[];
  /** Whether the prompts are known. */
  readonly hasPrompts: boolean;
}

/** A visit, as the journal and recordings have it. */
type Visit = Pick<NodeSummary, "nodeId" | "taskId" | "status" | "attempts" | "usage" | "isPassed"> & {
  readonly durationMs: number | undefined;
};

/** What an agent was asked. */
interface Prompt {
  readonly taskId: string;
  readonly text: string;
}

/** A run of this machine. Pure. */
export function comparedFromReport(
  name: string,
  report: RunReport,
  { events, inherited = [] }: { readonly events: readonly RunEvent[]; readonly inherited?: readonly NodeSummary[] },
): ComparedRun {
  const { session, status, summary } = report;
  const prompts = events.filter((event) => event.type === "agent-prompt");
  const visits = [...inherited, ...(summary?.nodes ?? [])];
  const agents = [...Object.keys(summary?.usageByAgent ?? {}), ...prompts.flatMap(({ agentType = [] }) => agentType)];
  const error = summary?.error?.message ?? session.error?.message;
  return {
    ...{ name, runId: session.sessionId, workflow: session.workflowName, status: shownStatusOf(session, status) },
    ...(error === undefined ? {} : { error }),
    checks: countChecks(visits),
    agents: unique(agents.length > 0 ? agents : (session.agent ?? [])),
    models: session.model === undefined ? [] : [session.model],
    durationMs: (summary === undefined ? 0 : summary.updatedAt - summary.startedAt) + spanOf(inherited),
    usage: summary?.usage ?? NO_USAGE,
    nodes: groupByNode(
      visits,
      prompts.map(({ taskId, message }) => ({ taskId, text: message })),
    ),
    hasPrompts: events.length > 0,
  };
}

/** From the first start to the last end of visits, in milliseconds. */
function spanOf(visits: readonly NodeSummary[]): number {
  const times = visits.flatMap(({ endedAt, durationMs = 0 }) =>
    endedAt === undefined ? [] : [endedAt - durationMs, endedAt],
  );
  return times.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
}

/** A recorded run. Pure. */
export function comparedFromRecording(name: string, recording: Recording): ComparedRun {
  const { start, end, turns, visits } = recording;
  const usage = end?.usage ?? turns.map((turn) => turn.usage).reduce(addUsage, NO_USAGE);
  const known = visits.length > 0 ? visits.map(visitOf) : turns.map(visitOfTurn);
  const inOrder = turns.toSorted((a, b) => a.startedAt - b.startedAt);
  return {
    ...{ name, runId: start.runId, workflow: start.workflow, status: end?.status ?? "interrupted" },
    ...(end?.error === undefined ? {} : { error: end.error.message }),
    checks: countChecks(known),
    agents: unique(turns.map(({ agentType }) => agentType)),
    models: unique(turns.flatMap(({ settings }) => settings.model ?? [])),
    durationMs: (end?.at ?? start.at) - start.at,
    usage,
    nodes: groupByNode(
      known,
      inOrder.map(({ taskId, prompt }) => ({ taskId, text: prompt })),
    ),
    hasPrompts: true,
  };
}

function visitOf({ taskId, nodeId, status, attempts, durationMs, usage = NO_USAGE, isPassed }: RecordedVisit): Visit {
  return { taskId, nodeId, status, attempts, durationMs, usage, isPassed };
}

/** Without the ends of nodes, the turns are all that is known. */
function visitOfTurn({ taskId, durationMs, usage, error }: RecordedTurn): Visit {
  const status = error === undefined ? "completed" : "failed";
  return { taskId, nodeId: nodeOf(taskId), status, attempts: 1, durationMs, usage };
}

/** The node of a visit: the last part of its id, without the count. */
function nodeOf(taskId: string): string {
  return (taskId.split("/").at(-1) ?? taskId).replace(/#\d+$/, "");
}

function countChecks(visits: readonly Pick<Visit, "isPassed">[]): ComparedRun["checks"] {
  const checked = visits.filter(({ isPassed }) => isPassed !== undefined);
  return { passed: checked.filter(({ isPassed }) => isPassed).length, total: checked.length };
}

function groupByNode(visits: readonly Visit[], prompts: readonly Prompt[]): readonly ComparedNode[] {
  // The last entry of a visit says how it ended.
  const last = new Map(visits.map((visit) => [visit.taskId, visit]));
  const byNode = Map.groupBy(last.values(), ({ nodeId }) => nodeId);
  return [...byNode].map(([nodeId, group]) => {
    const tasks = new Set(group.map(({ taskId }) => taskId));
    const isOfNode = ({ taskId }: Prompt): boolean =>
      [...tasks].some((task) => taskId === task || taskId.startsWith(`${task}/`));
    return {
      nodeId,
      status: statusOf(group.at(-1)),
      visits: group.length,
      attempts: group.reduce((sum, { attempts }) => sum + attempts, 0),
      durationMs: group.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0),
      usage: group.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
      // Nodes of a graph within a node have visits of their own.
      prompts: prompts.filter((prompt) => isOfNode(prompt) && !hasCloser(prompt, last, tasks)).map(({ text }) => text),
    };
  });
}

function hasCloser({ taskId }: Prompt, visits: ReadonlyMap<string, Visit>, own: ReadonlySet<string>): boolean {
  return visits.has(taskId) && !own.has(taskId);
}

function statusOf(visit: Visit | undefined): string {
  if (visit === undefined) return "";
  return visit.isPassed === false ? "not passed" : visit.status;
}

function unique(names: string | readonly string[]): readonly string[] {
  return [...new Set(typeof names === "string" ? [names] : names)];
}
