import { z } from "zod";
import { type CompiledGraph, type GraphBuilder, graph, InvalidOptionsError } from "../../graph/index.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import { REVIEW_LIMITS } from "./review-metadata.ts";
import {
  createCollectNode,
  createConcludeNode,
  createReadNode,
  createReviewerNode,
  createVerifierNode,
  fixFindings,
  noteFixFailure,
  noteReviewerFailure,
  noteUnverified,
  partNames,
  prepareReview,
} from "./review-nodes.ts";
import { confirmedFindings, createReport, type ReviewReport } from "./review-report.ts";
import { ReviewState } from "./review-state.ts";
import {
  chooseVerifier,
  DEFAULT_REVIEWERS,
  nodeIdOf,
  REVIEW_FOCUSES,
  type Reviewer,
  resolveReviewers,
  verifyingAgents,
} from "./reviewers.ts";

const ReviewConfigSchema = z.strictObject({
  /**
   * Who reviews: names of built-in reviewers, with an agent if you like (`bugs@claude`), or reviewers of your own.
   * @default bugs, security, tests and simplicity
   */
  reviewers: z
    .array(
      z.union([
        z.string(),
        z.strictObject({
          focus: z.string(),
          agent: z.string().min(1).optional(),
          instructions: z.string().min(1).optional(),
        }),
      ]),
    )
    .optional(),
  /** The vendors' agents that share the work. @default the run's agent alone */
  agents: z.array(z.string().min(1)).optional(),
  /** How much of the diff a prompt contains, in characters. @default 60_000 */
  maxDiffLength: z.int().min(1_000).optional(),
  /** How many prompts a reviewer gets at most; what is beyond is left out, and the result says so. @default 8 */
  maxParts: z.int().min(1).optional(),
  /** Files that are not reviewed, relative to the working directory: such as the one that the result is written to. */
  except: z.array(z.string().min(1)).optional(),
  /** How many findings are checked, the worst first. @default 100 */
  maxFindings: z.int().min(1).optional(),
  /** Whether runs are kept where there is a checkpointer; see `compile()`. */
  checkpointing: z.boolean().optional(),
});

/** Settings of {@link createReviewWorkflow}. */
export type ReviewConfig = Readonly<z.input<typeof ReviewConfigSchema>>;

/** More agents than this at once are more than most plans of vendors allow. */
const MAX_CONCURRENCY = 6;

/**
 * Reviews changes: several reviewers read the diff side by side, their findings are merged, and another agent confirms or
 * refutes each of them. The result is a {@link ReviewReport}.
 *
 * ```ts
 * const { output } = await createReviewWorkflow({ agents: ["claude", "opencode"] }).run({ diff }, { services });
 * console.log(formatReview(output, "text"));
 * ```
 *
 * @throws InvalidOptionsError
 */
export function createReviewWorkflow(config: ReviewConfig = {}): CompiledGraph<ReviewState, ReviewReport> {
  const { checkpointing, ...settings } = parseConfig(config);
  const { maxDiffLength = REVIEW_LIMITS.maxDiffLength, maxParts = REVIEW_LIMITS.maxParts } = settings;
  const { maxFindings = REVIEW_LIMITS.maxFindings } = settings;
  const { reviewers, agents } = settings;
  const [first, ...others] = [...new Set([...Object.keys(REVIEW_FOCUSES), ...reviewers.map(({ focus }) => focus)])];
  // The first one is a built-in focus.
  const categories: readonly [string, ...string[]] = [first ?? "bugs", ...others];
  const fix = graph(ReviewState).start(fixFindings).catch(noteFixFailure);
  return graph(ReviewState)
    .start(createReadNode({ maxDiffLength, maxParts }, settings.except))
    .if(({ changes }) => (changes?.parts.length ?? 0) > 0, { id: "has-changes" })
    .then(prepareReview)
    .parallel(
      reviewers.map((reviewer) => reviewBranch(reviewer, categories)),
      { id: "reviewers", names: reviewers.map(({ nodeId }) => nodeId) },
    )
    .then(createCollectNode(reviewers, maxFindings))
    .parallel(
      agents.map((agent) => verifyBranch(agent, { agents, reviewers, maxFindings })),
      { id: "verifiers", names: agents.map((agent) => nodeIdOf("verify", agent)) },
    )
    .then(createConcludeNode(reviewers))
    .if((state) => state.fix && confirmedFindings(state).length > 0, { id: "fixes" })
    .then(fix)
    .endif()
    .endif()
    .end()
    .compile({
      name: "review",
      maxConcurrency: MAX_CONCURRENCY,
      output: (state) => createReport(state, reviewers),
      ...(checkpointing === undefined ? {} : { checkpointing }),
    });
}

function reviewBranch(reviewer: Reviewer, categories: readonly [string, ...string[]]): GraphBuilder<ReviewState> {
  const { nodeId } = reviewer;
  const step = graph(ReviewState).start(createReviewerNode(reviewer, categories)).catch(noteReviewerFailure(nodeId));
  return graph(ReviewState).map(partNames, step, { id: `${nodeId}-parts` });
}

interface VerifierSettings {
  readonly agents: readonly (string | undefined)[];
  readonly reviewers: readonly Reviewer[];
  readonly maxFindings: number;
}

function verifyBranch(agent: string | undefined, settings: VerifierSettings): GraphBuilder<ReviewState> {
  const step = graph(ReviewState).start(createVerifierNode(agent)).catch(noteUnverified);
  const items = (state: Readonly<ReviewState>): readonly string[] => findingsFor(agent, settings, state);
  return graph(ReviewState).map(items, step, { id: nodeIdOf("findings", agent) });
}

/** The ids of the findings that an agent checks. */
function findingsFor(
  agent: string | undefined,
  { agents, reviewers, maxFindings }: VerifierSettings,
  state: Readonly<ReviewState>,
): readonly string[] {
  const { findings, runAgent } = state;
  // The run's agent may be one of those that have a name.
  const names = agents.map((known) => known ?? runAgent);
  const name = agent ?? runAgent;
  if (names.indexOf(name) !== agents.indexOf(agent)) return [];
  // An agent that could review nothing could check nothing either.
  const outcomes = createReport(state, reviewers).reviewers;
  const isBroken = (candidate: string): boolean => {
    const own = outcomes.filter((outcome) => outcome.agent === candidate);
    return own.length > 0 && own.every(({ status }) => status === "failed");
  };
  const working = [...new Set(names)].filter((candidate) => !isBroken(candidate));
  return findings
    .slice(0, maxFindings)
    .filter(({ reports }, index) => {
      const reporters = reports.map((report) => report.agent);
      return chooseVerifier(reporters, working, index) === name;
    })
    .map(({ id }) => id);
}

interface ResolvedConfig extends Omit<ReviewConfig, "reviewers" | "agents"> {
  readonly reviewers: readonly Reviewer[];
  /** All agents of the review; `undefined` is the run's. */
  readonly agents: readonly (string | undefined)[];
}

/** @throws InvalidOptionsError */
function parseConfig(config: unknown): ResolvedConfig {
  const { success, data, error } = ReviewConfigSchema.safeParse(config);
  if (!success) throw new InvalidOptionsError("createReviewWorkflow", describeIssues(error));
  const { reviewers: settings = DEFAULT_REVIEWERS, agents = [], ...others } = data;
  const { reviewers, problems } = resolveReviewers(settings, agents);
  if (problems.length > 0) throw new InvalidOptionsError("createReviewWorkflow", problems);
  return { ...others, reviewers, agents: verifyingAgents(reviewers, agents) };
}
