import type { AgentCapability, CodingAgentClient } from "../../../contracts/index.ts";
import type { ModelToolCall } from "../../model-server/model-reply.ts";
import type { ModelServer } from "../../model-server/start-model-server.ts";

/** What stands behind the agent instead of a model. A `ModelServer` is one. */
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
  /** Hands over the answer to an `outputSchema`; undefined where the answer is a text. */
  structuredOutput(value: unknown): ModelToolCall | undefined;
}

/**
 * In what agents may differ though the interface promises the same to all. Each that a bench sets carries a comment why
 * the vendor leaves no choice.
 */
export interface ClientTraits {
  /** Failed calls of the model are repeated, so that a passing fault costs time, not the turn. @default false */
  readonly retriesByItself?: boolean;
  /** The vendor repeats without saying so: no `waiting` event. @default false */
  readonly retriesSilently?: boolean;
  /** The reason of a denial does not reach the model. @default false */
  readonly hidesDenialReason?: boolean;
  /** What a declined question's reason reads like to the model: not as it was given. @default false */
  readonly hidesDeclineReason?: boolean;
  /** A turn ends with the first denied call. @default false */
  readonly endsTurnOnDenial?: boolean;
  /** No `usage` events, because the vendor does not tell tokens. @default false */
  readonly hidesUsage?: boolean;
  /** One `usage` event for a whole turn in place of one for each call of the model. @default false */
  readonly sumsUsage?: boolean;
  /** A conversation that has had no turn cannot be opened again. @default false */
  readonly losesUnusedSessions?: boolean;
  /** The scripted model is an endpoint of the user's own. @default false */
  readonly hasEndpoint?: boolean;
  /** Errors of the provider arrive without their status, so that their kind is unknown. @default false */
  readonly hidesErrorKind?: boolean;
  /** A key or a rate that stays refused is tried again and again, with no error for minutes. @default false */
  readonly repeatsRefusals?: boolean;
}

/** A vendor's client with a scripted model, in folders of its own. */
export interface ClientBench {
  /** Warmed up: its first turn is behind it, so that the cases measure only themselves. */
  readonly client: CodingAgentClient;
  /** Another client on the same home, for the case that ends it. `stop` of the bench stops it, too. */
  createClient(): CodingAgentClient;
  /**
   * Resumes a conversation in a process of its own, sends a message with everything allowed, and gives the answer's
   * text. Absent where conversations do not outlive the process.
   */
  resumeInNewProcess?(sessionId: string, prompt: string): Promise<string>;
  readonly models: BenchModels;
  /** The sessions' working directory: absolute, without symbolic links, in a folder that belongs to the bench alone. */
  readonly workFolder: string;
  /** The `bun` that runs the MCP server of the suite. */
  readonly bunPath: string;
  readonly calls: BenchCalls;
  readonly traits?: ClientTraits;
  /** The vendor's processes that belong to this bench's home. Absent for an agent within this process. */
  agentPids?(): readonly number[];
  stop(): Promise<void>;
}

/** The call of a tool that a case cannot do without. @throws Error when the bench has none */
export function requireCall(call: ModelToolCall | undefined, sentence: string): ModelToolCall {
  if (call === undefined) throw new Error(`The bench does not say how ${sentence}.`);
  return call;
}

/** Whether the agent has a capability. */
export function can(bench: ClientBench, capability: AgentCapability): boolean {
  return bench.client.capabilities[capability];
}
