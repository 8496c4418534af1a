import {
  type AgentReply,
  type PermissionPolicy,
  type SandboxConfig,
  SESSION_VALUES,
  type SessionConfig,
} from "../../contracts/index.ts";
import { listOf, type OptionAdvice, type OptionTable, shape } from "../options/find-option-problems.ts";
import {
  aFunction,
  described,
  either,
  object,
  oneOf,
  schema,
  someText,
  text,
  textOrFunction,
  timeLimit,
  wholeNumber,
} from "../options/option-checks.ts";
import type { BaseState, ExactUpdate } from "../state/annotation.ts";
import type { StandardSchema } from "../state/standard-schema.ts";
import type { ExecutionContext } from "./execution-context.ts";
import type { MapPlace } from "./map-place.ts";
import { type RetryConfig, retry } from "./node-definition.ts";

/** The name of a session, or how to tell it. */
export type SessionName<State extends BaseState, Item = unknown> =
  | string
  | ((state: Readonly<State>, context: ExecutionContext<State, Item>) => string);

/** What a message is made of. */
export type MessageBuilder<State extends BaseState, Item = unknown> =
  | string
  | ((state: Readonly<State>, context: ExecutionContext<State, Item>) => string);

/** The settings that all nodes share which ask an agent. What is set here wins over the definitions that are named. */
export interface AgentSettings<State extends BaseState, Output = unknown, Item = unknown, Update = unknown> {
  readonly name?: string;
  readonly description?: string;
  /** What a visit is about, for people; shown instead of the name. */
  readonly title?: (state: Readonly<State>, place: MapPlace) => string;
  /** Which vendor's agent. @default that of the definition, else the one the run was started with */
  readonly agentType?: string;
  /** Added to the agent's own system prompt. */
  readonly systemPrompt?: MessageBuilder<State>;
  readonly model?: string;
  /**
   * The only kinds of tools the agent may use, each by the name of one of them: `grep` lets through all that read, one of the
   * run's `tools` those of every MCP server. The run's are offered to it. The permissions decide about each call.
   * @default all of the agent's, and none of the run's
   */
  readonly tools?: readonly string[];
  /** Other settings of the session; `systemPrompt` and `model` above win over the ones in here. */
  readonly sessionConfig?: SessionConfig;
  /**
   * The name of a session that goes on over several nodes, or visits of this one: each continues the conversation of the
   * one before, also after a restart. A name holds within its graph; parallel branches need sessions of their own names.
   * @default a new session in each visit
   */
  readonly session?: SessionName<State, Item>;
  /** Which tool calls are allowed. @default the run's policy */
  readonly permissions?: PermissionPolicy;
  /**
   * Runs the agent in a sandbox: `true` is one with the usual limits. It may be stricter than the run's own, never looser.
   * @default the run's, where it has one
   */
  readonly sandbox?: true | SandboxConfig;
  /** The shape the answer must have; the parsed value arrives as `reply.structured`. */
  readonly outputSchema?: StandardSchema<Output>;
  /** How often the agent is asked to correct an answer that does not fit `outputSchema`. @default 2 */
  readonly maxRepairs?: number;
  /** Turns the answer into an update. @default `outputs[id] = reply.content` (or `reply.structured`) */
  readonly outputMapper?: (
    reply: AgentReply & { readonly structured: Output },
    state: Readonly<State>,
    context: ExecutionContext<State, Item>,
  ) => ExactUpdate<State, Update>;
  /** Abort a turn without a sign of life for so many milliseconds. @default the client's own */
  readonly stallTimeoutMs?: number;
  /** @default 3 attempts, except for errors that would only happen again */
  readonly retry?: RetryConfig;
  /** Fail after so many milliseconds without an answer, all turns together. */
  readonly timeout?: number;
}

const SESSION_OPTIONS: OptionTable<SessionConfig> = {
  model: text,
  reasoningEffort: oneOf(["none", "low", "medium", "high", "max"]),
  systemPrompt: described(either(text, object), "a text, or an object with a mode and a text"),
  workingDirectory: text,
  title: text,
  allowedTools: listOf(someText, "a list of names"),
  tools: listOf(object, "a list of tools"),
  permissionMode: oneOf(["default", "plan"]),
  ...SESSION_VALUES,
  mcpServers: object,
  permissions: object,
  onPermissionAsk: aFunction,
  permissionMemory: object,
  onQuestion: aFunction,
  beforeTool: aFunction,
};

/** The option `sessionConfig` of nodes and services. */
export const sessionConfig = shape(SESSION_OPTIONS);

/** The options of {@link AgentSettings}. */
export const AGENT_OPTIONS: OptionTable<AgentSettings<BaseState>> = {
  name: text,
  description: text,
  title: aFunction,
  agentType: text,
  systemPrompt: textOrFunction,
  model: text,
  tools: listOf(someText, "a list of names"),
  sessionConfig,
  session: described(either(someText, aFunction), "the name of a session, or a function that tells it"),
  permissions: object,
  sandbox: { expected: "true or an object", accepts: (value) => value === true || object.accepts(value) },
  outputSchema: schema,
  maxRepairs: wholeNumber,
  outputMapper: aFunction,
  stallTimeoutMs: timeLimit,
  retry,
  timeout: timeLimit,
};

/** Settings of a session that are none of the node itself. */
export const AGENT_ADVICE: OptionAdvice = Object.fromEntries(
  Object.keys(SESSION_OPTIONS)
    .filter((name) => !Object.hasOwn(AGENT_OPTIONS, name))
    .map((name) => [name, [`write ${name === "allowedTools" ? "tools" : `sessionConfig.${name}`}`]] as const),
);

/** What a node asks its agent. */
export type AgentWork<State extends BaseState, Item = unknown> =
  | {
      readonly type: "message";
      readonly message: MessageBuilder<State, Item>;
      /** The name of a definition in the run's `agents`. */
      readonly agent: string | undefined;
    }
  | {
      readonly type: "prompt";
      /** What has the prompt: one of the run's commands or skills. */
      readonly kind: "command" | "skill";
      readonly name: string;
      readonly args: MessageBuilder<State>;
      /** As above. @default the one that the prompt names */
      readonly agent: string | undefined;
    };
