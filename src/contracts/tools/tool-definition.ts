import type { JsonSchema } from "../json/json.ts";

/** The context of a call, for the tool's handler. */
export interface ToolContext {
  readonly sessionID: string;
  readonly messageID: string;
  /** The calling agent, for example `opencode`; `workflow` when a graph node calls directly. */
  readonly agent: string;
  /** The working directory of the session. */
  readonly directory: string;
  /** Aborted when the turn or the node is cancelled, or the tool times out. */
  readonly abort: AbortSignal;
}

/** Additional context when a workflow calls the tool, not an agent. */
export interface WorkflowToolContext extends ToolContext {
  /** The workflow's state before the call. Frozen; a tool changes the state through its result. */
  readonly workflowState: Readonly<Record<string, unknown>>;
  /** The calling node. */
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
  /**
   * Returns what is wrong with an input, for callers that can still correct it; an empty list if it matches.
   * @default the handler decides
   */
  readonly findInputProblems?: (input: unknown) => readonly string[] | Promise<readonly string[]>;
}

/** A tool that was found in a file. */
export interface ToolEntry {
  readonly name: string;
  readonly description: string;
  readonly definition: ToolDefinition;
  /** `local`: the project's. `global`: the user's. */
  readonly source: "local" | "global";
  readonly filePath: string;
}
