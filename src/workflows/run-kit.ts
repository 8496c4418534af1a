// The second face of the workflows, for the program: what most of its commands need. `index.ts` also loads the review,
// worktrees and what only programs use.

export { type FollowEventsOptions, followEvents, readEvents } from "./event-record/read-events.ts";
export { EVENTS_FILE, recordEvents } from "./event-record/record-events.ts";
export { HintProvider } from "./hints/hint-provider.ts";
export { type InheritedPast, type InheritedVisit, readInheritedPast } from "./inherited-visits.ts";
export {
  isUnstartedFork,
  type PauseState,
  pauseStateOf,
  type ShownStatus,
  shownStatusOf,
} from "./pause-state.ts";
export {
  createWorkflowRegistry,
  type RegisteredWorkflow,
  UnknownWorkflowError,
  type WorkflowRegistry,
} from "./registry/workflow-registry.ts";
export { createSessionStore, type SessionStore, workflowSessionsDirectory } from "./session-store/session-store.ts";
export { readVisitTitles } from "./visit-titles.ts";
export { createWorkflowRuns, type WorkflowRuns } from "./workflow-runs.ts";
