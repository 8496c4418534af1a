export { type AskedQuestion, askedQuestionsOf, formatAnswer } from "./asked-questions.ts";
export type { ChangedLine } from "./changed-line.ts";
export { describeCall } from "./describe-call.ts";
export {
  formatAge,
  formatCost,
  formatCount,
  formatDuration,
  formatTable,
  formatTime,
  formatUsage,
  formatUsageByAgent,
  type TableStyle,
  wrapWords,
} from "./format-text.ts";
export { type ActiveNode, EMPTY_PROGRESS, nameOf, type ProgressModel, reduceProgress } from "./progress-model.ts";
export { describeDue, questionText } from "./question-text.ts";
export { columnsOf, padColumns, safeJson, safeLine, safeText } from "./safe-text.ts";
export { simplifyEmoji } from "./simplify-emoji.ts";
export { changedTaskOf, countDone, type TaskItem, taskItemsOf } from "./task-items.ts";
export { describeTooLong } from "./text-limit.ts";
export { callOf, linesOf, reduceTranscript, type Transcript, type TranscriptEntry } from "./transcript.ts";
export { CONTINUATION, markAfter, markLines, wrapLine } from "./visible/mark-lines.ts";
export {
  makeVisible,
  visibleLabel,
  visibleLine,
  visibleMessage,
} from "./visible/visible-text.ts";
export { wrapOutput } from "./wrap-output.ts";
