import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import {
  agentNode,
  type CommandResult,
  type ExecutionContext,
  type NodeDefinition,
  runCommand,
} from "../../graph/index.ts";
import { findTaskProblems } from "../tasks/find-task-problems.ts";
import { selectReadyTasks } from "../tasks/select-ready-tasks.ts";
import type { Task } from "../tasks/task.ts";
import { saveTasks } from "../tasks/tasks-file.ts";
import { BlockedTasksError, NoPromptError, VerificationFailedError } from "./ralph-errors.ts";
import { fixDescription, planPrompt, taskPrompt } from "./ralph-prompts.ts";
import type { RalphState } from "./ralph-state.ts";

type RalphNode = NodeDefinition<RalphState>;
type RalphContext = ExecutionContext<RalphState>;

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
    for (const message of findTaskProblems(tasks)) check.addIssue({ code: "custom", path: ["tasks"], message });
  });

/** Finds out what is wanted: the prompt itself, or the content of the file it names. */
export const readGoal: RalphNode = {
  id: "read-goal",
  type: "tool",
  name: "Read the goal",
  async execute({ state, services }) {
    const prompt = state.prompt.trim();
    if (prompt === "") throw new NoPromptError();
    const path = services.workingDirectory === undefined ? undefined : resolve(services.workingDirectory, prompt);
    const isFile =
      path !== undefined && prompt.length <= MAX_PATH_LENGTH && !prompt.includes("\n") && (await isRegularFile(path));
    return { stateUpdate: { goal: isFile ? await readFile(path, "utf8") : prompt } };
  },
};

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

/** Chooses the next task. */
export const pickTask: RalphNode = {
  id: "pick-task",
  type: "tool",
  name: "Pick the next task",
  async execute(context) {
    const { tasks } = context.state;
    const task = selectReadyTasks(tasks)[0];
    if (task === undefined) throw new BlockedTasksError(unfinishedTasks(tasks).map(({ id }) => id));
    const picked: Task = { ...task, status: "in_progress" };
    await showTasks(context, replaceTask(tasks, picked));
    return { stateUpdate: { tasks: [picked], currentTaskId: task.id } };
  },
};

/** Hands the current task to the agent. */
export const implementTask: RalphNode = agentNode<RalphState>({
  id: "implement",
  name: "Implement a task",
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
    await showTasks(context, context.state.tasks);
    return { stateUpdate: { currentTaskId: "" } };
  },
};

/** Runs the verify command; where it fails, its repair becomes the next task. */
export const verifyWork: RalphNode = {
  id: "verify",
  type: "tool",
  name: "Verify the work",
  async execute(context) {
    const { verifyCommand, tasks } = context.state;
    if (verifyCommand === "") return { stateUpdate: { isFinished: true } };
    const { workingDirectory } = context.services;
    const result = await runCommand(verifyCommand, {
      signal: context.signal,
      ...(workingDirectory === undefined ? {} : { workingDirectory }),
    });
    const { command, exitCode, durationMs } = result;
    context.emit({ type: "command-end", command, exitCode, durationMs });
    if (exitCode === 0) return { stateUpdate: { verification: result, isFinished: true } };
    const repair = planRepair(tasks, result);
    await showTasks(context, [...tasks, repair]);
    return { stateUpdate: { verification: result, tasks: [repair] } };
  },
};

function planRepair(tasks: readonly Task[], result: CommandResult): Task {
  const repairCount = tasks.filter(({ id }) => /^repair-\d+$/.test(id)).length;
  if (repairCount >= MAX_REPAIRS) {
    const tail = `${result.stdout}\n${result.stderr}`.trim().slice(-MAX_SUMMARY_LENGTH);
    throw new VerificationFailedError(result.command, result.exitCode, repairCount, tail);
  }
  const name = `Make \`${result.command}\` succeed`;
  return { id: `repair-${repairCount + 1}`, name, description: fixDescription(result), status: "pending" };
}

/** Tasks that still have to be done. */
export function unfinishedTasks(tasks: readonly Task[]): readonly Task[] {
  return tasks.filter(({ status }) => status === "pending" || status === "in_progress");
}

function taskWithId(tasks: readonly Task[], id: string): Task {
  const task = tasks.find((candidate) => candidate.id === id);
  if (task === undefined) throw new BlockedTasksError([id]);
  return task;
}

function replaceTask(tasks: readonly Task[], changed: Task): readonly Task[] {
  return tasks.map((task) => (task.id === changed.id ? changed : task));
}

/** Tells whoever watches, and writes `tasks.json` into the session's folder for people to look at. */
async function showTasks(context: RalphContext, tasks: readonly Task[]): Promise<void> {
  context.emit({ type: "tasks", tasks: tasks.map(({ id, name, status }) => ({ id, name, status })) });
  const { sessionDirectory } = context.services;
  if (sessionDirectory !== undefined) await saveTasks(join(sessionDirectory, "tasks.json"), { version: "1.0", tasks });
}
