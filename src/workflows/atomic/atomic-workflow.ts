import { z } from "zod";
import { type CompiledGraph, graph, InvalidOptionsError } from "../../graph/index.ts";
import { summarizePullRequest } from "../pull-request/pull-request-nodes.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import {
  approval,
  createImplementNode,
  createPullRequest,
  createSpec,
  monitorSpec,
  prepareBranch,
  readGoal,
  readSpec,
  research,
  writeResearch,
  writeSpec,
} from "./atomic-nodes.ts";
import { AtomicStateAnnotation, type AtomicWorkflowState } from "./atomic-state.ts";

const AtomicConfigSchema = z.strictObject({
  /** The vendors' agents of the workers, in turn, and of the reviewers. @default the run's agent alone */
  agents: z.array(z.string().min(1)).optional(),
  /** How often the specification is changed, at most; then the run fails. @default 20 */
  maxFeedbackRounds: z.int().min(1).optional(),
  /** Whether runs are kept where there is a checkpointer; see `compile()`. */
  checkpointing: z.boolean().optional(),
});

/** Settings of {@link createAtomicWorkflow}. */
export type AtomicWorkflowConfig = Readonly<z.input<typeof AtomicConfigSchema>>;

const MAX_FEEDBACK_ROUNDS = 20;

/**
 * Atomic: explorers research a task, an agent writes a specification, and a person approves it or says what to change. Then
 * it is implemented as by Ralph, and a pull request is opened.
 *
 * Needs the services of `createRalphWorkflow`, and a checkpointer: the approval may take days.
 *
 * ```ts
 * const workflow = createAtomicWorkflow({ agents: ["claude"] });
 * const { requests } = await workflow.run({ prompt: "Add a --json flag" }, { services, checkpointer });
 * ```
 *
 * @throws InvalidOptionsError
 */
export function createAtomicWorkflow(config: AtomicWorkflowConfig = {}): CompiledGraph<AtomicWorkflowState, string> {
  const { success, data, error } = AtomicConfigSchema.safeParse(config);
  if (!success) throw new InvalidOptionsError("createAtomicWorkflow", describeIssues(error));
  const { agents = [], maxFeedbackRounds = MAX_FEEDBACK_ROUNDS, checkpointing } = data;
  const specification = graph(AtomicStateAnnotation)
    .start(createSpec)
    .then(monitorSpec)
    .then(writeSpec)
    .then(approval)
    .then(readSpec);
  return graph(AtomicStateAnnotation)
    .start(readGoal)
    .then(research)
    .then(writeResearch)
    .loop(specification, {
      id: "specification",
      until: ({ specDecision }) => specDecision !== "changes",
      maxIterations: maxFeedbackRounds + 1,
      onMaxIterations: "fail",
    })
    .if(({ specDecision }) => specDecision === "approved", { id: "is-approved" })
    .then(prepareBranch)
    .then(createImplementNode({ agents }))
    .if(({ prBranch }) => prBranch !== "", { id: "has-branch" })
    .then(createPullRequest)
    .endif()
    .endif()
    .end()
    .compile({
      name: "atomic",
      output: summarizeAtomic,
      ...(checkpointing === undefined ? {} : { checkpointing }),
    });
}

/** What a run came to, for people. Pure. */
function summarizeAtomic(state: Readonly<AtomicWorkflowState>): string {
  const { specDecision, specPath, summary } = state;
  if (specDecision === "rejected")
    return `The specification was rejected.${specPath === "" ? "" : ` It is in ${specPath}.`}`;
  return [summary, `Specification: ${specPath}`, ...summarizePullRequest(state)].join("\n");
}
