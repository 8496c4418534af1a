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
import { toolNames } from "../options/tool-names.ts";
import type { BaseState, ExactUpdate } from "../state/annotation.ts";
import type { StandardSchema } from "../state/standard-schema.ts";
import type { ExecutionContext } from "./execution-context.ts";
import type { MapPlace } from "./map-place.ts";
import { type RetryConfig, retry } from "./node-definition.ts";

/** The name of a session, or a function that returns it. */
export type SessionName<State extends BaseState, Item = unknown> =
  | string
  | ((state: Readonly<State>, context: ExecutionContext<State, Item>) => string);

/** The text of a message, or a function that returns it. */
export type MessageBuilder<State extends BaseState, Item = unknown> =
  | string
  | ((state: Readonly<State>, context: ExecutionContext<State, Item>) => string);

/** The settings of all nodes that ask an agent. They override the definitions that the node names. */
export interface AgentSettings<State extends BaseState, Output = unknown, Item = unknown, Update = unknown> {
  readonly name?: string;
  readonly description?: string;
  /** Describes a visit for people; shown instead of the name. */
  readonly title?: (state: Readonly<State>, place: MapPlace) => string;
  /** The vendor's agent. @default the definition's, or else the run's */
  readonly agentType?: string;
  /** Added to the agent's own system prompt. */
  readonly systemPrompt?: MessageBuilder<State>;
  readonly model?: string;
  /**
   * The only tools that the agent may call: its own by Atomic's names or its vendor's (`read`, `WebFetch`), those of the run
   * by theirs, those of MCP servers as `server/tool`, `server/*` or `mcp__server__tool`. `Bash(git:*)` allows the commands of
   * git only; `["*", "!write"]` means all but one. Every other call is denied, also where the agent cannot hide the tool. The
   * run's tools that are listed here are offered to the agent. The permissions decide about each call of a listed tool.
   * The list takes the place of the one of a named agent, a command or a skill; what these exclude stays excluded.
   * @default all of the agent's, and none of the run's
   */
  readonly tools?: readonly string[];
  /** Other settings of the session; `systemPrompt` and `model` above override those in here. */
  readonly sessionConfig?: SessionConfig;
  /**
   * The name of a session that continues across nodes, or across visits of this one: each continues the conversation of
   * the previous one, even after a restart. Names are local to the graph; parallel branches need different names.
   * @default a new session for each visit
   */
  readonly session?: SessionName<State, Item>;
  /** Which tool calls are allowed. What the run's policy denies stays denied. @default the run's policy */
  readonly permissions?: PermissionPolicy;
  /**
   * Runs the agent in a sandbox; `true` is one with the usual limits. It may be stricter than the run's sandbox, never
   * looser.
   * @default the run's, if it has one
   */
  readonly sandbox?: true | SandboxConfig;
  /** The shape the answer must have; the parsed value arrives as `reply.structured`. */
  readonly outputSchema?: StandardSchema<Output>;
  /** How often the agent may correct an answer that does not fit `outputSchema`. @default 2 */
  readonly maxRepairs?: number;
  /** Turns the answer into an update. @default `outputs[id] = reply.content` (or `reply.structured`) */
  readonly outputMapper?: (
    reply: AgentReply & { readonly structured: Output },
    state: Readonly<State>,
    context: ExecutionContext<State, Item>,
  ) => ExactUpdate<State, Update>;
  /** Abort a turn after this many milliseconds without a sign of life. @default the client's own */
  readonly stallTimeoutMs?: number;
  /** @default 3 attempts, except for errors that another attempt cannot fix */
  readonly retry?: RetryConfig;
  /** Fail after this many milliseconds without an answer, all turns together. */
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
  tools: toolNames,
  sessionConfig,
  session: described(either(someText, aFunction), "the name of a session, or a function that returns it"),
  permissions: object,
  sandbox: { expected: "true or an object", accepts: (value) => value === true || object.accepts(value) },
  outputSchema: schema,
  maxRepairs: wholeNumber,
  outputMapper: aFunction,
  stallTimeoutMs: timeLimit,
  retry,
  timeout: timeLimit,
};

/** Settings of a session that a node does not have itself. */
export const AGENT_ADVICE: OptionAdvice = Object.fromEntries(
  Object.keys(SESSION_OPTIONS)
    .filter((name) => !Object.hasOwn(AGENT_OPTIONS, name))
    .map((name) => [name, [`write ${name === "allowedTools" ? "tools" : `sessionConfig.${name}`}`]] as const),
);

/** What a node sends to its agent. */
export type AgentWork<State extends BaseState, Item = unknown> =
  | {
      readonly type: "message";
      readonly message: MessageBuilder<State, Item>;
      /** The name of a definition in the run's `agents`. */
      readonly agent: string | undefined;
    }
  | {
      readonly type: "prompt";
      /** What contains the prompt: one of the run's commands or skills. */
      readonly kind: "command" | "skill";
      readonly name: string;
      readonly args: MessageBuilder<State>;
      /** As above. @default the agent that the prompt names */
      readonly agent: string | undefined;
    };
