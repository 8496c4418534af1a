import { type AgentEvent, AtomicError, type SessionConfig } from "../../../contracts/index.ts";
import { MissingServiceError, NodeTimeoutError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type {
  SubagentFailure,
  SubagentOptions,
  SubagentRunner,
  SubagentSession,
  SubagentSuccess,
} from "../../model/subagent-runner.ts";
import { startTimeLimit } from "../../run/node-timer.ts";
import type { StandardSchema } from "../../state/standard-schema.ts";
import { agentEmission, noteSession, sessionOfEarlierAttempt } from "../agents/agent-session.ts";
import { askAgent } from "../agents/ask-agent.ts";
import { promptEmitter } from "../agents/prompt-emitter.ts";
import { isWorthRetrying, NOT_THE_WORKS_FAULT } from "../shared/agent-retry.ts";
import { boundText } from "../shared/bound-text.ts";

/** A sub-agent did not do its work. */
export class SubagentFailedError extends AtomicError {
  readonly isRetryable: boolean;
  /** How long to wait before a retry, in milliseconds, if the cause says so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly nodeId: string,
    readonly agentName: string,
    { error, cause }: Pick<SubagentFailure, "error" | "cause">,
  ) {
    super("SUBAGENT_FAILED", `The sub-agent "${agentName}" of the node "${nodeId}" failed: ${error}`, { cause });
    const about = typeof cause === "object" && cause !== null ? cause : {};
    this.isRetryable = !(cause instanceof Error) || isWorthRetrying(cause);
    this.retryAfterMs =
      "retryAfterMs" in about && typeof about.retryAfterMs === "number" ? about.retryAfterMs : undefined;
  }
}

/** A task for a sub-agent, with all names resolved. */
export interface SubagentOrder {
  /** Identifies a further task of the visit. @default the visit's own */
  readonly agentId: string | undefined;
  /** Whether it works in a session of its own, whatever the run's `subagents` are. */
  readonly isDirect: boolean;
  readonly agentName: string;
  readonly agentType: string | undefined;
  readonly task: string;
  /** The sub-agent's session, including system prompt and model. */
  readonly sessionConfig: SessionConfig;
  readonly tools: readonly string[] | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxOutputLength: number | undefined;
  readonly outputSchema: StandardSchema<unknown> | undefined;
  readonly maxRepairs: number | undefined;
  readonly stallTimeoutMs: number | undefined;
  /** Receives what is left of a failed one. */
  readonly onFailure?: ((failure: SubagentFailure) => void) | undefined;
}

/**
 * Runs a sub-agent with the run's `subagents` service, or without one in its own session.
 *
 * @throws SubagentFailedError, MissingServiceError, what the service or the client throws, the signal's reason
 */
export async function runSubagent(order: SubagentOrder, context: ExecutionContext): Promise<SubagentSuccess> {
  const { subagents, clients } = context.services;
  if (subagents !== undefined && !order.isDirect) return await spawn(subagents, order, context);
  if (clients === undefined) throw new MissingServiceError("subagents", context.nodeId);
  return await converse(order, context);
}

async function spawn(
  runner: SubagentRunner,
  order: SubagentOrder,
  context: ExecutionContext,
): Promise<SubagentSuccess> {
  const { nodeId, signal } = context;
  let { agentType } = order;
  let hasReported = false;
  let onMessage: ((message: string) => void) | undefined;
  const onEvent = (event: AgentEvent): void => {
    hasReported ||= event.type === "usage";
    context.emit(agentEmission(event, agentType));
  };
  const onSession = async (session: SubagentSession): Promise<void> => {
    ({ agentType } = session);
    onMessage = promptEmitter({ session: { id: session.sessionId }, agentType, config: order.sessionConfig }, context);
    if (order.agentId === undefined) await noteSession(session, context);
  };
  const result = await runner.spawn({
    ...optionsOf(order, context),
    onEvent,
    onSession,
    onMessage: (message) => onMessage?.(message),
  });
  signal.throwIfAborted();
  // A runner that reported no usage during the work reports it in the result.
  if (!hasReported && result.usage !== undefined) {
    context.emit({ type: "usage", usage: result.usage, ...given({ agentType }) });
  }
  if (!result.success) order.onFailure?.(result);
  if (!result.success) throw failureOf(result, { nodeId, agentName: order.agentName });
  return result;
}

/** Wraps the failure of a sub-agent. Errors that would affect every sub-agent pass through unchanged. */
function failureOf(
  failure: SubagentFailure,
  { nodeId, agentName }: Pick<SubagentFailedError, "nodeId" | "agentName">,
): AtomicError {
  const { cause } = failure;
  if (cause instanceof AtomicError && NOT_THE_WORKS_FAULT.has(cause.code)) return cause;
  return new SubagentFailedError(nodeId, agentName, failure);
}

function optionsOf(
  {
    sessionConfig: config,
    agentName,
    task,
    agentId,
    isDirect: _isDirect,
    onFailure: _onFailure,
    ...wishes
  }: SubagentOrder,
  context: ExecutionContext,
): Omit<SubagentOptions, "onEvent"> {
  const { runId, taskId, attempt, signal } = context;
  const { systemPrompt, model, ...sessionConfig } = config;
  const { sessionDirectory, redactor } = context.services;
  return {
    runId,
    agentId: agentId ?? taskId,
    attempt,
    agentName,
    task,
    ...given({
      ...wishes,
      systemPrompt,
      model,
      sessionDirectory,
      redactor,
      resumeSessionId: agentId === undefined ? sessionOfEarlierAttempt(context) : undefined,
    }),
    sessionConfig,
    signal,
    stopTimeout: context.stopTimeout,
    onLog: (message) => context.emit({ type: "log", message }),
  };
}

/** Runs a sub-agent without a service: in its own session, limited only by the run's `maxConcurrency`. */
async function converse(order: SubagentOrder, context: ExecutionContext): Promise<SubagentSuccess> {
  const { task: message, timeoutMs, maxOutputLength, agentId, onFailure: _onFailure, ...wishes } = order;
  const startedAt = performance.now();
  const limit = new AbortController();
  const timer = startTimeLimit(timeoutMs, (limitMs) => limit.abort(new NodeTimeoutError(context.nodeId, limitMs)));
  try {
    const signal = AbortSignal.any([context.signal, limit.signal]);
    const { reply } = await askAgent(
      { ...wishes, message, signal, isContinued: agentId === undefined, stopTimeout: () => timer.pause() },
      context,
    );
    const { toolUses, usage, structured } = reply;
    const content = context.services.redactor?.text(reply.content) ?? reply.content;
    const output = maxOutputLength === undefined ? content : boundText(content, maxOutputLength);
    const durationMs = Math.round(performance.now() - startedAt);
    const isTruncated = output !== content;
    return {
      success: true,
      agentId: context.taskId,
      output,
      isTruncated,
      ...(order.outputSchema === undefined ? {} : { structured }),
      toolUses,
      durationMs,
      usage,
    };
  } finally {
    timer.stop();
  }
}
