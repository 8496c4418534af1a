import { AtomicError, type RunStatus } from "../contracts/index.ts";

/** The exit codes of Atomic; documented in the README. */
export const ExitCode = {
  done: 0,
  failed: 1,
  /** The call is wrong: an option, a name or a file of the user. */
  usage: 2,
  /** A run waits for a person; of `permissions why`: the call requires approval. */
  suspended: 3,
  /** The run was cancelled or paused before its end. 128 + SIGINT, as shells have it. */
  cancelled: 130,
} as const;

/** One of {@link ExitCode}. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Codes of errors that the caller corrects; nothing was started. */
const USAGE_CODES: ReadonlySet<string> = new Set([
  "NODE_AMBIGUOUS",
  "NODE_NOT_UNDER_WAY",
  "NODE_USE_INVALID",
  "RUN_NOT_EXECUTED",
  "ANSWER_INVALID",
  "CONFIG_INVALID",
  "FEATURE_LIST_INVALID",
  "GIT_SETTINGS_UNKNOWN",
  "GRAPH_CHANGED",
  "GRAPH_INVALID",
  "INPUT_INVALID",
  "PERMISSION_ANSWER",
  "PERMISSION_MEMORY_BROKEN",
  "HOME_INVALID",
  "KEY_INVALID",
  "PROJECT_MISSING",
  "PROJECT_TOO_WIDE",
  "PROJECT_UNTRUSTED",
  "TRUST_NOT_SAVED",
  "REQUEST_UNKNOWN",
  "RUN_FINISHED",
  "RUN_LOCKED",
  "RUN_NOT_EDITABLE",
  "RUN_PAUSING",
  "RUN_UNFINISHED",
  "RUN_UNKNOWN",
  "SANDBOX_INVALID",
  "SETTING_INVALID",
  "SESSIONS_UNWRITABLE",
  "STATE_CHANGED",
  "STATE_UNKNOWN_FIELD",
  "STATE_VERSION",
  "TASKS_FILE_INVALID",
  "THEME_INVALID",
  "TOOL_BROKEN",
  "TRUST_LIST_BROKEN",
  "UNKNOWN_SESSION",
  "USAGE",
  "WORKFLOW_AMBIGUOUS",
  "WORKFLOW_BROKEN",
  "WORKFLOW_CREATE_FAILED",
  "WORKFLOW_EXISTS",
  "WORKFLOW_FILE_MISSING",
  "WORKFLOW_NOT_A_GRAPH",
  "WORKFLOW_SESSION_AMBIGUOUS",
  "WORKFLOW_SESSION_ID_INVALID",
  "WORKFLOW_SESSION_NOT_FOUND",
  "WORKFLOW_UNKNOWN",
  "WORKTREE_NOT_FOUND",
  "WORKING_TREE_BUSY",
  "WORKING_TREE_LOCK_BROKEN",
  "AGENT_CONFIG_INVALID",
  "AGENT_UNGATED",
  "PROMPT_INPUT_MISSING",
  "RECORDING_INVALID",
  "RALPH_PROMPT_FILE_EMPTY",
  "RALPH_PROMPT_FILE_NOT_FOUND",
  "RALPH_PROMPT_UNUSABLE",
  "RALPH_SESSIONS_NOT_MIGRATED",
  "REVIEW_BASE_UNKNOWN",
  "REVIEW_GIT_MISSING",
  "REVIEW_NO_WORK_TREE",
  "AGENT_UNKNOWN",
]);

/** The exit code of an error that ended a call. */
export function exitCodeOfError(error: unknown): ExitCode {
  return error instanceof AtomicError && USAGE_CODES.has(error.code) ? ExitCode.usage : ExitCode.failed;
}

/** The exit code of a run. */
export function exitCodeOfStatus(status: Exclude<RunStatus, "running">): ExitCode {
  switch (status) {
    case "completed":
      return ExitCode.done;
    case "suspended":
      return ExitCode.suspended;
    case "cancelled":
      return ExitCode.cancelled;
    case "failed":
      return ExitCode.failed;
  }
}

/** The exit code of a run that this call executed or watched. One without a question was paused. */
export function exitCodeOfEnd({
  status,
  requests,
}: {
  readonly status: Exclude<RunStatus, "running">;
  readonly requests: readonly unknown[];
}): ExitCode {
  return status === "suspended" && requests.length === 0 ? ExitCode.cancelled : exitCodeOfStatus(status);
}

/** The exit code of a call whose run continued in another process. */
export function exitCodeElsewhere(status: RunStatus | "interrupted"): ExitCode {
  if (status === "running") return ExitCode.suspended;
  return status === "interrupted" ? ExitCode.failed : exitCodeOfStatus(status);
}
