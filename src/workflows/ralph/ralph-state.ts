import { annotation, type CommandResult, defineState, Reducers, type StateOf, type Task } from "../../graph/index.ts";

/** What Ralph knows while it works. The first two fields are its input. */
export const RalphState = defineState({
  /** What is wanted, or the path of a file that says it. */
  prompt: annotation(""),
  /** The command that must succeed before the work counts as done; empty for none. */
  verifyCommand: annotation(""),
  /** What is wanted, in full: the prompt, or the content of the file it names. */
  goal: annotation(""),
  tasks: annotation<Task[]>([], Reducers.mergeById<Task>("id")),
  /** The task the worker has now. */
  currentTaskId: annotation(""),
  /** How the verify command ended last. */
  verification: annotation<CommandResult | null>(null),
  isFinished: annotation(false),
});

/** The state of a run of Ralph. */
export type RalphState = StateOf<typeof RalphState>;
