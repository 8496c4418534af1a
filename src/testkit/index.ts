export { VirtualClock } from "../graph/index.ts";
export type { ModelReply, ModelScript, ModelToolCall, ModelUsage } from "./model-server/model-reply.ts";
export type { ModelProtocol, ModelRequest } from "./model-server/model-request.ts";
export {
  type ConversationOptions,
  ScriptExhaustedError,
  scriptConversation,
} from "./model-server/script-conversation.ts";
export {
  type ModelServer,
  type ModelServerOptions,
  ModelServerStoppedError,
  startModelServer,
} from "./model-server/start-model-server.ts";
export { RecordingDeniedError, RecordingIncompleteError, RecordingUnsafeError } from "./recording/apply-changes.ts";
export type { FileChange } from "./recording/file-change.ts";
export { type Place, withoutChance } from "./recording/places.ts";
export { type RecordAgentOptions, type RecordingAgent, recordAgent } from "./recording/record-agent.ts";
export { Recorder, type RecorderOptions } from "./recording/recorder.ts";
export type {
  RecordedAgentInfo,
  RecordedCall,
  RecordedContext,
  RecordedFailure,
  RecordedSettings,
  RecordedTurn,
  RecordedVisit,
  Recording,
  RecordingEnd,
  RecordingEntry,
  RecordingStart,
} from "./recording/recording.ts";
export {
  loadRecording,
  openRecordingFile,
  type RecordingFile,
  type RecordingFileOptions,
  RecordingInvalidError,
} from "./recording/recording-file.ts";
export { type ReplayedAgent, type ReplayOptions, replayAgent } from "./recording/replay.ts";
export {
  ReplayFailedError,
  ReplayMismatchError,
  ReplayTurnInterruptedError,
  ReplayTurnMissingError,
} from "./recording/replay-errors.ts";
export { ScriptedReplyError } from "./scripted-agent/check-reply.ts";
export { createScriptedAgent, type ScriptedAgent } from "./scripted-agent/create-scripted-agent.ts";
export type {
  AgentScript,
  ScriptedAction,
  ScriptedActionResult,
  ScriptedAgentOptions,
  ScriptedReply,
  ScriptedTurn,
  ScriptedTurnTools,
} from "./scripted-agent/scripted-turn.ts";
export type { TestAnswers } from "./workflow-test/answer-book.ts";
export { TestInputError } from "./workflow-test/check-test-input.ts";
export {
  type AgentPatterns,
  type PatternReply,
  type PromptMatch,
  type PromptPattern,
  patternScript,
  UnmatchedPromptError,
} from "./workflow-test/pattern-script.ts";
export { NotAWorkflowError, runWorkflow, type TestSubject } from "./workflow-test/run-workflow.ts";
export type { RunWorkflowOptions, TestInput } from "./workflow-test/run-workflow-options.ts";
export type { GivenAgents, TestAgent, TestTurn } from "./workflow-test/test-agent.ts";
export { createTestRepository, type TestRepository } from "./workflow-test/test-repository.ts";
export type { TestFiles, TestRepositoryOptions } from "./workflow-test/test-repository-options.ts";
export { type TestVisit, WorkflowTestResult } from "./workflow-test/test-result.ts";
