import type {
  AgentCapabilities,
  AgentEvent,
  AgentPrompt,
  JsonSchema,
  ModelDisplayInfo,
  PermissionEffect,
  PermissionPolicy,
  PermissionRequest,
  PromptPart,
  SessionConfig,
  ToolContext,
  ToolDefinition,
  Usage,
} from "../../contracts/index.ts";

/** A message the scripted agent has to answer; plain data, so that a test can compare it as a whole. */
export interface ScriptedTurn {
  readonly prompt: string;
  /** The pieces of the message, pictures included, when it was given in pieces. */
  readonly parts?: readonly PromptPart[];
  /** The number of turns before this one in the session, turns that were aborted before they began not counted. */
  readonly turnIndex: number;
  readonly sessionId: string;
  readonly config: SessionConfig;
  /** The shape the answer must have, when the caller wants one. */
  readonly outputSchema?: JsonSchema;
  /** The session that this one is a copy of, when it is one. */
  readonly forkedFrom?: string;
  /** Present when a sub-agent is to answer, which the session's agent has started with this prompt. */
  readonly subagentId?: string;
}

/** Something the scripted agent really does. Paths are relative to the working directory of the session. */
export type ScriptedAction =
  | { readonly type: "edit-file"; readonly path: string; readonly content: string }
  | { readonly type: "read-file"; readonly path: string }
  /** Runs `sh -c`. The agent fails the tool call, not the turn, when the command does not exit with 0. */
  | { readonly type: "run-command"; readonly command: string }
  /** Calls a tool of `registerTool`. */
  | { readonly type: "call-tool"; readonly name: string; readonly input: unknown }
  | {
      /** Puts a question to a person; the output is the answer. */
      readonly type: "ask-question";
      readonly question: string;
      /** The labels of the answers on offer. @default none: any text is welcome */
      readonly options?: readonly string[];
      /** @default false */
      readonly isMultiple?: boolean;
    }
  | {
      /** Has a sub-agent answer the prompt, by the same script; the output is its answer. */
      readonly type: "run-subagent";
      readonly prompt: string;
      /** @default the beginning of the prompt */
      readonly title?: string;
    }
  | {
      /** Says that the agent waits before it tries again, and waits. */
      readonly type: "wait";
      readonly reason: Extract<AgentEvent, { type: "waiting" }>["reason"];
      readonly message: string;
      readonly delayMs: number;
    };

/** What came of an action, as a model would be told. */
export interface ScriptedActionResult {
  readonly isError: boolean;
  /** Whether the permissions forbade it; it did not run then. */
  readonly isDenied: boolean;
  readonly output: string;
}

/** What a script can do while it makes up its answer. */
export interface ScriptedTurnTools {
  /** Aborted when the turn is. */
  readonly signal: AbortSignal;
  /** Does something now, under the permissions of the session. Rejects only when the turn is aborted. */
  perform(action: ScriptedAction): Promise<ScriptedActionResult>;
  /** Says something now, ahead of the text of the reply. A sub-agent's words are heard by nobody. */
  say(text: string): Promise<void>;
  /** Thinks aloud now. */
  think(text: string): Promise<void>;
  /** Reports the tokens of one call of the model; what is absent counts as zero. */
  spend(usage: Partial<Usage>): void;
  /** The messages of `steer` that were not read yet. What is still unread at the turn's end is lost. */
  takeSteering(): readonly AgentPrompt[];
  /** Waits for a message of `steer`. Rejects when the turn is aborted. */
  nextSteering(): Promise<AgentPrompt>;
}

/** An answer: a text, or everything a turn can consist of, in the order in which it happens. */
export type ScriptedReply =
  | string
  | {
      /** A pause before anything happens, in milliseconds. @default 0 */
      readonly delayMs?: number;
      /** Not shown by an agent whose capability `thinking` is off. */
      readonly thinking?: string;
      readonly actions?: readonly ScriptedAction[];
      /** @default the JSON of `structured`, when there is one */
      readonly text?: string;
      /** The answer to an `outputSchema`, not validated. @default read from the text */
      readonly structured?: unknown;
      /** The turn fails with this after everything else. */
      readonly error?: Error;
      /** What is absent is estimated from the lengths. @default estimated, unless the script has called `spend` */
      readonly usage?: Partial<Usage>;
    };

/** Answers a turn. What it throws fails the turn. */
export type AgentScript = (turn: ScriptedTurn, tools: ScriptedTurnTools) => ScriptedReply | Promise<ScriptedReply>;

/** Settings of a scripted agent. */
export interface ScriptedAgentOptions {
  /** @default a short deterministic answer, or the smallest value of the `outputSchema` */
  readonly script?: AgentScript;
  /** Where sessions work that name no directory. @default "." */
  readonly workingDirectory?: string;
  /** @default everything is possible but MCP servers */
  readonly capabilities?: Partial<AgentCapabilities>;
  /**
   * What the permissions of a session come to: `"policy"` decides by its policy as real agents do, a function is called with
   * the policy, which is empty when the session has none. @default everything is allowed
   */
  readonly evaluatePermission?:
    | "policy"
    | ((policy: PermissionPolicy, request: PermissionRequest) => PermissionEffect | Promise<PermissionEffect>);
  /** Calls a tool of `registerTool`. @default its handler, whatever the input; what that throws is the model's to know */
  readonly callTool?: (
    tool: ToolDefinition,
    input: unknown,
    context: ToolContext,
  ) => Promise<{ readonly isError: boolean; readonly text: string }>;
  /** The models on offer, the default one first. @default one, `scripted-model` */
  readonly models?: readonly ModelDisplayInfo[];
  /** The size of the pretended context window; 0 for one that nobody knows. @default 200_000 */
  readonly contextWindowTokens?: number;
  /** Names a new session. @default `scripted-` and a UUID, so that sessions of other processes are not mistaken for it */
  readonly createSessionId?: () => string;
  /** Milliseconds since 1970, for events and the list of sessions. @default Date.now */
  readonly now?: () => number;
}
