import type {
  AgentCapabilities,
  JsonSchema,
  PermissionEffect,
  PermissionPolicy,
  PermissionRequest,
  SessionConfig,
  Usage,
} from "../../contracts/index.ts";

/** A message the scripted agent has to answer; plain data, so that a test can compare it as a whole. */
export interface ScriptedTurn {
  readonly prompt: string;
  /** The number of turns before this one in the session, turns that were aborted before they began not counted. */
  readonly turnIndex: number;
  readonly sessionId: string;
  readonly config: SessionConfig;
  /** The shape the answer must have, when the caller wants one. */
  readonly outputSchema?: JsonSchema;
}

/** Something the scripted agent really does. Paths are relative to the working directory of the session. */
export type ScriptedAction =
  | { readonly type: "edit-file"; readonly path: string; readonly content: string }
  /** Runs `sh -c`. The agent fails the tool call, not the turn, when the command does not exit with 0. */
  | { readonly type: "run-command"; readonly command: string }
  /** Calls a tool of `registerTool`. */
  | { readonly type: "call-tool"; readonly name: string; readonly input: unknown };

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
      /** What is absent is estimated from the lengths. */
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
  /** @default everything is possible */
  readonly capabilities?: Partial<AgentCapabilities>;
  /** Applies the policy of a session, which is empty when the session has none. @default everything is allowed */
  readonly evaluatePermission?: (policy: PermissionPolicy, request: PermissionRequest) => PermissionEffect;
  /** The size of the pretended context window; 0 for one that nobody knows. @default 200_000 */
  readonly contextWindowTokens?: number;
  /** Names a new session. @default `scripted-` and a UUID, so that sessions of other processes are not mistaken for it */
  readonly createSessionId?: () => string;
}
