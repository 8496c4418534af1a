import {
  type AgentEventBody,
  AgentTurnError,
  type AtomicError,
  ContextOverflowError,
  messageOf,
  NotSignedInError,
  RateLimitedError,
  recordOf,
  stringOf,
  UnknownSessionError,
} from "../../../contracts/index.ts";

/** The agent's name in errors. */
export const AGENT_TYPE = "copilot";

/** What makes Copilot ask for a GitHub account. */
export const LOGIN_COMMAND = "copilot login";

/** Statuses that the same request would meet again. */
const PERMANENT_STATUSES: ReadonlySet<number> = new Set([400, 402, 404, 413, 422]);

/** Reads the data of `session.error`. Pure. */
export function toTurnError(raw: unknown): AtomicError {
  const { errorType, message, statusCode: rawStatus } = recordOf(raw);
  const detail = firstLine(stringOf(message)) || "Copilot gave no reason";
  const statusCode = typeof rawStatus === "number" ? rawStatus : undefined;
  if (isSignInMissing(stringOf(errorType), { statusCode, message: stringOf(message) })) {
    return new NotSignedInError(AGENT_TYPE, LOGIN_COMMAND, { detail, cause: raw });
  }
  if (errorType === "rate_limit" || errorType === "quota" || statusCode === 429) {
    return new RateLimitedError(AGENT_TYPE, detail, retryAfterMs(stringOf(message)), { cause: raw });
  }
  if (errorType === "context_limit" || isContextOverflow(detail)) {
    return new ContextOverflowError(AGENT_TYPE, detail, { cause: raw });
  }
  return new AgentTurnError(AGENT_TYPE, detail, {
    cause: raw,
    isRetryable: statusCode === undefined || !PERMANENT_STATUSES.has(statusCode),
    ...(statusCode === undefined ? {} : { statusCode }),
  });
}

/** The wait before the runtime repeats a call of the model. */
export type WaitEvent = Extract<AgentEventBody, { readonly type: "waiting" }>;

/** The error of a turn that was given up while the runtime waited to repeat a call. Pure. */
export function toWaitError({ reason, message }: WaitEvent): AtomicError {
  if (reason === "rate-limit") return new RateLimitedError(AGENT_TYPE, message);
  return new AgentTurnError(AGENT_TYPE, `the provider keeps failing: ${message}`);
}

/** The error of a call about a session: the runtime tells only by its words that it has no such session. Pure. */
export function toSessionError(thrown: unknown, sessionId: string): unknown {
  const isUnknown = /session(?: file)? not found|no persisted or in-memory events/i.test(messageOf(thrown));
  return isUnknown ? new UnknownSessionError(AGENT_TYPE, sessionId, { cause: thrown }) : thrown;
}

function isSignInMissing(
  errorType: string,
  { statusCode, message }: { readonly statusCode: number | undefined; readonly message: string },
): boolean {
  if (errorType === "authentication" || errorType === "authorization") return true;
  if (statusCode === 401 || statusCode === 403) return true;
  return /No GitHub OAuth token|not authenticated/i.test(message);
}

function isContextOverflow(detail: string): boolean {
  return /context (?:length|window)|prompt is too long|maximum context|too many tokens|max_prompt_tokens/i.test(detail);
}

/** The runtime tells the wait only in words, if at all. */
function retryAfterMs(message: string): number | undefined {
  const seconds = /(?:try again|retry(?:ing)?) (?:in|after) (\d+(?:\.\d+)?) ?s/i.exec(message)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Atomic's own messages put a full stop behind it. */
function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").trim().replace(/\.$/, "");
}
