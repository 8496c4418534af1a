import { dirname, join } from "node:path";
import { z } from "zod";
import { type DebugReport, messageOf, noRedaction } from "../../contracts/index.ts";
import {
  type ExecutionContext,
  type GraphBuilder,
  graph,
  type NodeDefinition,
  type NodeResult,
  subagentNode,
  type UnfinishedTask,
} from "../../graph/index.ts";
import { replaceFile } from "../../system/index.ts";
import { READ_ONLY, READING_TOOLS } from "../review/review-nodes.ts";
import { worktreeNames } from "../worktrees/worktree-names.ts";
import { DEBUG_REPORTS_FILE } from "./ralph-errors.ts";
import { RALPH_NODE_IDS } from "./ralph-nodes.ts";
import { debugPrompt } from "./ralph-prompts.ts";
import { type FailedWork, failureOf, RalphState } from "./ralph-state.ts";

/** How long the search for a cause may take, in milliseconds. */
const TIMEOUT_MS = 15 * 60_000;
/** How much of the failed work the prompt has, in characters. */
const MAX_DIFF_LENGTH = 20_000;
/** How long each text of a report may be, in characters. */
const MAX_TEXT_LENGTH = 4_000;
/** How many entries each list of a report may have. */
const MAX_ENTRIES = 20;

const DIFF: readonly string[] = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"];

const text = z.string().transform((value) => value.slice(0, MAX_TEXT_LENGTH));
const texts = z.array(text).transform((values) => values.slice(0, MAX_ENTRIES));

/** The shape of a {@link DebugReport}. */
const reportSchema = z.object({
  errorSummary: z
    .string()
    .min(1)
    .transform((value) => value.slice(0, MAX_TEXT_LENGTH))
    .describe("The cause, with file and line, in at most three sentences, and how certain it is"),
  stackTrace: text.default("").describe("The lines of the failure's output that show it"),
  relevantFiles: texts.default([]).describe("The paths of the files to look at"),
  suggestedFixes: texts.default([]).describe("What to do, the most promising first"),
});

/** The tasks that failed for good; not those that a person marked as failing. */
function failedTasks({ unfinishedTasks, taskFailures }: Readonly<RalphState>): readonly UnfinishedTask[] {
  return unfinishedTasks.filter(({ id, status }) => status === "failing" && Object.hasOwn(taskFailures, id));
}

/** Whether tasks failed for good. */
export function hasFailedTasks(state: Readonly<RalphState>): boolean {
  return failedTasks(state).length > 0;
}

/**
 * Has the agent `debugger` find out why tasks failed. It changes nothing; the reports are for people, and for the next attempt.
 * Without a report the run continues.
 */
export function createDebugSteps(maxDebugReports: number, agents: readonly string[]): GraphBuilder<RalphState> {
  return graph(RalphState)
    .start(createCollectNode(maxDebugReports))
    .map(
      ({ failedWork }) => failedWork.map(({ id }) => id),
      graph(RalphState).start(createDebugNode(agents)).catch(noteNoReport),
      { id: "failed-tasks" },
    )
    .then(keepReports);
}

function createCollectNode(maxDebugReports: number): NodeDefinition<RalphState> {
  return {
    id: RALPH_NODE_IDS.collectFailures,
    type: "tool",
    name: "Collect the failed tasks",
    async execute(context) {
      const failed = failedTasks(context.state);
      const left = failed.slice(maxDebugReports).map(({ id }) => id);
      if (left.length > 0) {
        context.emit({
          type: "log",
          message: `The causes of ${maxDebugReports} failures are looked for. Left out: ${left.join(", ")}`,
        });
      }
      const failedWork: FailedWork[] = [];
      for (const { id } of failed.slice(0, maxDebugReports)) {
        const message = failureOf(context.state, id)?.message ?? "";
        failedWork.push({ id, message, diff: await readWork(id, context) });
      }
      const debugReports = failed.map(({ id }) => ({ id, report: null }));
      return { stateUpdate: { failedWork, debugReports } };
    },
  };
}

/** What the worker of a task changed on its own branch; empty for work in the working directory, which can be read there. */
async function readWork(
  taskId: string,
  { state, services: { git, workingDirectory = "." }, runId, signal, emit }: ExecutionContext<RalphState>,
): Promise<string> {
  if (!state.isIsolated || git === undefined) return "";
  const { branch } = worktreeNames(runId, taskId);
  const range = `refs/heads/${state.branch}...refs/heads/${branch}`;
  try {
    const outcome = await git([...DIFF, range, "--"], { workingDirectory, signal });
    if (outcome.type === "too-long") return "The changes are too long to be shown.";
    return outcome.type === "done" ? outcome.stdout.slice(0, MAX_DIFF_LENGTH) : "";
  } catch (error) {
    signal.throwIfAborted();
    emit({ type: "log", message: `The changes of task ${taskId} cannot be read: ${messageOf(error)}` });
    return "";
  }
}

/** Finds the cause of one failure: the item of the map around it is the task's id. */
function createDebugNode([agent]: readonly string[]): NodeDefinition<RalphState> {
  return subagentNode<RalphState>({
    id: RALPH_NODE_IDS.debug,
    name: "Find the cause of a failure",
    agentName: "debugger",
    ...(agent === undefined ? {} : { agentType: agent }),
    title: (_state, { item }) => `Why task ${String(item)} failed`,
    task: (state, { item }) => debugPrompt(state, String(item)),
    permissions: READ_ONLY,
    tools: READING_TOOLS,
    outputSchema: reportSchema,
    timeout: TIMEOUT_MS,
    // The run is about to fail: nobody wants to wait for a limit first.
    retry: { maxAttempts: 1 },
    outputMapper: ({ structured }, _state, { item }) => ({
      // The cast is true: the output has the schema's shape.
      debugReports: [{ id: String(item), report: structured as DebugReport }],
    }),
  });
}

function noteNoReport(error: Error, { item, emit }: ExecutionContext<RalphState>): NodeResult<RalphState> {
  emit({ type: "log", message: `The cause of the failure of task ${String(item)} was not found: ${messageOf(error)}` });
  return {};
}

/** Keeps the reports in the session, and publishes those of this round. */
const keepReports: NodeDefinition<RalphState> = {
  id: RALPH_NODE_IDS.keepReports,
  type: "tool",
  name: "Keep the reports",
  async execute({ state: { debugReports, failedWork, tasksPath }, services: { redactor = noRedaction }, emit }) {
    const reports = debugReports.filter(({ report }) => report !== null);
    if (reports.length > 0) {
      const path = join(dirname(tasksPath), DEBUG_REPORTS_FILE);
      const content = `${JSON.stringify(redactor.value(reports), undefined, 2)}\n`;
      // The run's own error is about to be shown, and must not be hidden by this one.
      await replaceFile(path, content).catch((error: unknown) =>
        emit({ type: "log", message: `The reports about failures cannot be written: ${messageOf(error)}` }),
      );
    }
    const asked = new Set(failedWork.map(({ id }) => id));
    return {
      signals: reports.flatMap(({ id, report }) =>
        report === null || !asked.has(id) ? [] : [{ type: "debug_report_generated", report } as const],
      ),
    };
  },
};
