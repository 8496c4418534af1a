import type { z } from "zod";
import { messageOf, type PermissionPolicy } from "../../contracts/index.ts";
import {
  agentNode,
  type ExecutionContext,
  MissingServiceError,
  type NodeDefinition,
  type NodeResult,
} from "../../graph/index.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import { findingsSchema, shorten, type Verification, verdictSchema } from "./finding.ts";
import { type GitPlace, resolveReviewBase } from "./git-repository.ts";
import { mergeFindings } from "./merge-findings.ts";
import { parseDiff } from "./parse-diff.ts";
import { type Changes, readChanges } from "./read-changes.ts";
import { InvalidReviewInputError, ReviewFailedError } from "./review-errors.ts";
import { ReviewInputs } from "./review-metadata.ts";
import { fixPrompt, placeOf, reviewPrompt, verifyPrompt } from "./review-prompts.ts";
import { confirmedFindings, createReport } from "./review-report.ts";
import type { ReviewState } from "./review-state.ts";
import { nodeIdOf, type Reviewer } from "./reviewers.ts";
import { type DiffPart, type SplitLimits, splitChanges } from "./split-changes.ts";

/** The ids of the nodes that every review has. Reviewers have their own, such as `review-bugs` and `review-bugs-claude`. */
export const REVIEW_NODE_IDS = {
  readChanges: "read-changes",
  prepare: "prepare",
  collect: "collect-findings",
  conclude: "conclude",
  fix: "fix",
} as const;

/**
 * What reviewers and verifiers may do, whatever the run's own policy allows: read the files of the project. A denial cannot be
 * overruled by `--allow`, `--yolo` or an earlier approval.
 */
export const READ_ONLY: PermissionPolicy = {
  rules: [{ effect: "deny", tools: ["edit", "shell", "fetch", "mcp", "agent", "other"] }],
  otherwise: "deny",
};

/** The tools that reviewers and verifiers are offered. */
export const READING_TOOLS: readonly string[] = ["read", "grep", "glob", "list"];

/** How much of a worker's summary is kept, in characters. */
const MAX_SUMMARY_LENGTH = 2_000;

/** Reads the changes, and divides them into prompts. */
export function createReadNode(limits: SplitLimits, except: readonly string[] = []): NodeDefinition<ReviewState> {
  return {
    id: REVIEW_NODE_IDS.readChanges,
    type: "tool",
    name: "Read the changes",
    async execute({ state, services, signal, nodeId }) {
      // A caller in code passes the input without a check of its own.
      const { error } = ReviewInputs.safeParse(state);
      if (error !== undefined) throw new InvalidReviewInputError(describeIssues(error));
      const { git, workingDirectory = "." } = services;
      if (state.diff !== "") {
        const files = parseDiff(state.diff);
        if (files.length === 0 && state.diff.trim() !== "") {
          throw new InvalidReviewInputError(["diff: it is no unified diff"]);
        }
        const changes = { files, leftOut: [] };
        return { stateUpdate: { changes: divide(changes, limits, { name: "", commit: "", folder: "" }) } };
      }
      if (git === undefined) throw new MissingServiceError("git", nodeId);
      const place: GitPlace = { git, workingDirectory, signal };
      const base = await resolveReviewBase(state.base, place);
      const changes = without(await readChanges(base, place, limits), new Set(except));
      return { stateUpdate: { changes: divide(changes, limits, base) } };
    },
  };
}

function without({ files, leftOut }: Changes, except: ReadonlySet<string>): Changes {
  const isReviewed = ({ path }: { readonly path: string }): boolean => !except.has(path);
  return { files: files.filter(isReviewed), leftOut: leftOut.filter(isReviewed) };
}

function divide(
  { files, leftOut }: Changes,
  limits: SplitLimits,
  { name: base, ...about }: { readonly name: string; readonly commit: string; readonly folder: string },
): NonNullable<ReviewState["changes"]> {
  const split = splitChanges(files, limits);
  // What no agent reads need not be in the journal.
  const read = new Set(split.parts.flatMap(({ pieces }) => pieces.map(({ index }) => index)));
  return {
    base,
    ...about,
    files: files.map((file, index) => (read.has(index) ? file : { ...file, hunks: [] })),
    parts: split.parts,
    leftOut: [...leftOut, ...split.leftOut],
  };
}

/** Finds out which agent reviewers without an agent of their own have. */
export const prepareReview: NodeDefinition<ReviewState> = {
  id: REVIEW_NODE_IDS.prepare,
  type: "tool",
  name: "Prepare the review",
  async execute({ services: { clients }, nodeId }) {
    if (clients === undefined) throw new MissingServiceError("clients", nodeId);
    return { stateUpdate: { runAgent: (await clients(undefined)).agentType } };
  },
};

/** Has an agent look for problems in one part of the diff: the item of the map around it is its name. */
export function createReviewerNode(
  reviewer: Reviewer,
  categories: readonly [string, ...string[]],
): NodeDefinition<ReviewState, string> {
  const { nodeId, focus, agent } = reviewer;
  const schema = findingsSchema(categories);
  return agentNode<ReviewState, z.infer<typeof schema>, string>({
    id: nodeId,
    name: agent === undefined ? `Review: ${focus}` : `Review: ${focus}, ${agent}`,
    ...(agent === undefined ? {} : { agentType: agent }),
    permissions: READ_ONLY,
    tools: READING_TOOLS,
    outputSchema: schema,
    buildMessage: (state, { item }) =>
      reviewPrompt(reviewer, partOf(state, item), {
        files: state.changes?.files ?? [],
        partCount: state.changes?.parts.length ?? 0,
      }),
    outputMapper: ({ structured }, _state, { item }) => ({
      answers: [{ id: `${nodeId}: ${item}`, nodeId, findings: structured.findings }],
    }),
  });
}

/** The names of the parts that reviewers read one by one. */
export function partNames({ changes }: Readonly<ReviewState>): readonly string[] {
  const parts = changes?.parts ?? [];
  return parts.length === 1 ? ["the whole diff"] : parts.map(({ number }) => `part ${number} of ${parts.length}`);
}

function partOf(state: Readonly<ReviewState>, name: string): DiffPart {
  const part = state.changes?.parts[partNames(state).indexOf(name)];
  if (part === undefined) throw new Error(`The diff has no ${name}`);
  return part;
}

/** Notes the failure of a reviewer: the others continue. */
export function noteReviewerFailure(
  nodeId: string,
): (error: Error, context: ExecutionContext<ReviewState>) => NodeResult<ReviewState> {
  return (error, { item }) => {
    const id = `${nodeId}: ${String(item)}`;
    return { stateUpdate: { answers: [{ id, nodeId, findings: [], error: shorten(error.message) }] } };
  };
}

/** Merges what the reviewers report. Fails if no reviewer has an answer; a resumed run then starts all of them again. */
export function createCollectNode(reviewers: readonly Reviewer[], maxFindings: number): NodeDefinition<ReviewState> {
  return {
    id: REVIEW_NODE_IDS.collect,
    type: "tool",
    name: "Merge the findings",
    targets: [REVIEW_NODE_IDS.prepare],
    async execute({ state, attempt, emit }) {
      const { answers, changes, runAgent } = state;
      const outcomes = createReport(state, reviewers).reviewers;
      if (outcomes.every(({ status }) => status === "failed")) {
        if (attempt > 1) return { goto: REVIEW_NODE_IDS.prepare };
        throw new ReviewFailedError(
          outcomes.map(({ focus, agent, error = "" }) => ({ reviewer: `${focus} (${agent})`, error })),
        );
      }
      for (const { focus, agent, status, error } of outcomes) {
        const what = status === "failed" ? "failed" : "failed on a part of the diff";
        if (status !== "done") emit({ type: "warning", message: `The reviewer ${focus} (${agent}) ${what}: ${error}` });
      }
      const reviews = reviewers.flatMap(({ nodeId, focus, agent = runAgent }) =>
        answers.filter((answer) => answer.nodeId === nodeId).map(({ findings }) => ({ focus, agent, findings })),
      );
      const { findings, dropped } = mergeFindings(reviews, changes?.files ?? []);
      const verdicts = findings.slice(maxFindings).map(({ id }) => ({ id, verification: TOO_MANY }));
      return { stateUpdate: { findings, dropped, verdicts } };
    },
  };
}

const TOO_MANY: Verification = { status: "unverified", reason: "There are more findings than a review checks." };

/** Has an agent confirm or refute one finding: the item of the map around it is the finding's id. */
export function createVerifierNode(agent: string | undefined): NodeDefinition<ReviewState, string> {
  return agentNode<ReviewState, z.infer<typeof verdictSchema>, string>({
    id: nodeIdOf("verify", agent),
    name: agent === undefined ? "Check a finding" : `Check a finding (${agent})`,
    title: (state, { item }) => {
      const { file, lines, title } = findingOf(state, item);
      return shorten(`Check${agent === undefined ? "" : ` (${agent})`}: ${placeOf(file, lines)}: ${title}`, 120);
    },
    ...(agent === undefined ? {} : { agentType: agent }),
    permissions: READ_ONLY,
    tools: READING_TOOLS,
    outputSchema: verdictSchema,
    buildMessage: (state, { item }) => verifyPrompt(findingOf(state, item), state.changes?.files ?? []),
    outputMapper: ({ structured: { verdict: status, reason } }, { runAgent }, { item }) => ({
      verdicts: [{ id: item, verification: { status, agent: agent ?? runAgent, reason: shorten(reason) } }],
    }),
  });
}

function findingOf({ findings }: Readonly<ReviewState>, id: unknown): ReviewState["findings"][number] {
  const finding = findings.find((candidate) => candidate.id === id);
  if (finding === undefined) throw new Error(`There is no finding ${String(id)}`);
  return finding;
}

/** Notes that a finding could not be checked. */
export function noteUnverified(error: Error, { item }: ExecutionContext<ReviewState>): NodeResult<ReviewState> {
  const verification: Verification = { status: "unverified", reason: shorten(`The check failed: ${error.message}`) };
  return { stateUpdate: { verdicts: [{ id: String(item), verification }] } };
}

/** Shows whether the review is passed. */
export function createConcludeNode(reviewers: readonly Reviewer[]): NodeDefinition<ReviewState> {
  return {
    id: REVIEW_NODE_IDS.conclude,
    type: "tool",
    name: "Conclude the review",
    async execute({ state }) {
      return { isPassed: createReport(state, reviewers).isPassed };
    },
  };
}

/** Hands the confirmed findings to a worker, with the permissions of the run. */
export const fixFindings: NodeDefinition<ReviewState> = agentNode<ReviewState>({
  id: REVIEW_NODE_IDS.fix,
  name: "Correct the confirmed findings",
  buildMessage: (state) => fixPrompt(confirmedFindings(state)),
  outputMapper: ({ content, deniedPermissions }, state) => ({
    fixOutcome: {
      agent: state.runAgent,
      findings: confirmedFindings(state).length,
      summary: content.trim().slice(0, MAX_SUMMARY_LENGTH),
      deniedCalls: deniedPermissions.length,
    },
  }),
});

/** Notes that the worker failed: the review itself is done. */
export function noteFixFailure(error: Error, { state }: ExecutionContext<ReviewState>): NodeResult<ReviewState> {
  const about = { agent: state.runAgent, findings: confirmedFindings(state).length, summary: "", deniedCalls: 0 };
  return { stateUpdate: { fixOutcome: { ...about, error: shorten(messageOf(error)) } } };
}
