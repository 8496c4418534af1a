import type { AgentCapability, CodingAgentClient } from "../../../contracts/index.ts";
import type { ModelToolCall } from "../../model-server/model-reply.ts";
import type { ModelServer } from "../../model-server/start-model-server.ts";

/** Replaces the agent's model. A `ModelServer` is one. */
export type BenchModels = Pick<ModelServer, "requests" | "forgetRequests" | "setScript" | "waitForRequest">;

/** How the scripted model calls this vendor's tools; undefined where the vendor has no such tool. Paths are absolute. */
export interface BenchCalls {
  /** Writes a file that does not exist yet. */
  write(path: string, content: string): ModelToolCall;
  read(path: string): ModelToolCall;
  bash(command: string): ModelToolCall;
  /** Calls a tool of `registerTool`. */
  customTool(name: string, input: unknown): ModelToolCall | undefined;
  /** Calls a tool of one of the session's MCP servers. */
  mcpTool(server: string, tool: string, input: unknown): ModelToolCall | undefined;
  askQuestion(question: string, options: readonly string[]): ModelToolCall | undefined;
  /** Starts a sub-agent, whose first message is the prompt. */
  subagent(prompt: string): ModelToolCall | undefined;
  /** Returns the answer to an `outputSchema`; undefined where the answer is a text. */
  structuredOutput(value: unknown): ModelToolCall | undefined;
}

/**
 * Differences between agents that the interface does not allow. Each one that a bench sets has a comment that says why the
 * vendor leaves no choice.
 */
export interface ClientTraits {
  /** The agent retries failed model calls, so a temporary fault costs time, not the turn. @default false */
  readonly retriesByItself?: boolean;
  /** The vendor retries silently: no `waiting` event. @default false */
  readonly retriesSilently?: boolean;
  /** The reason of a denial does not reach the model. @default false */
  readonly hidesDenialReason?: boolean;
  /** The reason of a declined question reaches the model with other words. @default false */
  readonly hidesDeclineReason?: boolean;
  /** A turn ends with the first denied call. @default false */
  readonly endsTurnOnDenial?: boolean;
  /** No `usage` events, because the vendor does not report tokens. @default false */
  readonly hidesUsage?: boolean;
  /** One `usage` event per turn instead of one per model call. @default false */
  readonly sumsUsage?: boolean;
  /** A conversation without a turn cannot be reopened. @default false */
  readonly losesUnusedSessions?: boolean;
  /** The scripted model is the user's own endpoint. @default false */
  readonly hasEndpoint?: boolean;
  /** Errors of the provider arrive without their status, so that their kind is unknown. @default false */
  readonly hidesErrorKind?: boolean;
  /** Invalid keys and rate limits are retried for minutes without an error. @default false */
  readonly repeatsRefusals?: boolean;
}

/** A vendor's client with a scripted model, in folders of its own. */
export interface ClientBench {
  /** Warmed up by a first turn, so that the cases measure only themselves. */
  readonly client: CodingAgentClient;
  /** Another client with the same home, for the case that stops it. The bench's `stop` stops it, too. */
  createClient(): CodingAgentClient;
  /**
   * Resumes a conversation in another process, sends a message with everything allowed, and returns the answer's text.
   * Absent where conversations do not outlive the process.
   */
  resumeInNewProcess?(sessionId: string, prompt: string): Promise<string>;
  readonly models: BenchModels;
  /** The sessions' working directory: absolute, without symbolic links, in a folder that belongs to the bench alone. */
  readonly workFolder: string;
  /** The `bun` that runs the MCP server of the suite. */
  readonly bunPath: string;
  readonly calls: BenchCalls;
  readonly traits?: ClientTraits;
  /** The vendor's processes of this bench's home. Absent for an agent inside this process. */
  agentPids?(): readonly number[];
  stop(): Promise<void>;
}

/** The call of a tool that a case requires. @throws Error when the bench has none */
export function requireCall(call: ModelToolCall | undefined, sentence: string): ModelToolCall {
  if (call === undefined) throw new Error(`The bench does not say how ${sentence}.`);
  return call;
}

/** Whether the agent has a capability. */
export function can(bench: ClientBench, capability: AgentCapability): boolean {
  return bench.client.capabilities[capability];
}
