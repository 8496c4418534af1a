import {
  type AgentReply,
  AtomicError,
  type CodingAgentClient,
  type PermissionPolicy,
  type SessionConfig,
  type TurnOptions,
} from "../../contracts/index.ts";
import type { BaseState } from "../annotation.ts";
import { MissingServiceError, SchemaValidationError } from "../errors.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { NodeDefinition, RetryConfig } from "../node-definition.ts";
import { type StandardSchema, toJsonSchema, validateWith } from "../standard-schema.ts";
import {
  findSession,
  followSession,
  keepSession,
  noteSession,
  type OpenedSession,
  openSession,
  resolveSessionName,
  type SessionName,
} from "./agent-session.ts";
import { outputOf } from "./tool-node.ts";

/** Settings of an {@link agentNode}. */
export interface AgentNodeConfig<State extends BaseState, Output = unknown> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** What a visit is about, for people; shown instead of the name. */
  readonly title?: (state: Readonly<State>) => string;
  /** Which agent. @default the one the run was started with */
  readonly agentType?: string;
  /** What to ask the agent. */
  readonly buildMessage: string | ((state: Readonly<State>, context: ExecutionContext<State>) => string);
  /** Added to the agent's own system prompt. */
  readonly systemPrompt?: string | ((state: Readonly<State>) => string);
  readonly model?: string;
  readonly sessionConfig?: SessionConfig;
  /**
   * The name of a session that goes on over several nodes, or visits of this one: each continues the conversation of the
   * one before, also after a restart. A name holds within its graph; parallel branches need sessions of their own names.
   * @default a new session in each visit
   */
  readonly session?: SessionName<State>;
  /** Which tool calls are allowed. @default the run's policy */
  readonly permissions?: PermissionPolicy;
  /** The shape the answer must have; the parsed value arrives as `reply.structured`. */
  readonly outputSchema?: StandardSchema<Output>;
  /** How often the agent is asked to correct an answer that does not fit `outputSchema`. @default 2 */
  readonly maxRepairs?: number;
  /** Turns the answer into an update. @default `outputs[id] = reply.content` (or `reply.structured`) */
  readonly outputMapper?: (
    reply: AgentReply & { readonly structured: Output },
    state: Readonly<State>,
    context: ExecutionContext<State>,
  ) => Partial<State>;
  /** Abort a turn without a sign of life for so many milliseconds. @default the client's own */
  readonly stallTimeoutMs?: number;
  /** @default 3 attempts, except for errors that would only happen again */
  readonly retry?: RetryConfig;
  /** Fail after so many milliseconds, all turns together. */
  readonly timeout?: number;
}

/** Errors that another attempt would only meet again. */
const PERMANENT_CODES: ReadonlySet<string> = new Set([
  "CLIENT_NOT_INSTALLED",
  "NOT_SIGNED_IN",
  "CAPABILITY_MISSING",
  "SERVICE_MISSING",
]);

const DEFAULT_RETRY: RetryConfig = {
  maxAttempts: 3,
  retryOn: (error) => {
    if (error instanceof AtomicError && PERMANENT_CODES.has(error.code)) return false;
    return !("isRetryable" in error) || error.isRetryable !== false;
  },
};

/**
 * A node that hands a task to a coding agent. When it runs again after a crash or a failure it reopens the agent's own
 * session, where the agent can, and asks it to finish instead of starting over (E4).
 * Each visit has a session of its own, unless `session` names one.
 *
 * ```ts
 * agentNode<State>({
 *   id: "plan",
 *   buildMessage: (state) => `Plan the work for: ${state.topic}`,
 *   outputMapper: (reply) => ({ plan: reply.content }),
 * });
 * ```
 */
export function agentNode<State extends BaseState, Output = unknown>(
  config: AgentNodeConfig<State, Output>,
): NodeDefinition<State> {
  const { id, outputMapper } = config;
  return {
    id,
    type: "agent",
    ...(config.name === undefined ? {} : { name: config.name }),
    ...(config.description === undefined ? {} : { description: config.description }),
    ...(config.title === undefined ? {} : { title: config.title }),
    ...(config.model === undefined ? {} : { model: config.model }),
    ...(config.timeout === undefined ? {} : { timeoutMs: config.timeout }),
    retry: { ...DEFAULT_RETRY, ...config.retry },
    async execute(context) {
      const { clients } = context.services;
      if (clients === undefined) throw new MissingServiceError("clients", id);
      const client = await clients(config.agentType);
      const name = config.session === undefined ? undefined : resolveSessionName(config.session, context);
      const sessionConfig = resolveSessionConfig(config, context);
      const opened = await openSession(client, { sessionConfig, name }, context);
      const stopFollowing = followSession(client, opened.session, context);
      try {
        await noteSession(opened, client, context);
        const reply = await converse(opened, config, context);
        const update =
          outputMapper === undefined
            ? outputOf<State>(id, reply.structured ?? reply.content)
            : outputMapper(reply, context.state, context);
        if (name === undefined) return { stateUpdate: update };
        return { stateUpdate: { ...update, ...keepOpened(name, { opened, client, config, sessionConfig }, context) } };
      } finally {
        stopFollowing();
        await opened.session.destroy();
      }
    },
  };
}

/** The update that keeps a session for the nodes behind this one; nothing where it is kept already. */
function keepOpened<State extends BaseState, Output>(
  name: string,
  of: {
    readonly opened: OpenedSession;
    readonly client: CodingAgentClient;
    readonly config: AgentNodeConfig<State, Output>;
    readonly sessionConfig: SessionConfig;
  },
  context: ExecutionContext<State>,
): Pick<BaseState, "agentSessions"> {
  const { opened, client, config, sessionConfig } = of;
  const sessionId = opened.session.id;
  if (findSession(name, context)?.sessionId === sessionId) return {};
  const { model, workingDirectory } = sessionConfig;
  return keepSession(name, {
    sessionId,
    agentType: client.agentType,
    ...(config.agentType === undefined ? {} : { requestedType: config.agentType }),
    ...(model === undefined ? {} : { model }),
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    runId: context.runId,
  });
}

function resolveSessionConfig<State extends BaseState, Output>(
  config: AgentNodeConfig<State, Output>,
  context: ExecutionContext<State>,
): SessionConfig {
  const { workingDirectory, sessionConfig } = context.services;
  const { systemPrompt, permissions } = config;
  const prompt = typeof systemPrompt === "function" ? systemPrompt(context.state) : systemPrompt;
  return {
    title: `${config.name ?? config.id} (${context.runId})`,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    ...sessionConfig,
    ...config.sessionConfig,
    ...(context.model === undefined ? {} : { model: context.model }),
    ...(prompt === undefined ? {} : { systemPrompt: prompt }),
    ...(permissions === undefined ? {} : { permissions }),
  };
}

async function converse<State extends BaseState, Output>(
  opened: OpenedSession,
  config: AgentNodeConfig<State, Output>,
  context: ExecutionContext<State>,
): Promise<AgentReply & { readonly structured: Output }> {
  const { outputSchema, maxRepairs = 2, stallTimeoutMs } = config;
  const jsonSchema = outputSchema && toJsonSchema(outputSchema);
  const options: TurnOptions = {
    signal: context.signal,
    ...(jsonSchema === undefined ? {} : { outputSchema: jsonSchema }),
    ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
  };
  let message = firstMessage(opened, config, context);
  for (let repairs = 0; ; repairs++) {
    const reply = await opened.session.send(message, options);
    // The cast is true: without a schema nobody asked for a structured answer, and Output is unknown.
    if (outputSchema === undefined) return reply as AgentReply & { readonly structured: Output };
    const result = await validateWith(outputSchema, reply.structured ?? parseJson(reply.content));
    if (result.type === "valid") return { ...reply, structured: result.value };
    if (repairs >= maxRepairs) {
      throw new SchemaValidationError(
        `The answer of "${config.id}" does not have the required shape: ${result.problems.join("; ")}`,
      );
    }
    message = `Your answer does not have the required shape: ${result.problems.join("; ")}. Answer again, in the required shape.`;
  }
}

function firstMessage<State extends BaseState, Output>(
  opened: OpenedSession,
  config: AgentNodeConfig<State, Output>,
  context: ExecutionContext<State>,
): string {
  const { buildMessage } = config;
  const task = typeof buildMessage === "function" ? buildMessage(context.state, context) : buildMessage;
  const message =
    context.feedback === undefined ? task : `${task}\n\nYour previous answer was refused: ${context.feedback}`;
  if (!opened.isInterrupted) return message;
  return `Your work on the following was interrupted. Look at what is already done, then finish it.\n\n${message}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the schema's own message about text is the better one.
    return text;
  }
}
