import type { RunEvent } from "../../contracts/index.ts";
import { NO_USAGE } from "../../contracts/index.ts";
import type { RunCheckpoint } from "../../graph/index.ts";
import { describeLoss } from "../../graph/run-kit.ts";
import type { LogEntry, RunReport } from "../../workflows/index.ts";
import { type InheritedPast, shownStatusOf } from "../../workflows/run-kit.ts";
import { addJournal, addLog } from "./add-journal.ts";
import { type GraphShape, pictureOf } from "./picture-of.ts";
import { RunEventFold } from "./run-events.ts";
import type { ReportedBase, ReportedChanges, ReportedInput, ReportedVisit, RunReportPage } from "./run-report-page.ts";
import { usagesOf } from "./usages-of.ts";
import { shortened } from "./visit-draft.ts";

/** What a report is created from. */
export interface RunReportSources {
  readonly report: RunReport;
  /** The recorded events of the run, oldest first; none for a run of an older version. */
  readonly events: AsyncIterable<RunEvent> | Iterable<RunEvent>;
  /** The journal's moments and the log: they stand in for events that were not recorded. */
  readonly moments: readonly RunCheckpoint[];
  readonly log: readonly LogEntry[];
  /** The workflow's graph. Absent when it cannot be loaded. */
  readonly graph?: GraphShape;
  /** What a fork took over from the run before it. */
  readonly inherited?: InheritedPast;
  readonly base?: ReportedBase;
  readonly changes?: ReportedChanges;
  /** What the caller found missing. */
  readonly notes?: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A note of a report without events. */
export const UNRECORDED =
  "The events of this run were not recorded, because it ran with an older version of Atomic. Prompts, answers, tool calls and the text of answers to questions are missing; steps, times, usage, commands and log lines come from its journal and its log.";
/** A note of a report without the workflow. */
export const UNLOADED = "The graph is derived from the steps that ran, because the workflow could not be loaded.";

/** Creates the content of a run's report. Reads the events once, in constant memory for each text. */
export async function createRunReport(sources: RunReportSources): Promise<RunReportPage> {
  const { report, graph, base, changes, moments, log, createdAt } = sources;
  const { session, status, summary, missing } = report;
  const shown = shownStatusOf(session, status);
  const fold = new RunEventFold();
  for await (const event of sources.events) fold.add(event);
  const isRecorded = fold.count > 0;
  if (summary !== undefined) addJournal(fold, summary, status);
  if (!isRecorded) addLog(fold, log, moments);
  const visits = [...fold.visits.values()].map((visit) => visit.result());
  visits.sort(byStart);
  visits.unshift(...inheritedVisits(visits, sources.inherited));
  const named = graph === undefined ? visits : nameVisits(visits, graph);
  const error = summary?.error ?? fold.error ?? (status === "failed" ? session.error : undefined);
  const startedAt = fold.startedAt ?? summary?.startedAt ?? Date.parse(session.createdAt);
  const output = summary?.output;
  const notes = [
    ...(missing === undefined ? [] : [missing.message]),
    ...(summary?.losses ?? []).map((loss) => describeLoss(session.sessionId, loss)),
    ...(isRecorded || visits.length === 0 ? [] : [UNRECORDED]),
    ...(graph === undefined && visits.length > 0 ? [UNLOADED] : []),
    ...(sources.notes ?? []),
  ];
  return {
    ...{ runId: session.sessionId, workflow: session.workflowName, status: shown, createdAt, startedAt, notes },
    ...(session.workflowVersion === undefined ? {} : { workflowVersion: session.workflowVersion }),
    ...(session.agent === undefined ? {} : { agent: session.agent }),
    ...(session.model === undefined ? {} : { model: session.model }),
    ...(session.forkedFrom === undefined ? {} : { forkedFrom: session.forkedFrom }),
    ...(sources.inherited === undefined ? {} : { inheritedUsage: sources.inherited.usage }),
    ...(base === undefined ? {} : { base }),
    ...(changes === undefined ? {} : { changes }),
    ...(error === undefined ? {} : { error }),
    ...(output === undefined ? {} : { output: shortened(textOf(output)) }),
    lastAt: Math.max(startedAt, fold.lastAt, summary?.updatedAt ?? 0),
    project: session.projectDirectory,
    inputs: inputsOf(session.input),
    usage: summary?.usage ?? NO_USAGE,
    usageByAgent: usagesOf(summary?.usageByAgent),
    ...(graph === undefined && visits.length === 0 ? {} : { graph: pictureOf(named, graph, fold.next) }),
    visits: named,
    questions: [...fold.questions.values()].toSorted((left, right) => left.askedAt - right.askedAt),
    edits: moments.flatMap(({ type, at, changes = {} }) =>
      type === "edit" ? [{ at, fields: inputsOf(changes) }] : [],
    ),
    tasks: fold.tasks,
    warnings: fold.warnings,
    isWithoutTexts: false,
  };
}

function byStart(left: ReportedVisit, right: ReportedVisit): number {
  return (left.startedAt ?? Number.MAX_VALUE) - (right.startedAt ?? Number.MAX_VALUE);
}

/** The visits of the run before a fork, without those that the fork itself made again. */
function inheritedVisits(
  own: readonly ReportedVisit[],
  inherited: InheritedPast | undefined,
): readonly ReportedVisit[] {
  const known = new Set(own.map(({ taskId }) => taskId));
  const earlier = (inherited?.visits ?? []).filter(({ taskId }) => !known.has(taskId));
  return earlier.map(({ taskId, nodeId, title = nodeId, attempts, durationMs, usage, usageByAgent }) => ({
    ...{ taskId, nodeId, name: title, status: "inherited", attempts, usage },
    ...(durationMs === undefined ? {} : { durationMs }),
    ...{ usageByAgent: usagesOf(usageByAgent), agents: Object.keys(usageByAgent ?? {}).toSorted() },
    ...{ periods: [], parts: [], partsLeftOut: 0 },
  }));
}

/** A visit that no event names is called what the graph calls its node. */
function nameVisits(visits: readonly ReportedVisit[], { nodes }: GraphShape): readonly ReportedVisit[] {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  return visits.map((visit) =>
    visit.name === visit.nodeId ? { ...visit, name: names.get(visit.nodeId) ?? visit.name } : visit,
  );
}

function inputsOf(input: unknown): readonly ReportedInput[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  return Object.entries(input).map(([name, value]) => ({ name, text: shortened(textOf(value)) }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, writeBigInt, 2) ?? "");
}

/** JSON.stringify throws on a bigint. */
function writeBigInt(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
