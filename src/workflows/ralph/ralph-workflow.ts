import { z } from "zod";
import type { WorkflowMetadata } from "../../contracts/index.ts";
import { type CompiledGraph, GraphBuilder, graph, InvalidOptionsError } from "../../graph/index.ts";
import { implementTask, pickTask, planTasks, readGoal, recordTask, verifyWork } from "./ralph-nodes.ts";
import { RalphState } from "./ralph-state.ts";
import { unfinishedTasks } from "./task-board.ts";

/** More tasks in a row than this are taken for a runaway plan, unless the configuration says otherwise. */
export const MAX_RALPH_ITERATIONS = 500;

const RalphConfigSchema = z.strictObject({
  /** How many tasks may be worked on in a row, before the work is verified; then the run fails. @default 500 */
  maxIterations: z.int().min(1).optional(),
  /** Whether runs are kept where there is a checkpointer; see `compile()`. */
  checkpointing: z.boolean().optional(),
});

/** Settings of {@link createRalphWorkflow}. */
export type RalphConfig = Readonly<z.input<typeof RalphConfigSchema>>;

/** What lists and help show about Ralph. */
export const RALPH_METADATA: WorkflowMetadata = {
  name: "ralph",
  description: "Plan a piece of work, implement it task by task, and verify the result",
  aliases: ["loop"],
  source: "builtin",
  defaultConfig: { maxIterations: MAX_RALPH_ITERATIONS },
  version: "1.0.0",
  minSDKVersion: "0.1.0",
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
 *
 * @throws InvalidOptionsError
 */
export function createRalphWorkflow(config: RalphConfig = {}): CompiledGraph<RalphState> {
  const { maxIterations = MAX_RALPH_ITERATIONS, checkpointing } = parseConfig(config);
  const task = graph(RalphState)
    .start(pickTask)
    .if(({ currentTaskId }) => currentTaskId !== "")
    .then([implementTask, recordTask])
    .endif();
  const round = new GraphBuilder<RalphState>(RalphState)
    .loop(task, {
      id: "tasks",
      until: ({ tasks }) => unfinishedTasks(tasks).length === 0,
      maxIterations,
      onMaxIterations: "fail",
    })
    .then(verifyWork);
  return graph(RalphState)
    .start(readGoal)
    .then(planTasks)
    .loop(round, { id: "rounds", until: ({ isFinished }) => isFinished })
    .end()
    .compile({ name: "ralph", ...(checkpointing === undefined ? {} : { checkpointing }) });
}

function parseConfig(config: unknown): RalphConfig {
  const { success, data, error } = RalphConfigSchema.safeParse(config);
  if (success) return data;
  const problems = error.issues.map(
    ({ path, message }) => `${path.length === 0 ? "" : `${path.join(".")}: `}${message}`,
  );
  throw new InvalidOptionsError("createRalphWorkflow", problems);
}
