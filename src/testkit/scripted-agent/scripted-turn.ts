import type {
  AgentCapabilities,
  AgentEvent,
  AgentPrompt,
  DeniedPermission,
  JsonSchema,
  ModelDisplayInfo,
  PermissionEffect,
  PermissionPolicy,
  PermissionRequest,
  PromptPart,
  SessionConfig,
  ToolContext,
  ToolDefinition,
  ToolKind,
  Usage,
} from "../../contracts/index.ts";

/** A message to the scripted agent. Plain data: a test can compare it as a whole. */
export interface ScriptedTurn {
  readonly prompt: string;
  /** The parts of the message, images included, if it was sent in parts. */
  readonly parts?: readonly PromptPart[];
  /** The number of turns before this one in the session, without turns that were aborted before they started. */
  readonly turnIndex: number;
  readonly sessionId: string;
  readonly config: SessionConfig;
  /** The schema of the answer, if the caller requires one. */
  readonly outputSchema?: JsonSchema;
  /** The session that this one was forked from, if any. */
  readonly forkedFrom?: string;
  /** The node that asks, and its visit, such as `implement#2`. Present in `runWorkflow`. */
  readonly nodeId?: string;
  readonly taskId?: string;
  /** Present when a sub-agent answers, which the session's agent started with this prompt. */
  readonly subagentId?: string;
}

/** An action that the scripted agent really performs. Paths are relative to the session's working directory. */
export type ScriptedAction =
  | { readonly type: "edit-file"; readonly path: string; readonly content: string }
  | { readonly type: "read-file"; readonly path: string }
  /** Runs `sh -c`. A command that does not exit with 0 fails the tool call, not the turn. */
  | { readonly type: "run-command"; readonly command: string }
  /** Calls a tool of `registerTool`. */
  | { readonly type: "call-tool"; readonly name: string; readonly input: unknown }
  | {
      /** Asks a person; the output is the answer. */
      readonly type: "ask-question";
      readonly question: string;
      /** The labels of the offered answers. @default none: any text is accepted */
      readonly options?: readonly string[];
      /** @default false */
      readonly isMultiple?: boolean;
    }
  | {
      /** Lets a sub-agent answer the prompt with the same script; the output is its answer. */
      readonly type: "run-subagent";
      readonly prompt: string;
      /** @default the beginning of the prompt */
      readonly title?: string;
    }
  | {
      /** Reports a tool call without making it. */
      readonly type: "report-call";
      readonly toolName: string;
      readonly kind: ToolKind;
      readonly input: unknown;
      readonly output: string;
      /** @default false */
      readonly isError?: boolean;
    }
  /** Reports that the permissions denied a call. */
  | { readonly type: "report-denial"; readonly denied: DeniedPermission }
  | {
      /** Reports that the agent waits before a retry, and waits. */
      readonly type: "wait";
      readonly reason: Extract<AgentEvent, { type: "waiting" }>["reason"];
      readonly message: string;
      readonly delayMs: number;
    };

/** The result of an action, as a model would receive it. */
export interface ScriptedActionResult {
  readonly isError: boolean;
  /** Whether the permissions denied it, so it did not run. */
  readonly isDenied: boolean;
  readonly output: string;
}

/** What a script can do while it prepares its answer. */
export interface ScriptedTurnTools {
  /** Aborted when the turn is aborted. */
  readonly signal: AbortSignal;
  /**
   * Performs an action now, under the session's permissions. Rejects only when the turn is aborted.
   * @throws ScriptedReplyError for what is no action
   */
  perform(action: ScriptedAction): Promise<ScriptedActionResult>;
  /** Sends text now, before the text of the reply. A sub-agent's text is not published. */
  say(text: string): Promise<void>;
  /** Sends thinking now. */
  think(text: string): Promise<void>;
  /** Reports the tokens of one model call; absent fields count as zero. */
  spend(usage: Partial<Usage>): void;
  /** The unread messages of `steer`. Messages that are unread at the end of the turn are lost. */
  takeSteering(): readonly AgentPrompt[];
  /** Waits for a message of `steer`. Rejects when the turn is aborted. */
  nextSteering(): Promise<AgentPrompt>;
}

/** An answer: a text, or the parts of a turn in the order in which they happen. */
export type ScriptedReply =
  | string
  | {
      /** A pause before anything happens, in milliseconds; with `Infinity` the turn never ends by itself. @default 0 */
      readonly delayMs?: number;
      /** Not shown by an agent whose capability `thinking` is off. */
      readonly thinking?: string;
      readonly actions?: readonly ScriptedAction[];
      /** @default the JSON of `structured`, when there is one */
      readonly text?: string;
      /** The answer to an `outputSchema`, not validated. @default parsed from the text */
      readonly structured?: unknown;
      /** The turn fails with this after everything else. */
      readonly error?: Error;
      /** Absent fields are estimated from the lengths. @default estimated, unless the script has called `spend` */
      readonly usage?: Partial<Usage>;
    };

/** Answers a turn. Its errors fail the turn. */
export type AgentScript = (turn: ScriptedTurn, tools: ScriptedTurnTools) => ScriptedReply | Promise<ScriptedReply>;

/** Settings of a scripted agent. */
export interface ScriptedAgentOptions {
  /** The name of the agent that it stands for. @default "scripted" */
  readonly agentType?: string;
  /** @default a short deterministic answer, or the smallest value of the `outputSchema` */
  readonly script?: AgentScript;
  /** The directory of sessions that set none. @default "." */
  readonly workingDirectory?: string;
  /** @default everything but MCP servers */
  readonly capabilities?: Partial<AgentCapabilities>;
  /**
   * How permissions are decided: `"policy"` uses the session's policy as real agents do; a function is called with the
   * policy, which is empty when the session has none. @default everything is allowed
   */
  readonly evaluatePermission?:
    | "policy"
    | ((policy: PermissionPolicy, request: PermissionRequest) => PermissionEffect | Promise<PermissionEffect>);
  /** Calls a tool of `registerTool`. @default its handler, with any input; its error goes to the model */
  readonly callTool?: (
    tool: ToolDefinition,
    input: unknown,
    context: ToolContext,
  ) => Promise<{ readonly isError: boolean; readonly text: string }>;
  /** The available models, the default one first. @default one, `scripted-model` */
  readonly models?: readonly ModelDisplayInfo[];
  /** The size of the simulated context window, in tokens; 0 if unknown. @default 200_000 */
  readonly contextWindowTokens?: number;
  /** Creates the id of a new session. @default `scripted-` and a UUID, unique across processes */
  readonly createSessionId?: () => string;
  /** Milliseconds since 1970, for events and the list of sessions. @default Date.now */
  readonly now?: () => number;
  /** Waits, for pauses of the script. @default in real time */
  readonly sleep?: (durationMs: number, signal: AbortSignal) => Promise<void>;
}
