import type { AgentEvent, Redactor, SessionConfig, SystemPrompt, Usage } from "../../contracts/index.ts";
import type { StandardSchema } from "../state/standard-schema.ts";

/** A piece of work for a sub-agent. */
export interface SubagentOptions {
  readonly runId: string;
  /** Identifies the piece of work within the run; the same after a restart. May contain any character. */
  readonly agentId: string;
  /** 1 at first, 2 after a failure or a crash. */
  readonly attempt: number;
  /** The vendor's session in which an earlier attempt began. A runner continues it, if the vendor still has it. */
  readonly resumeSessionId?: string;
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
  /** Stops the time limit of the node while the sub-agent waits for other agents; see `TurnOptions`. */
  readonly stopTimeout?: () => () => void;
  /** How much of the answer to return, in characters. @default the runner's own limit */
  readonly maxOutputLength?: number;
  /** The shape that the answer must have; the value is `structured` of the result. */
  readonly outputSchema?: StandardSchema<unknown>;
  /** How often the agent may correct an answer that does not fit `outputSchema`. @default 2 */
  readonly maxRepairs?: number;
  /** Abort a turn after this many milliseconds without a sign of life. @default the client's own */
  readonly stallTimeoutMs?: number;
  /** The run's folder on disk, where a runner may keep the whole answer. */
  readonly sessionDirectory?: string;
  /** Takes secrets out of what a runner keeps and returns. */
  readonly redactor?: Redactor;
  /** Aborted when the run no longer needs the result. */
  readonly signal: AbortSignal;
  /** Receives the agent's events. Usage that is reported here counts towards the run's budget at once. */
  readonly onEvent: (event: AgentEvent) => void;
  /** Called when the vendor's session is open; the work begins when it is done. */
  readonly onSession?: (session: SubagentSession) => void | Promise<void>;
  /** Called with each message to the agent before it is sent: the task, then the corrections of its answer. */
  readonly onMessage?: (message: string) => void;
  /** Receives a line for the run's log. */
  readonly onLog?: (message: string) => void;
}

/** A task for a sub-agent. Outside of a run, an id, a name and a task suffice. */
export type SubagentSpawnOptions = Pick<SubagentOptions, "agentId" | "agentName" | "task"> & Partial<SubagentOptions>;

/** The vendor's session of a sub-agent. */
export interface SubagentSession {
  readonly agentType: string;
  readonly sessionId: string;
  /** Whether it continues the session of an earlier attempt. */
  readonly isResumed: boolean;
}

interface SubagentReport {
  /** The same as in the options. */
  readonly agentId?: string;
  /** The agent's answer; after a failure, the part that exists. */
  readonly output: string;
  /** Whether the answer was cut to `maxOutputLength`. */
  readonly isTruncated?: boolean;
  /** The whole answer, where it was cut and no file has it. */
  readonly fullOutput?: string;
  /** A file with the whole answer, if the runner keeps one. */
  readonly outputPath?: string;
}

/** The result of a sub-agent that completed its work. */
export interface SubagentSuccess extends SubagentReport {
  readonly success: true;
  readonly error?: undefined;
  /** The answer in the shape of `outputSchema`, where the options have one. */
  readonly structured?: unknown;
  /** How many tools ran. */
  readonly toolUses: number;
  readonly durationMs: number;
  /** Absent if unknown, or if `onEvent` has reported it. */
  readonly usage?: Usage;
  /** The vendor's agent, where a node or definition names one. */
  readonly agentType?: string | undefined;
  /** The command that verified the work, with `verify`. */
  readonly verification?: { readonly command: string; readonly durationMs: number };
  /** The worktree that it worked in, with `isolation`. */
  readonly worktree?: {
    /** As the worktree service knows it. */
    readonly runId: string;
    readonly taskId: string;
    readonly branch: string;
    /** The subject of its commits. */
    readonly title: string;
    /** The commit that the `verify` command succeeded with: only this one is merged. */
    readonly commit?: string;
  };
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
