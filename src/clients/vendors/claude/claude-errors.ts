import {
  AgentTurnError,
  type AtomicError,
  ContextOverflowError,
  countOf,
  NotSignedInError,
  RateLimitedError,
  recordOf,
  type SessionLimits,
  StructuredOutputError,
  stringOf,
  type UnknownRecord,
  UnknownSessionError,
} from "../../../contracts/index.ts";

/** The agent's name in errors. */
export const AGENT_TYPE = "claude";

/** The arguments with which Claude Code signs in. */
export const LOGIN_ARGUMENTS = "auth login";
const LOGIN_COMMAND = `claude ${LOGIN_ARGUMENTS}`;
const KEY_VARIABLE = "ANTHROPIC_API_KEY";

/** What an error contains besides Claude Code's own message. */
export interface TurnErrorContext {
  readonly sessionId: string;
  /** The text of the answer so far. */
  readonly content: string;
  /** Claude Code's kind of the error, for example `authentication_failed`. */
  readonly errorKind?: string;
  /** When the user's limit ends, in milliseconds since 1970, where Claude Code reported it. */
  readonly limitResetsAt?: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The session's limits, which Claude Code enforces as well. @default no limits */
  readonly limits?: SessionLimits;
}

/** A failed attempt that Claude Code retries. */
export interface ApiRetry {
  readonly attempt: number;
  readonly delayMs: number;
  /** The HTTP status; absent where no answer came. */
  readonly status?: number;
  /** Claude Code's kind of the error, for example `overloaded`. */
  readonly kind: string;
}

/** Claude Code's subtypes for a turn that reached a limit of its session. */
const LIMITS: Readonly<Record<string, "maxTurns" | "maxBudgetUsd">> = {
  error_max_turns: "maxTurns",
  error_max_budget_usd: "maxBudgetUsd",
};

const LOGIN_KINDS: ReadonlySet<string> = new Set([
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
]);

/** Translates the `result` message of a failed turn. Pure. */
export function toTurnError(result: UnknownRecord, context: TurnErrorContext): AtomicError {
  const status = typeof result.api_error_status === "number" ? result.api_error_status : undefined;
  const exceeded = context.limits?.errorOf(LIMITS[stringOf(result.subtype)]);
  if (exceeded !== undefined) return exceeded;
  const errors = Array.isArray(result.errors) ? result.errors.map(stringOf) : [];
  const detail = withoutPrefix(stringOf(result.result) || errors.join("; ") || "Claude Code gave no reason");
  const reason = stringOf(result.terminal_reason);
  if (isLoginProblem({ status, detail, kind: context.errorKind })) {
    return new NotSignedInError(AGENT_TYPE, LOGIN_COMMAND, { detail, variable: KEY_VARIABLE, cause: result });
  }
  if (reason === "prompt_too_long" || /prompt is too long/i.test(detail)) {
    return new ContextOverflowError(AGENT_TYPE, detail, { cause: result });
  }
  if (status === 429 || context.errorKind === "rate_limit" || /^You've (?:hit|reached) your\b/.test(detail)) {
    return new RateLimitedError(AGENT_TYPE, detail, retryAfterMs(context), { cause: result });
  }
  if (result.subtype === "error_max_structured_output_retries") {
    return new StructuredOutputError(AGENT_TYPE, [structuredProblem(detail)], context.content);
  }
  if (/^No conversation found with session ID/.test(detail)) {
    return new UnknownSessionError(AGENT_TYPE, context.sessionId, { cause: result });
  }
  const isRetryable = status === undefined || status === 408 || status === 409 || status >= 500;
  return new AgentTurnError(AGENT_TYPE, detail, {
    cause: result,
    isRetryable: isRetryable && !/issue with the selected model/.test(detail),
    ...(status === undefined ? {} : { statusCode: status }),
  });
}

/**
 * The error of a turn that must not be retried further: the provider keeps rejecting the login. The first rejection
 * does not count, because Claude Code then renews an expired login. Pure.
 */
export function hopelessError(retry: ApiRetry): AtomicError | undefined {
  const isRejected = retry.status === 401 || retry.status === 403;
  if (!isRejected || retry.attempt < 2) return undefined;
  const detail = `the provider answered ${retry.status}`;
  return new NotSignedInError(AGENT_TYPE, LOGIN_COMMAND, { detail, variable: KEY_VARIABLE });
}

/** The error of a turn that was stopped while the provider kept failing. Pure. */
export function toRetryError(retry: ApiRetry, retryAt: number, now: number): AtomicError {
  const detail = describeRetry(retry);
  if (retry.status === 429 || retry.status === 529) {
    return new RateLimitedError(AGENT_TYPE, detail, retryAt > now ? retryAt - now : undefined);
  }
  return new AgentTurnError(AGENT_TYPE, `the provider keeps failing: ${detail}`, { isRetryable: true });
}

/** One line about a failed attempt. */
export function describeRetry({ status, kind, attempt }: ApiRetry): string {
  const what = status === undefined ? "no answer" : `status ${status}`;
  return `${what} (${kind.replaceAll("_", " ")}), attempt ${attempt}`;
}

/** Reads a `system/api_retry` message. */
export function parseApiRetry(raw: unknown): ApiRetry {
  const message = recordOf(raw);
  return {
    attempt: countOf(message.attempt),
    delayMs: countOf(message.retry_delay_ms),
    kind: stringOf(message.error) || "unknown",
    ...(typeof message.error_status === "number" ? { status: message.error_status } : {}),
  };
}

function isLoginProblem(found: {
  readonly status: number | undefined;
  readonly detail: string;
  readonly kind: string | undefined;
}): boolean {
  if (found.status === 401 || found.status === 403) return true;
  if (found.kind !== undefined && LOGIN_KINDS.has(found.kind)) return true;
  return /^Not logged in\b|^Invalid API key\b|run \/login/i.test(found.detail);
}

function retryAfterMs({ limitResetsAt, now }: TurnErrorContext): number | undefined {
  return limitResetsAt !== undefined && limitResetsAt > now ? limitResetsAt - now : undefined;
}

function withoutPrefix(detail: string): string {
  return detail.replace(/^API Error: /, "");
}

/** "Failed … after 3 attempts — last StructuredOutput error: Output does not match required schema: /a: must be b". */
function structuredProblem(detail: string): string {
  return /required schema: (.+)$/s.exec(detail)?.[1] ?? detail;
}
