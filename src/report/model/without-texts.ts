import type { RunErrorInfo } from "../../contracts/index.ts";
import { UNLOADED, UNRECORDED } from "./create-run-report.ts";
import type { ReportedPart, ReportedPeriod, ReportedVisit, RunReportPage } from "./run-report-page.ts";

/**
 * The report without any text that people, agents or programs wrote: without prompts, answers, outputs, commands, messages,
 * paths, names of tasks and diffs. Structure, times, costs, error codes and exit codes stay.
 */
export function withoutTexts(page: RunReportPage): RunReportPage {
  const { project: _project, output: _output, changes: _changes, model: _model, base: _base, error, ...rest } = page;
  return {
    ...rest,
    ...(error === undefined ? {} : { error: errorWithoutText(error) }),
    inputs: [],
    ...(page.graph === undefined
      ? {}
      : { graph: { ...page.graph, nodes: page.graph.nodes.map((node) => ({ ...node, name: node.id })) } }),
    visits: page.visits.map(visitWithoutTexts),
    questions: page.questions.map(({ question: _question, answer: _answer, ...question }) => ({
      ...question,
      options: [],
    })),
    tasks: page.tasks.map(({ status }, index) => ({ id: String(index + 1), name: "", status })),
    warnings: page.warnings.map(({ at }) => ({ at, message: "" })),
    // Others name folders.
    notes: page.notes.filter((note) => note === UNRECORDED || note === UNLOADED),
    isWithoutTexts: true,
  };
}

function errorWithoutText({ code, nodeId, bound }: RunErrorInfo): RunErrorInfo {
  return {
    ...{ code, message: "" },
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(bound === undefined ? {} : { bound }),
  };
}

function visitWithoutTexts(visit: ReportedVisit): ReportedVisit {
  const { error, ...rest } = visit;
  return {
    ...rest,
    ...(error === undefined ? {} : { error: errorWithoutText(error) }),
    name: visit.nodeId,
    periods: visit.periods.map(({ type, from, to }): ReportedPeriod => ({ type, from, to })),
    parts: visit.parts.flatMap(partWithoutTexts),
  };
}

/** None for what is only text. */
function partWithoutTexts(part: ReportedPart): readonly ReportedPart[] {
  switch (part.type) {
    case "tool": {
      const { type, at, kind, status, durationMs } = part;
      return [
        { type, at, kind, toolName: kind, about: "", status, ...(durationMs === undefined ? {} : { durationMs }) },
      ];
    }
    case "command": {
      const { type, at, exitCode, durationMs } = part;
      return [{ type, at, command: "", exitCode, durationMs }];
    }
    case "subagent": {
      const { type, at, status, durationMs } = part;
      return [{ type, at, title: "", status, ...(durationMs === undefined ? {} : { durationMs }) }];
    }
    case "failure":
      return [{ ...part, error: errorWithoutText(part.error) }];
    case "denied":
      return [{ type: "denied", at: part.at, title: "", reason: "" }];
    case "prompt":
      return [{ type: "prompt", at: part.at, message: "", ...(part.agent === undefined ? {} : { agent: part.agent }) }];
    case "question":
      return [{ type: "question", at: part.at, question: "" }];
    case "answer":
      return [{ type: "answer", at: part.at, answer: "" }];
    case "text":
    case "thinking":
    case "log":
    case "update":
      return [];
  }
}
