import { annotation, defineState, type StateOf } from "../../graph/index.ts";

/** What a person decided about a script. */
export type ScriptDecision = "run" | "keep" | "discard" | "changes";

/** What a script that passed its checks would do. */
export interface DraftOutline {
  readonly name: string;
  readonly description: string;
  readonly phases: readonly string[];
  /** The agents that its text calls, each with the line and whether it is called at most once. */
  readonly agents: readonly { readonly label: string; readonly line: number; readonly isSingle: boolean }[];
  /** How many agents it calls at most; null where that depends on answers. */
  readonly maxAgents: number | null;
  /** How many it called in a rehearsal with made-up answers; null without one. */
  readonly rehearsedAgents: number | null;
  /** Its commands, and whether the run's policy allows them without approval. */
  readonly commands: readonly { readonly command: string; readonly isAllowed: boolean }[];
}

/** The state of a run that has an agent write a script. The first three fields are its input. */
export const WriteState = defineState({
  /** What the script is to do, or the path of a file that says it. */
  prompt: annotation(""),
  /** The name that the script must have; empty: the agent chooses. */
  name: annotation(""),
  /** Whether the script is kept without a question. */
  keep: annotation(false),
  goal: annotation(""),
  script: annotation(""),
  /** What is wrong with the script; empty for one that can run. */
  problems: annotation<readonly string[]>([]),
  /** How many drafts were checked since a person last said something. */
  draftCount: annotation(0),
  outline: annotation<DraftOutline | null>(null),
  decision: annotation<ScriptDecision>("changes"),
  /** What a person wants changed. */
  feedback: annotation(""),
  feedbackRounds: annotation(0),
  result: annotation<unknown>(null),
  /** Whether a person wants to keep a script that has run. */
  isWanted: annotation(false),
  /** Where the script is kept, from the working directory; empty where it is not. */
  keptPath: annotation(""),
});

/** The state of such a run. */
export type WriteState = StateOf<typeof WriteState>;
