import { annotation, defineState, type StateOf } from "../../graph/index.ts";

/** What an explorer found out. */
export interface ResearchPage {
  /** The explorer, and the name of the page's file. */
  readonly topic: string;
  readonly text: string;
}

/** What a person decided about the specification. */
export type SpecDecision = "approved" | "rejected" | "changes";

/** The state of the Atomic workflow. The first six fields are its input. */
export const AtomicStateAnnotation = defineState({
  /** What is wanted, or the path of a file that says it. */
  prompt: annotation(""),
  /** As in `RalphState`. */
  verifyCommand: annotation(""),
  /** As in `RalphState`. */
  workers: annotation(0),
  /** As in `RalphState`. */
  setupCommand: annotation(""),
  /** Whether the changes are reviewed. */
  review: annotation(true),
  /** Whether a pull request is opened, where there is a remote and `gh`. */
  pullRequest: annotation(true),
  goal: annotation(""),
  /** The folder of research and specification, from the working directory. */
  folder: annotation(""),
  research: annotation<readonly ResearchPage[]>([]),
  specDoc: annotation(""),
  /** The path of the specification, from the working directory. */
  specPath: annotation(""),
  specDecision: annotation<SpecDecision>("changes"),
  /** What a person wants changed in the specification. */
  feedback: annotation(""),
  feedbackRounds: annotation(0),
  /** The branch that the pull request is of; empty without one. */
  prBranch: annotation(""),
  prUrl: annotation(""),
  /** Why no pull request was opened; empty where one was, or where none is wanted. */
  prProblem: annotation(""),
  /** What the implementation came to. */
  summary: annotation(""),
});

/** The state of a run of the Atomic workflow. */
export type AtomicWorkflowState = StateOf<typeof AtomicStateAnnotation>;
