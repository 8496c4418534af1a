import type { AgentEvent, SessionConfig, SystemPrompt, Usage } from "../../contracts/index.ts";

/** A piece of work for an agent of its own. */
export interface SubagentOptions {
  readonly runId: string;
  /** Identifies the piece of work within the run; the same after a restart. May hold any character. */
  readonly agentId: string;
  /** 1 at first, 2 after a failure or a crash: then a runner may go on with what it began under this `agentId`. */
  readonly attempt: number;
  /** The name of the agent's definition. */
  readonly agentName: string;
  /** Which vendor's agent. @default the one the run was started with */
  readonly agentType?: string;
  readonly task: string;
  readonly systemPrompt?: SystemPrompt;
  readonly model?: string;
  /** What the agent may use; `sessionConfig.permissions` refuses all other kinds of tools already. */
  readonly tools?: readonly string[];
  /** The run's other settings for sessions, for example its permissions. */
  readonly sessionConfig: SessionConfig;
  /** Fail after so many milliseconds of work; waiting for a place does not count. */
  readonly timeoutMs?: number;
  /** How much of the answer to give back, in characters. @default all */
  readonly maxOutputLength?: number;
  /** Aborted when the run needs the result no more. */
  readonly signal: AbortSignal;
  /** Hears what the agent does. Usage that is told here counts for the run's budget at once. */
  readonly onEvent: (event: AgentEvent) => void;
}

interface SubagentReport {
  /** As it was in the options. */
  readonly agentId?: string;
  /** The agent's answer. Of a failed one, what there is of it. */
  readonly output: string;
  /** Whether `maxOutputLength` made it shorter. */
  readonly isTruncated?: boolean;
  /** A file with the whole answer, where the runner keeps one. */
  readonly outputPath?: string;
}

/** What a sub-agent came to when it did its work. */
export interface SubagentSuccess extends SubagentReport {
  readonly success: true;
  readonly error?: undefined;
  /** How many tools ran. */
  readonly toolUses: number;
  readonly durationMs: number;
  /** Absent where nobody knows it, or where `onEvent` was told of it. */
  readonly usage?: Usage;
}

/** What a sub-agent came to when it did not. */
export interface SubagentFailure extends SubagentReport {
  readonly success: false;
  readonly error: string;
  /** The original error, where there is one: it says whether, and when, to try again. */
  readonly cause?: unknown;
  readonly toolUses?: number;
  readonly durationMs?: number;
  readonly usage?: Usage;
}

/** What a sub-agent came to. */
export type SubagentResult = SubagentSuccess | SubagentFailure;

/** Runs sub-agents. */
export interface SubagentRunner {
  /**
   * Runs one to its end. It may wait for a place first. A failure is a result or a rejection; when `signal` is aborted,
   * it must be a rejection with the signal's reason.
   */
  spawn(options: SubagentOptions): Promise<SubagentResult>;
}
