import type { AgentReply, AgentType, ModelDisplayInfo, ReasoningEffort, Session } from "../../contracts/index.ts";

/** What kind of command it is. `file` and `folder` are the mentions after `@`. */
export type CommandCategory = "builtin" | "workflow" | "skill" | "agent" | "file" | "folder";

/** Progress of a list of features. */
export interface FeatureProgressState {
  readonly completed: number;
  readonly total: number;
  readonly currentFeature?: string;
}

/** The state of the UI, as commands see it. */
export interface CommandContextState {
  readonly isStreaming: boolean;
  readonly messageCount: number;
  readonly workflowActive?: boolean;
  readonly workflowType?: string | null;
  readonly initialPrompt?: string | null;
  readonly currentNode?: string | null;
  readonly iteration?: number;
  readonly maxIterations?: number;
  readonly featureProgress?: FeatureProgressState | null;
  readonly pendingApproval?: boolean;
  readonly specApproved?: boolean;
  readonly feedback?: string | null;
  readonly ralphConfig?: { readonly userPrompt: string | null; readonly sessionId?: string };
}

/** An item of the task list. */
export interface TodoItem {
  readonly id?: string;
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  /** In the form `Adding the test`. */
  readonly activeForm?: string;
  readonly blockedBy?: readonly string[];
}

/** What changes the model. */
export interface ModelOperations {
  readonly listModels: () => Promise<readonly ModelDisplayInfo[]>;
  readonly currentModel: () => string | undefined;
  /** @throws when the agent cannot continue with another model */
  readonly setModel: (model: string, effort?: ReasoningEffort) => Promise<void>;
}

/** A sub-agent of a command. */
export interface SpawnSubagentOptions {
  readonly name: string;
  readonly task: string;
  readonly agentType?: AgentType;
  readonly systemPrompt?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
}

/** The result of a sub-agent. */
export interface SpawnedSubagent {
  readonly success: boolean;
  readonly output: string;
  readonly error?: string;
}

/** What a command can do. */
export interface CommandContext {
  /** Null before the first message. */
  readonly session: Session | null;
  readonly state: CommandContextState;
  readonly agentType?: AgentType;
  readonly modelOps?: ModelOperations;
  /** Adds a message to the conversation without sending it. */
  readonly addMessage: (role: "user" | "assistant" | "system", content: string) => void;
  readonly setStreaming: (isStreaming: boolean) => void;
  /** Sends a message as if the user had typed it. */
  readonly sendMessage: (content: string) => void;
  /** Sends a message that is not shown. */
  readonly sendSilentMessage: (content: string, options?: { readonly agent?: string }) => void;
  readonly spawnSubagent: (options: SpawnSubagentOptions) => Promise<SpawnedSubagent>;
  readonly spawnSubagentParallel: (
    agents: readonly SpawnSubagentOptions[],
    abortSignal?: AbortSignal,
  ) => Promise<readonly SpawnedSubagent[]>;
  /** Sends a message and waits for the end of its turn. */
  readonly streamAndWait: (prompt: string, options?: { readonly hideContent?: boolean }) => Promise<AgentReply>;
  /** Ends the session and removes the messages. */
  readonly clearContext: () => Promise<void>;
  readonly setTodoItems: (items: readonly TodoItem[]) => void;
  readonly setRalphSessionDir: (directory: string | null) => void;
  readonly setRalphSessionId: (id: string | null) => void;
  /** Only tasks with these ids are stored. */
  readonly setRalphTaskIds: (ids: ReadonlySet<string> | null) => void;
  /** Resolves with the next message that the user submits, which is not sent. */
  readonly waitForUserInput: () => Promise<string>;
  readonly updateWorkflowState: (update: Partial<CommandContextState>) => void;
}

/** The MCP servers, as the overlay shows them. */
export interface McpSnapshotView {
  readonly servers: readonly {
    readonly name: string;
    readonly status: string;
    readonly detail?: string;
    readonly tools?: readonly string[];
  }[];
}

/** What a command came to. */
export interface CommandResult {
  readonly success: boolean;
  readonly message?: string;
  readonly stateUpdate?: Partial<CommandContextState>;
  readonly clearMessages?: boolean;
  readonly destroySession?: boolean;
  readonly shouldExit?: boolean;
  readonly showModelSelector?: boolean;
  readonly themeChange?: "dark" | "light" | "toggle";
  /** The name of a theme to change to. */
  readonly themeName?: string;
  readonly showMcpOverlay?: boolean;
  readonly mcpSnapshot?: McpSnapshotView;
  readonly skillLoaded?: string;
  /** The summary that the key `transcript` shows. */
  readonly compactionSummary?: string;
  readonly modelDisplayName?: string;
}

/** A slash command. */
export interface CommandDefinition {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly category: CommandCategory;
  readonly execute: (args: string, context: CommandContext) => CommandResult | Promise<CommandResult>;
  readonly aliases?: readonly string[];
  /** Not in the suggestions. @default false */
  readonly hidden?: boolean;
  /** The arguments, as a person reads them. */
  readonly argumentHint?: string;
}
