import type { JsonSchema } from "../json/json.ts";

/** What a tool's handler is told about the call it serves. */
export interface ToolContext {
  readonly sessionID: string;
  readonly messageID: string;
  /** The agent that calls, for example `opencode`; `workflow` when a graph node calls directly. */
  readonly agent: string;
  /** The working directory of the session. */
  readonly directory: string;
  /** Aborted when the turn or the node is cancelled, or the tool's time is over. */
  readonly abort: AbortSignal;
}

/** What the handler is told in addition when a workflow calls the tool, not an agent. */
export interface WorkflowToolContext extends ToolContext {
  /** The workflow's state before the call. Frozen: a tool changes it by what it returns. */
  readonly workflowState: Readonly<Record<string, unknown>>;
  /** The node that calls. */
  readonly nodeId: string;
  /** The run it belongs to. */
  readonly executionId: string;
}

/** A tool offered to an agent. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly handler: (input: unknown, context: ToolContext) => unknown | Promise<unknown>;
}
