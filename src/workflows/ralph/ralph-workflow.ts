import type { WorkflowMetadata } from "../../contracts/index.ts";
import { type CompiledGraph, GraphBuilder, graph } from "../../graph/index.ts";
import { implementTask, pickTask, planTasks, readGoal, recordTask, verifyWork } from "./ralph-nodes.ts";
import { RalphState } from "./ralph-state.ts";
import { unfinishedTasks } from "./task-board.ts";

/** More tasks than this are taken for a runaway plan. */
const MAX_TASKS = 500;

/** What lists and help show about Ralph. */
export const RALPH_METADATA: WorkflowMetadata = {
  name: "ralph",
  description: "Plan a piece of work, implement it task by task, and verify the result",
  aliases: ["loop"],
  source: "builtin",
  version: "1.0.0",
  stateVersion: 1,
  argumentHint: '"<prompt-or-spec-path>" [--verify COMMAND]',
};

/**
 * Ralph: a goal becomes a list of tasks, an agent implements them one after the other, and a command decides whether
 * the work is done; while it fails, its output becomes the next task.
 *
 * ```ts
 * const result = await createRalphWorkflow().run({ prompt: "Add tests", verifyCommand: "npm test" }, { services });
 * ```
 */
export function createRalphWorkflow(): CompiledGraph<RalphState> {
  const task = graph(RalphState)
    .start(pickTask)
    .if(({ currentTaskId }) => currentTaskId !== "")
    .then([implementTask, recordTask])
    .endif();
  const round = new GraphBuilder<RalphState>(RalphState)
    .loop(task, {
      id: "tasks",
      until: ({ tasks }) => unfinishedTasks(tasks).length === 0,
      maxIterations: MAX_TASKS,
      onMaxIterations: "fail",
    })
    .then(verifyWork);
  return graph(RalphState)
    .start(readGoal)
    .then(planTasks)
    .loop(round, { id: "rounds", until: ({ isFinished }) => isFinished })
    .end()
    .compile({ name: "ralph" });
}
