import {
  AgentCrashedError,
  type AgentEvent,
  AgentTooNewError,
  AgentTooOldError,
  AgentTurnError,
  type AtomicError,
  CapabilityMissingError,
  ClientNotInstalledError,
  ContextOverflowError,
  isLimitError,
  NotSignedInError,
  RateLimitedError,
  recordOf,
  SessionBusyError,
  SessionDestroyedError,
  TurnStalledError,
  UnknownSessionError,
} from "../../../contracts/index.ts";

/** When and how a failed turn is retried. */
export interface RecoveryPolicy {
  /** How often one model is tried in a turn, including the first attempt. @default 3 */
  readonly maxAttempts?: number;
  /**
   * Whether a failure may be temporary. Not called for failures that another attempt cannot change: a missing login,
   * program, capability or session, a program that is too old or too new, a full context window, a session that is busy, was
   * destroyed, or reached a limit.
   * @default stalls, crashes, rate limits, and errors that the provider itself marks as temporary
   */
  readonly retryOn?: (error: AtomicError) => boolean;
  /** The pause before the second attempt, in milliseconds; it doubles with each one. @default 1_000 */
  readonly baseDelayMs?: number;
  /** The longest pause, in milliseconds, unless the provider asks for a longer one. @default 30_000 */
  readonly maxDelayMs?: number;
  /** The random part of a pause, 0 to 1. @default 0.2 */
  readonly jitter?: number;
  /**
   * The longest pause that a provider may request, in milliseconds; if it requests a longer one, the next model takes over,
   * or the turn fails. @default 300_000
   */
  readonly maxWaitMs?: number;
  /** The models that take over, one after another, when a model has no attempts left. @default none */
  readonly fallbackModels?: readonly string[];
}

/** What happens after a failed attempt. */
export type Recovery =
  | { readonly type: "retry" /** In milliseconds. */; readonly delayMs: number }
  | { readonly type: "fallback"; readonly model: string }
  | { readonly type: "give-up" };

/** What a decision depends on besides the policy. */
export interface FailedAttempt {
  readonly error: AtomicError;
  /** How often the present model has failed in this turn, including this time. */
  readonly failures: number;
  /** How many of the policy's models have taken over already. */
  readonly fallbacksUsed: number;
  /** Whether the agent can resume the conversation with another model. */
  readonly canChangeModel: boolean;
  /** A number from 0 to 1. */
  readonly random: number;
}

/** Failures that another attempt cannot change, whatever a policy says. */
const LASTING = [
  NotSignedInError,
  ClientNotInstalledError,
  AgentTooNewError,
  AgentTooOldError,
  CapabilityMissingError,
  ContextOverflowError,
  SessionBusyError,
  SessionDestroyedError,
  UnknownSessionError,
] as const;

/** Decides what happens after a failed attempt. Pure. */
export function decideRecovery(policy: RecoveryPolicy, attempt: FailedAttempt): Recovery {
  const { maxAttempts = 3, retryOn = isTemporary, maxWaitMs = 300_000, fallbackModels = [] } = policy;
  const { error, failures, fallbacksUsed, canChangeModel } = attempt;
  const isLasting = isLimitError(error) || LASTING.some((lasting) => error instanceof lasting);
  if (isLasting || !retryOn(error)) return { type: "give-up" };
  const askedMs = error instanceof RateLimitedError ? (error.retryAfterMs ?? 0) : 0;
  if (failures < maxAttempts && askedMs <= maxWaitMs) {
    return { type: "retry", delayMs: Math.max(pauseOf(policy, attempt), askedMs) };
  }
  const model = canChangeModel ? fallbackModels[fallbacksUsed] : undefined;
  return model === undefined ? { type: "give-up" } : { type: "fallback", model };
}

/** Whether an error is usually temporary. */
function isTemporary(error: AtomicError): boolean {
  if (error instanceof AgentTurnError) return error.isRetryable;
  return [TurnStalledError, AgentCrashedError, RateLimitedError].some((kind) => error instanceof kind);
}

function pauseOf(
  { baseDelayMs = 1_000, maxDelayMs = 30_000, jitter = 0.2 }: RecoveryPolicy,
  { failures, random }: FailedAttempt,
): number {
  const fullMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (failures - 1));
  return Math.round(fullMs * (1 - jitter * random));
}

/** The reason for the pause after an error, as in the event `waiting`. Pure. */
export function waitingReasonOf(error: AtomicError): Extract<AgentEvent, { type: "waiting" }>["reason"] {
  if (error instanceof RateLimitedError) return "rate-limit";
  if (error instanceof TurnStalledError) return "stall";
  if (error instanceof AgentCrashedError) return "crash";
  if (error instanceof AgentTurnError && (error.statusCode === 503 || error.statusCode === 529)) return "overload";
  return isNetworkError(error.cause) || CONNECTION_WORDS.test(error.message) ? "network" : "provider-error";
}

/** How vendors report that no connection was made, where only their words arrive. */
const CONNECTION_WORDS =
  /(?:cannot|unable to|could not|failed to) connect|connection (?:error|refused)|ECONN|ENOTFOUND/i;

function isNetworkError(cause: unknown): boolean {
  const { code } = recordOf(cause);
  return typeof code === "string" && /^(?:E(?:CONN|HOST|NET|PIPE|TIMEDOUT|AI_)|UND_ERR)/.test(code);
}
