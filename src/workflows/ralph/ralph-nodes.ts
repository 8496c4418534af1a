import { z } from "zod";
import {
  agentNode,
  type CommandResult,
  type NodeDefinition,
  runAndReport,
  type SubagentNodeConfig,
  subagentNode,
  subgraphNode,
  type Task,
} from "../../graph/index.ts";
import {
  createPrepareBranchNode,
  createPullRequestNode,
  nameOfGoal,
  withResult,
} from "../pull-request/pull-request-nodes.ts";
import { reachesThreshold } from "../review/finding.ts";
import { confirmedFindings } from "../review/review-report.ts";
import type { ReviewState } from "../review/review-state.ts";
import { createReviewWorkflow, type ReviewConfig } from "../review/review-workflow.ts";
import { findTaskProblems } from "../tasks/find-task-problems.ts";
import { chooseWorkplace, readBranch } from "./choose-workplace.ts";
import {
  FindingsLeftError,
  OtherBranchError,
  TaskLimitError,
  TasksLeftError,
  WorkNotVerifiedError,
} from "./ralph-errors.ts";
import { fixDescription, planPrompt, taskPrompt } from "./ralph-prompts.ts";
import type { RalphFinding, RalphState } from "./ralph-state.ts";
import { addTasks, createTaskFile, findingTasks, isOwnId, readTasks, retryTasks, tasksPathOf } from "./ralph-tasks.ts";
import { loadRalphStart } from "./ready-tasks.ts";
import { nameCauses, nameFinding, summarizeRalph } from "./summarize-ralph.ts";

type RalphNode = NodeDefinition<RalphState>;

/** The ids of Ralph's nodes. */
export const RALPH_NODE_IDS = {
  readGoal: "read-goal",
  prepareBranch: "prepare-branch",
  prepare: "prepare",
  plan: "plan",
  writeTasks: "write-tasks",
  tasks: "tasks",
  implement: "implement",
  collectFailures: "collect-failures",
  debug: "debug",
  keepReports: "keep-reports",
  checkBranch: "check-branch",
  verify: "verify",
  review: "review",
  planFixes: "plan-fixes",
  conclude: "conclude",
  createPullRequest: "create-pull-request",
} as const;

/** How often a failing verify command is repaired before Ralph fails. */
const MAX_REPAIRS = 3;
/** How long a worker's summary may be, in characters, when it is kept. */
const MAX_SUMMARY_LENGTH = 2_000;
/** How much of a command's output an error has, in characters. */
const MAX_TAIL_LENGTH = 2_000;

/** The shape of a plan. */
const planSchema = z
  .object({
    tasks: z
      .array(
        z.object({
          id: z
            .string()
            .regex(/^[\w.-]{1,64}$/, "must consist of letters, digits, dots, hyphens and underscores")
            .describe("A short unique identifier, for example 1"),
          name: z.string().min(1).describe("What is to be done, in a few words"),
          description: z.string().describe("What is to be done and how to tell that it is, in full"),
          dependencies: z.array(z.string()).default([]).describe("The ids of tasks that must be done before"),
        }),
      )
      .min(1)
      .describe("The tasks in the order of work"),
  })
  .superRefine(({ tasks }, check) => {
    const taken = tasks.filter(({ id }) => isOwnId(id)).map(({ id }) => `The id "${id}" is reserved; choose another`);
    for (const problem of [...findTaskProblems(tasks), ...taken]) {
      check.addIssue({ code: "custom", path: ["tasks"], message: problem.replace(/\.$/, "") });
    }
  });

/** Finds out what is wanted: the prompt itself, the content of the file it names, or the tasks in it. */
export const readGoal: RalphNode = {
  id: RALPH_NODE_IDS.readGoal,
  type: "tool",
  name: "Read the goal",
  async execute({ state, services }) {
    // A graph around this one may know it already.
    if (state.goal !== "") return {};
    return { stateUpdate: await loadRalphStart(state.prompt, services.workingDirectory) };
  },
};

/** Where a pull request will be opened, work on the default branch moves to a branch of its own first. */
export const prepareBranch: RalphNode = createPrepareBranchNode<RalphState>({
  id: RALPH_NODE_IDS.prepareBranch,
  nameBranch: ({ goal }, runId) => `ralph-${nameOfGoal(goal)}-${runId.slice(0, 4)}`,
});

/** Opens the pull request, with the goal and the result. */
export const createPullRequest: RalphNode = createPullRequestNode<RalphState>({
  id: RALPH_NODE_IDS.createPullRequest,
  bodyOf: (state) => withResult(state.goal, summarizeRalph(state)),
});

/** Finds out where workers can work. */
export const prepare: RalphNode = {
  id: RALPH_NODE_IDS.prepare,
  type: "tool",
  name: "Choose where to work",
  async execute({ state, services, signal, emit, nodeId }) {
    const tasksPath = tasksPathOf(services, nodeId);
    const { note, ...workplace } = await chooseWorkplace(state, { services, signal });
    if (note !== undefined) emit({ type: "log", message: note });
    if (state.review && workplace.startCommit === "") {
      emit({ type: "log", message: "Nothing will be reviewed: there is no git repository with a commit." });
    }
    return { stateUpdate: { tasksPath, ...workplace } };
  },
};

/** Turns the goal into tasks. */
export const planTasks: RalphNode = agentNode<RalphState, z.infer<typeof planSchema>>({
  id: RALPH_NODE_IDS.plan,
  name: "Plan the tasks",
  buildMessage: planPrompt,
  outputSchema: planSchema,
  outputMapper: ({ structured }) => ({ tasks: structured.tasks.map((task): Task => ({ ...task, status: "pending" })) }),
});

/** Writes the plan into the session's folder, where people can read and edit it. */
export const writeTasks: RalphNode = {
  id: RALPH_NODE_IDS.writeTasks,
  type: "tool",
  name: "Write the list of tasks",
  async execute({ state }) {
    await createTaskFile(state.tasksPath, state.tasks);
    return {};
  },
};

/** Has workers implement the tasks: each in a worktree of its own, if there are several. */
export function createImplementNode(
  agents: readonly string[],
  onLimit: SubagentNodeConfig<RalphState>["onLimit"],
): RalphNode {
  const agentOf = (index: number): string => agents[Math.max(index, 0) % agents.length] ?? "";
  return subagentNode<RalphState>({
    id: RALPH_NODE_IDS.implement,
    name: "Implement a task",
    agentName: "worker",
    title: ({ currentTask }) => `Task ${currentTask?.id}: ${currentTask?.name}`,
    task: taskPrompt,
    agentType: (_state, { index }) => agentOf(index),
    fallbackAgents: agents,
    ...(onLimit === undefined ? {} : { onLimit }),
    isolation: ({ isIsolated }) => (isIsolated ? "worktree" : undefined),
    worktreeName: ({ currentTask }) => currentTask?.id ?? "",
    worktreeBranch: ({ branch }) => branch,
    worktreeSetup: ({ setupCommand }) => setupCommand,
    verify: ({ verifyCommand }) => verifyCommand,
    outputMapper: ({ output, durationMs, verification, agentType: agent = "" }, { currentTask }) => {
      const summary = output.trim().slice(0, MAX_SUMMARY_LENGTH);
      const isVerified = verification !== undefined;
      return { work: [{ id: currentTask?.id ?? "", agent, summary, durationMs, isVerified }] };
    },
  });
}

/** Makes sure that what is verified and reviewed is the work: a person or an agent may have switched to another branch. */
export const checkBranch: RalphNode = {
  id: RALPH_NODE_IDS.checkBranch,
  type: "tool",
  name: "Check the branch",
  async execute({ state, services, signal }) {
    const { git, workingDirectory = "." } = services;
    if (state.branch === "" || git === undefined) return {};
    const found = await readBranch(git, { workingDirectory, signal });
    if (found !== state.branch) throw new OtherBranchError(state.branch, found);
    return {};
  },
};

/** Said where work is done that nobody looked at. */
const UNVERIFIED = "Nothing was verified: there is no verify command (--verify COMMAND).";

/** Runs the verify command on the whole; where it fails, its repair becomes a task. */
export const verifyWork: RalphNode = {
  id: RALPH_NODE_IDS.verify,
  type: "tool",
  name: "Verify the work",
  async execute(context) {
    const { state } = context;
    const { result: verification, output } = await runAndReport(state.verifyCommand, context);
    if (verification.exitCode === 0) return { stateUpdate: { verification }, isPassed: true };
    if (state.repairCount >= MAX_REPAIRS) throw notVerified(verification, output, state.repairCount);
    const repairCount = state.repairCount + 1;
    await addTasks(context, [planRepair(verification, output, repairCount)]);
    return { stateUpdate: { verification, repairCount }, isPassed: false };
  },
};

function notVerified({ command, exitCode }: CommandResult, output: string, repairCount: number): WorkNotVerifiedError {
  return new WorkNotVerifiedError(command, exitCode, repairCount, output.trim().slice(-MAX_TAIL_LENGTH));
}

function planRepair({ command, exitCode }: CommandResult, output: string, number: number): Task {
  const description = fixDescription({ command, exitCode, output });
  return { id: `repair-${number}`, name: `Make \`${command}\` succeed`, description, status: "pending" };
}

/** Whether the work so far can be reviewed. */
export function wantsReview(state: Readonly<RalphState>, maxReviews: number): boolean {
  const { review, startCommit, verification, reviewCount } = state;
  const isVerified = verification === null || verification.exitCode === 0;
  return review && startCommit !== "" && isVerified && reviewCount < maxReviews;
}

/** Reviews all changes since the start. */
export function createReviewNode(config: ReviewConfig): RalphNode {
  return subgraphNode<RalphState, ReviewState>({
    id: RALPH_NODE_IDS.review,
    name: "Review the changes",
    subgraph: createReviewWorkflow(config),
    inputMapper: ({ startCommit }) => ({ base: startCommit }),
    outputMapper: (review, { reviewCount }) => ({
      reviewCount: reviewCount + 1,
      hasReviewedChanges: (review.changes?.parts.length ?? 0) > 0,
      leftOut: review.changes?.leftOut ?? [],
      findings: confirmedFindings(review).map(
        ({ id, file, lines, severity, title, description, suggestion }): RalphFinding => ({
          id: `review-${reviewCount + 1}-${id}`,
          file,
          line: lines?.start ?? null,
          severity,
          title,
          description: [description, suggestion].filter((text) => text !== "").join("\n\n"),
        }),
      ),
    }),
  });
}

/** Turns confirmed findings into tasks, unless this was the last review. */
export function createFixesNode(maxReviews: number): RalphNode {
  return {
    id: RALPH_NODE_IDS.planFixes,
    type: "tool",
    name: "Plan the corrections",
    async execute(context) {
      const { state, attempt } = context;
      const { findings, reviewCount } = state;
      const isLast = reviewCount >= maxReviews;
      const severe = findings.filter(({ severity }) => reachesThreshold(severity, "high"));
      // Somebody resumed the run to have them corrected.
      if (!isLast || (attempt > 1 && severe.length > 0)) {
        await addTasks(context, findingTasks(findings));
        return { stateUpdate: isLast ? { reviewCount: reviewCount - 1 } : {} };
      }
      if (severe.length > 0) throw new FindingsLeftError(reviewCount, severe.map(nameFinding));
      return {};
    },
  };
}

/**
 * Decides whether the work is done. Fails the run if tasks are left that cannot start; a person who resumes it wants
 * them to be retried.
 */
export function createConcludeNode(maxIterations: number): RalphNode {
  return {
    id: RALPH_NODE_IDS.conclude,
    type: "tool",
    name: "See what is left",
    async execute(context) {
      const { state, emit, attempt } = context;
      const isResumed = attempt > 1;
      const tasks = await (isResumed ? retryTasks(context) : readTasks(context));
      const left = tasks.filter(({ status }) => status !== "passing" && status !== "skipped");
      if (!isResumed) assertProgress(state, left, maxIterations);
      const isFinished = left.length === 0;
      if (isFinished && state.verifyCommand === "") emit({ type: "log", message: UNVERIFIED });
      return { stateUpdate: { tasks, isFinished } };
    },
  };
}

/** @throws TaskLimitError, TasksLeftError */
function assertProgress(
  { maxIterationsReached, unfinishedTasks, tasksPath, debugReports }: Readonly<RalphState>,
  left: readonly Task[],
  maxIterations: number,
): void {
  if (left.length === 0) return;
  if (maxIterationsReached) {
    throw new TaskLimitError(
      maxIterations,
      left.map(({ id }) => id),
    );
  }
  // Repairs and corrections were added after the loop ended.
  if (!left.some(({ status }) => status === "pending" || status === "in_progress") || unfinishedTasks.length > 0) {
    // Somebody may have marked a task as failing since.
    const known = new Map(unfinishedTasks.map((task) => [task.id, task]));
    throw new TasksLeftError(
      tasksPath,
      left.map((task) => known.get(task.id) ?? { ...task, reason: `is ${task.status}` }),
      nameCauses(debugReports),
    );
  }
}
