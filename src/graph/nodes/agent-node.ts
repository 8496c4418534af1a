import {
  type AgentReply,
  AtomicError,
  type CodingAgentClient,
  type PermissionPolicy,
  type Session,
  type SessionConfig,
  type TurnOptions,
} from "../../contracts/index.ts";
import type { BaseState } from "../annotation.ts";
import { MissingServiceError, SchemaValidationError } from "../errors.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { NodeDefinition, RetryConfig } from "../node-definition.ts";
import { type StandardSchema, toJsonSchema, validateWith } from "../standard-schema.ts";
import { emitAgentEvent } from "./agent-events.ts";
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

/** The journal key under which an attempt leaves the vendor's session for the next one. */
const SESSION_KEY = "agent-session";

/**
 * A node that hands a task to a coding agent. When it runs again after a crash or a failure it reopens the agent's own
 * session, where the agent can, and asks it to finish instead of starting over (E4).
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
      const opened = await openSession(client, config, context);
      const unsubscribe = client.on("*", (event) => {
        if (event.sessionId === opened.session.id) emitAgentEvent(event, context);
      });
      try {
        await noteSession(opened, client, context);
        const reply = await converse(opened, config, context);
        if (outputMapper === undefined) return { stateUpdate: outputOf<State>(id, reply.structured ?? reply.content) };
        return { stateUpdate: outputMapper(reply, context.state, context) };
      } finally {
        unsubscribe();
        await opened.session.destroy();
      }
    },
  };
}

interface OpenedSession {
  readonly session: Session;
  readonly isResumed: boolean;
}

async function openSession<State extends BaseState, Output>(
  client: CodingAgentClient,
  config: AgentNodeConfig<State, Output>,
  context: ExecutionContext<State>,
): Promise<OpenedSession> {
  const sessionConfig = resolveSessionConfig(config, context);
  const reopened = await reopen(client, sessionConfig, context);
  return reopened ?? { session: await client.createSession(sessionConfig), isResumed: false };
}

/** Leaves the vendor's session for a later attempt. */
async function noteSession(
  { session, isResumed }: OpenedSession,
  { agentType }: CodingAgentClient,
  context: Pick<ExecutionContext, "attempt" | "emit" | "step">,
): Promise<void> {
  context.emit({ type: "agent-session", agentType, sessionId: session.id, isResumed });
  if (!isResumed) await context.step(`${SESSION_KEY}:${context.attempt}`, () => session.id);
}

/** The session that the latest earlier attempt of this visit left, if the agent still has it. */
async function reopen(
  client: CodingAgentClient,
  sessionConfig: SessionConfig,
  context: Pick<ExecutionContext, "attempt" | "recall">,
): Promise<OpenedSession | undefined> {
  if (!client.capabilities.resume) return undefined;
  for (let attempt = context.attempt - 1; attempt >= 1; attempt--) {
    const sessionId = context.recall(`${SESSION_KEY}:${attempt}`);
    if (typeof sessionId !== "string") continue;
    try {
      return { session: await client.resumeSession(sessionId, sessionConfig), isResumed: true };
    } catch (error) {
      if (error instanceof AtomicError && error.code === "UNKNOWN_SESSION") return undefined;
      throw error;
    }
  }
  return undefined;
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
  if (!opened.isResumed) return message;
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
