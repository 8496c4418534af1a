import type { RunErrorInfo } from "../../contracts/index.ts";
import { UNLOADED, UNRECORDED } from "./create-run-report.ts";
import { type CallNames, renameCalls } from "./rename-calls.ts";
import type {
  ReportedGraph,
  ReportedPart,
  ReportedPeriod,
  ReportedQuestion,
  ReportedVisit,
  RunReportPage,
} from "./run-report-page.ts";

/**
 * The report without any text that people, agents or programs wrote: without prompts, answers, outputs, commands, messages,
 * paths, names of tasks, labels of scripts' calls and diffs. Structure, times, costs, error codes and exit codes stay.
 */
export function withoutTexts(page: RunReportPage): RunReportPage {
  const { project: _project, output: _output, changes: _changes, model: _model, base: _base, error, ...rest } = page;
  const names = renameCalls(page.visits);
  return {
    ...rest,
    ...(error === undefined ? {} : { error: errorWithoutText(error, names) }),
    inputs: [],
    ...(page.graph === undefined ? {} : { graph: graphWithoutTexts(page.graph, names) }),
    visits: page.visits.map((visit) => visitWithoutTexts(visit, names)),
    questions: page.questions.map((asked) => questionWithoutTexts(asked, names)),
    edits: page.edits.map(({ at, fields }) => ({ at, fields: fields.map(({ name }) => ({ name, text: "" })) })),
    tasks: page.tasks.map(({ status }, index) => ({ id: String(index + 1), name: "", status })),
    warnings: page.warnings.map(({ at }) => ({ at, message: "" })),
    // Others name folders.
    notes: page.notes.filter((note) => note === UNRECORDED || note === UNLOADED),
    isWithoutTexts: true,
  };
}

function graphWithoutTexts(graph: ReportedGraph, names: CallNames): ReportedGraph {
  // A workflow that was loaded has its author's nodes only.
  const idOf = graph.isDerived ? names.node : (id: string) => id;
  return {
    ...graph,
    nodes: graph.nodes.map(({ taskId, ...node }) => ({
      ...node,
      id: idOf(node.id),
      name: idOf(node.id),
      ...(taskId === undefined ? {} : { taskId: names.taskId(taskId) }),
    })),
    edges: graph.edges.map((edge) => ({ ...edge, from: idOf(edge.from), to: idOf(edge.to) })),
  };
}

function questionWithoutTexts(asked: ReportedQuestion, names: CallNames): ReportedQuestion {
  const { question: _question, answer: _answer, requestId, taskId, nodeId, ...rest } = asked;
  const visit =
    taskId === undefined
      ? { nodeId: names.node(nodeId) }
      : { taskId: names.taskId(taskId), nodeId: names.nodeId({ taskId, nodeId }) };
  return { ...rest, ...visit, requestId: names.taskId(requestId), options: [] };
}

function errorWithoutText({ code, nodeId, bound }: RunErrorInfo, names: CallNames): RunErrorInfo {
  return {
    ...{ code, message: "" },
    ...(nodeId === undefined ? {} : { nodeId: names.node(nodeId) }),
    ...(bound === undefined ? {} : { bound }),
  };
}

function visitWithoutTexts(visit: ReportedVisit, names: CallNames): ReportedVisit {
  const { error, ...rest } = visit;
  const taskId = names.taskId(visit.taskId);
  const nodeId = names.nodeId(visit);
  return {
    ...rest,
    ...(error === undefined ? {} : { error: errorWithoutText(error, names) }),
    taskId,
    nodeId,
    name: names.isCall(visit.taskId) ? taskId : nodeId,
    periods: visit.periods.map(({ type, from, to }): ReportedPeriod => ({ type, from, to })),
    parts: visit.parts.flatMap((part) => partWithoutTexts(part, names)),
  };
}

/** None for what is only text. */
function partWithoutTexts(part: ReportedPart, names: CallNames): readonly ReportedPart[] {
  switch (part.type) {
    case "tool": {
      const { type, at, kind, status, durationMs } = part;
      return [
        { type, at, kind, toolName: kind, about: "", status, ...(durationMs === undefined ? {} : { durationMs }) },
      ];
    }
    case "command": {
      const { type, at, exitCode, durationMs } = part;
      return [{ type, at, command: "", durationMs, ...(exitCode === undefined ? {} : { exitCode }) }];
    }
    case "subagent": {
      const { type, at, status, durationMs } = part;
      return [{ type, at, title: "", status, ...(durationMs === undefined ? {} : { durationMs }) }];
    }
    case "failure":
      return [{ ...part, error: errorWithoutText(part.error, names) }];
    case "denied":
      return [{ type: "denied", at: part.at, title: "", reason: "" }];
    case "prompt":
      return [{ type: "prompt", at: part.at, message: "", ...(part.agent === undefined ? {} : { agent: part.agent }) }];
    case "question":
      return [{ type: "question", at: part.at, question: "" }];
    case "answer":
      return [{ type: "answer", at: part.at, answer: "" }];
    case "stopped":
      return [part];
    case "text":
    case "thinking":
    case "log":
    case "update":
      return [];
  }
}
