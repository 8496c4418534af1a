import type {
  AgentCapabilities,
  DeniedPermission,
  RunErrorInfo,
  RunStatus,
  ToolKind,
  Usage,
  UsageByAgent,
} from "../../contracts/index.ts";
import type { FileChange } from "./file-change.ts";

/** The version of the format of recordings. A later version that old readers misread has a higher number. */
export const RECORDING_VERSION = 1;

/** The first line of a recording: whose it is. */
export interface RecordingStart {
  readonly type: "recording";
  readonly version: number;
  readonly runId: string;
  readonly workflow: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** An agent, before its first turn. */
export interface RecordedAgentInfo {
  readonly type: "agent";
  readonly agentType: string;
  readonly capabilities: AgentCapabilities;
  readonly hasFreeContextUsage: boolean;
}

/** A tool call of a turn. */
export interface RecordedCall {
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly input: unknown;
  /** What the tool returned, possibly shortened. */
  readonly output: string;
  readonly isError?: true;
}

/** The settings of a turn that decide about its answer. */
export interface RecordedSettings {
  readonly model?: string;
  readonly reasoningEffort?: string;
  readonly systemPrompt?: string;
  readonly allowedTools?: readonly string[];
  readonly permissionMode?: string;
  /** The JSON Schema of the answer. */
  readonly outputSchema?: unknown;
}

/** How a turn failed. */
export interface RecordedFailure {
  readonly code: string;
  readonly message: string;
  readonly isRetryable?: boolean;
  readonly retryAfterMs?: number;
}

/** A turn of an agent. In texts, folders and ids that differ from run to run are replaced by names such as `<folder>`. */
export interface RecordedTurn {
  readonly type: "turn";
  /** What the agent worked for, such as `implement#2`. */
  readonly taskId: string;
  /** The number of the turn within `taskId`, in the order in which they started, from 1. */
  readonly turn: number;
  /** The position in the order in which all turns of the recording ended. */
  readonly order: number;
  readonly agentType: string;
  readonly folder: string;
  readonly settings: RecordedSettings;
  readonly prompt: string;
  /** SHA-256 hashes of the images in the prompt. */
  readonly images?: readonly string[];
  readonly calls: readonly RecordedCall[];
  /** The text of the answer. */
  readonly reply?: string;
  readonly structured?: unknown;
  readonly deniedPermissions?: readonly DeniedPermission[];
  readonly error?: RecordedFailure;
  /** The caller ended the turn. */
  readonly isAborted?: true;
  readonly usage: Usage;
  readonly startedAt: number;
  readonly durationMs: number;
  /** What the turn changed in its working directory. */
  readonly changes: readonly FileChange[];
}

/** How full an agent's context window was when the run looked. */
export interface RecordedContext {
  readonly type: "context";
  readonly taskId: string;
  readonly usedTokens: number;
  readonly maxTokens: number;
  readonly fraction: number;
}

/** The end of a visit of a node. */
export interface RecordedVisit {
  readonly type: "visit";
  readonly taskId: string;
  readonly nodeId: string;
  readonly status: "completed" | "skipped" | "failed" | "dropped";
  readonly attempts: number;
  readonly durationMs?: number;
  readonly usage?: Usage;
  readonly isPassed?: boolean;
  readonly error?: string;
}

/** The end of the run, or of one process's part in it. */
export interface RecordingEnd {
  readonly type: "end";
  readonly at: number;
  readonly status: Exclude<RunStatus, "running">;
  readonly usage: Usage;
  readonly usageByAgent?: UsageByAgent;
  readonly error?: RunErrorInfo;
}

/** A line of a recording. */
export type RecordingEntry =
  | RecordingStart
  | RecordedAgentInfo
  | RecordedTurn
  | RecordedContext
  | RecordedVisit
  | RecordingEnd;

/** The agent turns of a run, and how it went. */
export interface Recording {
  readonly start: RecordingStart;
  readonly agents: readonly RecordedAgentInfo[];
  /** In the order in which they ended. */
  readonly turns: readonly RecordedTurn[];
  readonly contexts: readonly RecordedContext[];
  readonly visits: readonly RecordedVisit[];
  /** The last end; absent while the run is in progress, or when its process died. */
  readonly end?: RecordingEnd;
}

/** The node of a visit: the last part of its id, without the count. Pure. */
export function nodeOfTask(taskId: string): string {
  return (taskId.split("/").at(-1) ?? taskId).replace(/#\d+$/, "");
}

/** Sorts the entries of a recording by kind. Pure. */
export function collectRecording(entries: readonly RecordingEntry[]): Recording | undefined {
  const ofType = <T extends RecordingEntry["type"]>(type: T) =>
    entries.filter((entry): entry is Extract<RecordingEntry, { type: T }> => entry.type === type);
  const [start] = ofType("recording");
  if (start === undefined) return undefined;
  const end = ofType("end").at(-1);
  return {
    start,
    agents: ofType("agent"),
    turns: ofType("turn"),
    contexts: ofType("context"),
    visits: ofType("visit"),
    ...(end === undefined ? {} : { end }),
  };
}
