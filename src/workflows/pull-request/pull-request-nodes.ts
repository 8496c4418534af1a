import { messageOf } from "../../contracts/index.ts";
import type { BaseState, NodeDefinition } from "../../graph/index.ts";
import { findPullRequestPlace, openPullRequest, switchToBranch } from "./pull-request.ts";

/** How many words of a goal name its branch. */
const MAX_NAME_WORDS = 6;
/** The longest title, in characters. */
const MAX_TITLE_LENGTH = 100;

/** What a workflow that opens a pull request knows about it. */
export interface PullRequestState extends BaseState {
  /** What is wanted, in full. */
  goal: string;
  /** Whether a pull request is wanted. */
  pullRequest: boolean;
  /** The branch that it is of; empty without one. */
  prBranch: string;
  /** Its address; empty without one. */
  prUrl: string;
  /** Why none was opened, in one sentence; empty where one was, or where none is wanted. */
  prProblem: string;
}

/** The lines about the pull request in what the work came to. Pure. */
export function summarizePullRequest({
  prUrl,
  prProblem,
}: Readonly<Pick<PullRequestState, "prUrl" | "prProblem">>): readonly string[] {
  if (prUrl !== "") return [`Pull request: ${oneLine(prUrl)}`];
  return prProblem === "" ? [] : [`No pull request: ${oneLine(prProblem)}`];
}

/** What a program says cannot look like another line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Words of a goal that are safe in a path and a branch. */
export function nameOfGoal(goal: string): string {
  const words = goal.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, MAX_NAME_WORDS).join("-").slice(0, 60) || "work";
}

/** Where a pull request will be opened, work on the default branch moves to a branch of its own first. */
export function createPrepareBranchNode<State extends PullRequestState>({
  id,
  nameBranch,
}: {
  readonly id: string;
  /** Names that branch. Must be pure. */
  readonly nameBranch: (state: Readonly<State>, runId: string) => string;
}): NodeDefinition<State> {
  return {
    id,
    type: "tool",
    name: "Prepare the branch",
    async execute(context) {
      const { state, emit, step, runId } = context;
      if (!state.pullRequest) return {};
      const place = await step("place", () => findPullRequestPlace(context));
      if (place.type === "impossible") {
        emit({ type: "log", message: `No pull request will be opened: ${place.reason}.` });
        // The cast is true: every such state has the field.
        return { stateUpdate: { prProblem: `${place.reason}.` } as Partial<State> };
      }
      const prBranch = place.isDefault ? nameBranch(state, runId) : place.branch;
      if (place.isDefault) {
        await switchToBranch(prBranch, context);
        emit({ type: "log", message: `The work is done on the branch ${prBranch}.` });
      }
      // The cast is true: every such state has the field.
      return { stateUpdate: { prBranch } as Partial<State> };
    },
  };
}

/** Opens the pull request. What prevents it is said, and does not fail the work, which is done. */
export function createPullRequestNode<State extends PullRequestState>({
  id,
  bodyOf,
}: {
  readonly id: string;
  /** Its text, in Markdown. Must be pure. */
  readonly bodyOf: (state: Readonly<State>) => string;
}): NodeDefinition<State> {
  return {
    id,
    type: "tool",
    name: "Open the pull request",
    async execute(context) {
      const { state, emit, signal } = context;
      const [title = ""] = state.goal.trim().split("\n");
      const about = { title: title.replace(/^#+\s*/, "").slice(0, MAX_TITLE_LENGTH), body: bodyOf(state) };
      try {
        const prUrl = await openPullRequest({ branch: state.prBranch, ...about }, context);
        emit({ type: "log", message: `Pull request: ${prUrl}` });
        // The cast is true: every such state has the fields.
        return { stateUpdate: { prUrl, prProblem: "" } as Partial<State> };
      } catch (error) {
        signal.throwIfAborted();
        const prProblem = messageOf(error);
        emit({ type: "log", message: `No pull request was opened. ${prProblem}` });
        // The cast is true, as above.
        return { stateUpdate: { prProblem } as Partial<State> };
      }
    },
  };
}

/** A text with what the work came to below it, in Markdown. */
export function withResult(text: string, summary: string): string {
  return [text.trim(), "", "## Result", "", "```", summary, "```"].join("\n");
}
