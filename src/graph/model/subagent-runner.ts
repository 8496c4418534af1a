import type { AgentEvent, SessionConfig, SystemPrompt, Usage } from "../../contracts/index.ts";

/** A piece of work for a sub-agent. */
export interface SubagentOptions {
  readonly runId: string;
  /** Identifies the piece of work within the run; the same after a restart. May contain any character. */
  readonly agentId: string;
  /** 1 at first, 2 after a failure or a crash: then a runner may continue what it started under this `agentId`. */
  readonly attempt: number;
  /** The name of the agent's definition. */
  readonly agentName: string;
  /** The vendor's agent. @default the run's */
  readonly agentType?: string;
  readonly task: string;
  readonly systemPrompt?: SystemPrompt;
  readonly model?: string;
  /** The tools that the agent may use; `sessionConfig.permissions` already denies all other kinds. */
  readonly tools?: readonly string[];
  /** The run's other settings for sessions, for example its permissions. */
  readonly sessionConfig: SessionConfig;
  /** Fail after this many milliseconds of work; waiting for a place does not count. */
  readonly timeoutMs?: number;
  /** How much of the answer to return, in characters. @default all */
  readonly maxOutputLength?: number;
  /** Aborted when the run no longer needs the result. */
  readonly signal: AbortSignal;
  /** Receives the agent's events. Usage that is reported here counts towards the run's budget at once. */
  readonly onEvent: (event: AgentEvent) => void;
}

interface SubagentReport {
  /** The same as in the options. */
  readonly agentId?: string;
  /** The agent's answer; after a failure, the part that exists. */
  readonly output: string;
  /** Whether the answer was cut to `maxOutputLength`. */
  readonly isTruncated?: boolean;
  /** A file with the whole answer, if the runner keeps one. */
  readonly outputPath?: string;
}

/** The result of a sub-agent that completed its work. */
export interface SubagentSuccess extends SubagentReport {
  readonly success: true;
  readonly error?: undefined;
  /** How many tools ran. */
  readonly toolUses: number;
  readonly durationMs: number;
  /** Absent if unknown, or if `onEvent` has reported it. */
  readonly usage?: Usage;
}

/** The result of a sub-agent that failed. */
export interface SubagentFailure extends SubagentReport {
  readonly success: false;
  readonly error: string;
  /** The original error, if there is one: it determines whether and when to retry. */
  readonly cause?: unknown;
  readonly toolUses?: number;
  readonly durationMs?: number;
  readonly usage?: Usage;
}

/** The result of a sub-agent. */
export type SubagentResult = SubagentSuccess | SubagentFailure;

/** Runs sub-agents. */
export interface SubagentRunner {
  /**
   * Runs a sub-agent to its end; it may have to wait for a place first. A failure is a result or a rejection. When `signal`
   * is aborted, it must be a rejection with the signal's reason.
   */
  spawn(options: SubagentOptions): Promise<SubagentResult>;
}
