// The engine's second face, for code that executes graphs in another place than LocalRunner does. Only the room `cluster`
// and the conformance suite of such places import it, and the test kit, which checks options as the engine does: it may
// change with any version.
// Read `testkit/conformance/engine/memory-run-port.ts` first: it is the smallest such place.

export type { GraphCode } from "./compile/graph-code.ts";
export { applyRecord } from "./decide/apply-record.ts";
export { toRunError } from "./decide/records/failure.ts";
export {
  type BeginningRecord,
  decodeRecord,
  encodeRecord,
  type JournalRecord,
} from "./decide/records/journal-record.ts";
export type { Failure, RunState, Task } from "./decide/records/run-state.ts";
export { createStepRecord } from "./decide/result-record.ts";
export { outputOfRun } from "./decide/run-output.ts";
export type {
  FinishedRun,
  PortEvent,
  PublishedEvent,
  RunLimits,
  RunOutcome,
  RunPort,
  TaskReport,
} from "./decide/run-port.ts";
export { GRAPH_OPTIONS, settingsOf } from "./model/graph-config.ts";
export { mergeSettings } from "./model/merge-settings.ts";
export { spentIn } from "./model/spent.ts";
export { assertOptions } from "./options/check-call.ts";
export {
  type AnyOptionTable,
  findOptionProblems,
  listOf,
  type OptionTable,
  shape,
} from "./options/find-option-problems.ts";
export {
  aFunction,
  amount,
  anything,
  either,
  having,
  insteadOf,
  type OptionCheck,
  object,
  oneOf,
  required,
  saver,
  someText,
  text,
  yesOrNo,
} from "./options/option-checks.ts";
export { showValue } from "./options/show-value.ts";
export { Coordinator, type TakenFirst } from "./run/coordinator.ts";
export { type ContextHost, NodeContext } from "./run/node-context.ts";
export { NodeTimer, type NodeTimerOptions } from "./run/node-timer.ts";
export {
  createResumedRecord,
  type PastRun,
  type RunReference,
  restorePastRun,
  validateAnswers,
} from "./run/past-runs.ts";
export { RUN_OPTIONS } from "./run/run-options.ts";
export { limitsOf, resultOf } from "./run/run-session.ts";
export { createRun, type FirstRecordOptions, type RunnableGraph } from "./run/start-run.ts";
