import { z } from "zod";
import { type CompiledGraph, graph, InvalidOptionsError } from "../../graph/index.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import { WRITE_LIMITS } from "./write-metadata.ts";
import {
  askKeep,
  createApprovalNode,
  createCheckNode,
  createRunNode,
  createWriteNode,
  keepScript,
  readTask,
} from "./write-nodes.ts";
import { createWriteReport, type WriteReport } from "./write-report.ts";
import { WriteState } from "./write-state.ts";

const WriteConfigSchema = z.strictObject({
  /** How many agents the script may call, within the run's limits for scripts. @default 20 */
  maxAgents: z.int().min(1).optional(),
  /** How many drafts are checked before the run fails. @default 5 */
  maxDrafts: z.int().min(1).optional(),
  /** How often a person can have the script changed; then the run fails. @default 20 */
  maxFeedbackRounds: z.int().min(1).optional(),
  /** Whether runs are kept where there is a checkpointer; see `compile()`. */
  checkpointing: z.boolean().optional(),
});

/** Settings of {@link createWriteWorkflow}. */
export type WriteConfig = Readonly<z.input<typeof WriteConfigSchema>>;

/**
 * An agent writes a workflow script for a task. It is checked, and tried with made-up answers; then a person sees it and
 * approves it, says what to change, or discards it. An approved script runs as part of the same run, with its permissions and
 * budget, and can be kept among the project's workflows.
 *
 * Needs a checkpointer: the approval may take days. Without the service `scripts` a script is only read, and cannot be kept.
 *
 * ```ts
 * const workflow = createWriteWorkflow({ maxAgents: 10 });
 * const { requests } = await workflow.run({ prompt: "Audit each source file" }, { services, checkpointer });
 * ```
 *
 * @throws InvalidOptionsError
 */
export function createWriteWorkflow(config: WriteConfig = {}): CompiledGraph<WriteState, WriteReport> {
  const { success, data, error } = WriteConfigSchema.safeParse(config);
  if (!success) throw new InvalidOptionsError("createWriteWorkflow", describeIssues(error));
  const { maxAgents = WRITE_LIMITS.maxAgents, maxDrafts = WRITE_LIMITS.maxDrafts, checkpointing } = data;
  const { maxFeedbackRounds = WRITE_LIMITS.maxFeedbackRounds } = data;
  const drafting = graph(WriteState).start(createWriteNode(maxAgents)).then(createCheckNode({ maxAgents, maxDrafts }));
  const approving = graph(WriteState)
    .loop(drafting, { id: "drafts", until: ({ outline }) => outline !== null })
    .then(createApprovalNode(maxAgents));
  return graph(WriteState)
    .start(readTask)
    .loop(approving, {
      id: "script",
      until: ({ decision }) => decision !== "changes",
      maxIterations: maxFeedbackRounds + 1,
      onMaxIterations: "fail",
    })
    .if(({ decision }) => decision === "run", { id: "is-approved" })
    .then(createRunNode(maxAgents))
    .if(({ keep }) => !keep, { id: "is-asked" })
    .then(askKeep)
    .endif()
    .endif()
    .if(isKept, { id: "is-kept" })
    .then(keepScript)
    .endif()
    .end()
    .compile({
      name: "write",
      output: createWriteReport,
      ...(checkpointing === undefined ? {} : { checkpointing }),
    });
}

function isKept({ decision, keep, isWanted }: Readonly<WriteState>): boolean {
  return decision === "keep" || (decision === "run" && (keep || isWanted));
}
