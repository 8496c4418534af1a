import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import {
  agentNode,
  type CommandResult,
  type ExecutionContext,
  type NodeDefinition,
  runCommand,
  selectReadyTasks,
  type Task,
} from "../../graph/index.ts";
import { findTaskProblems } from "../tasks/find-task-problems.ts";
import {
  BlockedTasksError,
  EmptyPromptFileError,
  NoPromptError,
  PromptFileNotFoundError,
  VerificationFailedError,
} from "./ralph-errors.ts";
import { fixDescription, planPrompt, taskPrompt } from "./ralph-prompts.ts";
import type { RalphState } from "./ralph-state.ts";
import { changedTasks, isRepairId, readTasks, showTasks, unfinishedTasks } from "./task-board.ts";

type RalphNode = NodeDefinition<RalphState>;

/** How often a failing verify command is repaired before Ralph gives up. */
const MAX_REPAIRS = 3;
/** How long a worker's summary may be, in characters, when it is kept with its task. */
const MAX_SUMMARY_LENGTH = 2_000;
/** A prompt longer than this is not looked up as a file. */
const MAX_PATH_LENGTH = 1_024;

/** The shape of a plan. */
const planSchema = z
  .object({
    tasks: z
      .array(
        z.object({
          id: z.string().min(1).max(64).describe("A short unique identifier, for example 1"),
          name: z.string().min(1).describe("What is to be done, in a few words"),
          description: z.string().describe("What is to be done and how to tell that it is, in full"),
          dependencies: z.array(z.string()).default([]).describe("The ids of tasks that must be done before"),
        }),
      )
      .min(1)
      .describe("The tasks in the order of work"),
  })
  .superRefine(({ tasks }, check) => {
    const taken = tasks
      .filter(({ id }) => isRepairId(id))
      .map(({ id }) => `The id "${id}" is reserved; choose another`);
    for (const problem of [...findTaskProblems(tasks), ...taken]) {
      check.addIssue({ code: "custom", path: ["tasks"], message: problem.replace(/\.$/, "") });
    }
  });

/** Finds out what is wanted: the prompt itself, or the content of the file it names. */
export const readGoal: RalphNode = {
  id: "read-goal",
  type: "tool",
  name: "Read the goal",
  async execute({ state, services }) {
    return { stateUpdate: { goal: await loadRalphGoal(state.prompt, services.workingDirectory) } };
  },
};

/**
 * What a prompt of Ralph's means: itself, or the content of the file it names.
 *
 * @throws NoPromptError, PromptFileNotFoundError, EmptyPromptFileError
 */
export async function loadRalphGoal(text: string, workingDirectory: string | undefined): Promise<string> {
  const prompt = text.trim();
  if (prompt === "") throw new NoPromptError();
  const path = workingDirectory === undefined ? undefined : resolve(workingDirectory, prompt);
  if (path === undefined || prompt.length > MAX_PATH_LENGTH || prompt.includes("\n")) return prompt;
  if (await isRegularFile(path)) {
    const goal = await readFile(path, "utf8");
    if (goal.trim() === "") throw new EmptyPromptFileError(path);
    return goal;
  }
  // One word with the ending of a document is a path that was misspelt, and no work to plan.
  if (/^\S+\.(?:md|markdown|txt)$/i.test(prompt)) throw new PromptFileNotFoundError(path);
  return prompt;
}

async function isRegularFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // Most prompts are no paths.
    return false;
  }
}

/** Turns the goal into tasks. */
export const planTasks: RalphNode = agentNode<RalphState, z.infer<typeof planSchema>>({
  id: "plan",
  name: "Plan the tasks",
  buildMessage: ({ goal }) => planPrompt(goal),
  outputSchema: planSchema,
  outputMapper: ({ structured }) => ({ tasks: structured.tasks.map((task): Task => ({ ...task, status: "pending" })) }),
});

/** Chooses the next task; none when a person has settled all that were left. */
export const pickTask: RalphNode = {
  id: "pick-task",
  type: "tool",
  name: "Pick the next task",
  async execute(context) {
    const tasks = await readTasks(context);
    const task = selectReadyTasks(tasks)[0];
    const unfinished = unfinishedTasks(tasks);
    if (task === undefined && unfinished.length > 0) throw new BlockedTasksError(unfinished.map(({ id }) => id));
    const picked = tasks.map(
      (candidate): Task => (candidate === task ? { ...task, status: "in_progress" } : candidate),
    );
    await showTasks(context, picked);
    return { stateUpdate: { tasks: changedTasks(context.state.tasks, picked), currentTaskId: task?.id ?? "" } };
  },
};

/** Hands the current task to the agent. */
export const implementTask: RalphNode = agentNode<RalphState>({
  id: "implement",
  name: "Implement a task",
  title: ({ tasks, currentTaskId }) => `Task ${currentTaskId}: ${taskWithId(tasks, currentTaskId).name}`,
  buildMessage: ({ goal, tasks, currentTaskId }) => taskPrompt(goal, tasks, taskWithId(tasks, currentTaskId)),
  outputMapper: ({ content }, { tasks, currentTaskId }) => {
    const task = taskWithId(tasks, currentTaskId);
    const summary = content.trim().slice(0, MAX_SUMMARY_LENGTH);
    return { tasks: [{ ...task, status: "passing", metadata: { ...task.metadata, summary } }] };
  },
});

/** Shows how far the work is. */
export const recordTask: RalphNode = {
  id: "record-task",
  type: "tool",
  name: "Record the task",
  async execute(context) {
    const tasks = await readTasks(context);
    await showTasks(context, tasks);
    return { stateUpdate: { tasks: changedTasks(context.state.tasks, tasks), currentTaskId: "" } };
  },
};

/** Said where work is done that nobody looked at. */
const UNVERIFIED = "Nothing was verified: there is no verify command (--verify COMMAND).";

/** Runs the verify command; where it fails, its repair becomes the next task. */
export const verifyWork: RalphNode = {
  id: "verify",
  type: "tool",
  name: "Verify the work",
  async execute(context) {
    const { verifyCommand } = context.state;
    const verification = verifyCommand === "" ? null : await runVerification(verifyCommand, context);
    // Read after the command, which may take long: a person may have added tasks meanwhile.
    const known = await readTasks(context);
    const isGreen = verification === null || verification.exitCode === 0;
    const tasks = isGreen ? known : [...known, planRepair(known, verification)];
    await showTasks(context, tasks);
    const isFinished = unfinishedTasks(tasks).length === 0;
    if (isFinished && verification === null) context.emit({ type: "log", message: UNVERIFIED });
    const stateUpdate = { verification, isFinished, tasks: changedTasks(context.state.tasks, tasks) };
    return { stateUpdate, ...(verification === null ? {} : { isPassed: isGreen }) };
  },
};

async function runVerification(
  command: string,
  { services, signal, emit }: Pick<ExecutionContext<RalphState>, "services" | "signal" | "emit">,
): Promise<CommandResult> {
  const { workingDirectory } = services;
  const result = await runCommand(command, { signal, ...(workingDirectory === undefined ? {} : { workingDirectory }) });
  emit({ type: "command-end", command, exitCode: result.exitCode, durationMs: result.durationMs });
  return result;
}

function planRepair(tasks: readonly Task[], result: CommandResult): Task {
  const repairCount = tasks.filter(({ id }) => isRepairId(id)).length;
  if (repairCount >= MAX_REPAIRS) {
    const tail = `${result.stdout}\n${result.stderr}`.trim().slice(-MAX_SUMMARY_LENGTH);
    throw new VerificationFailedError(result.command, result.exitCode, repairCount, tail);
  }
  const name = `Make \`${result.command}\` succeed`;
  return { id: `repair-${repairCount + 1}`, name, description: fixDescription(result), status: "pending" };
}

function taskWithId(tasks: readonly Task[], id: string): Task {
  const task = tasks.find((candidate) => candidate.id === id);
  if (task === undefined) throw new BlockedTasksError([id]);
  return task;
}
