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
} from "../../../../contracts/index.ts";

/** The agent's name in errors. */
export const AGENT_TYPE = "copilot";

/** How to sign in to GitHub. The SDK's own runtime has no command for it. */
export const LOGIN_COMMAND = "copilot login (of GitHub's own program: npm install -g @github/copilot)";

/** The variable with a token that needs no login. */
export const TOKEN_VARIABLE = "COPILOT_GITHUB_TOKEN";

/** Statuses that the same request would get again. */
const PERMANENT_STATUSES: ReadonlySet<number> = new Set([400, 402, 404, 413, 422]);

/** The error of a turn, from the data of `session.error`. Pure. */
export function toTurnError(raw: unknown): AtomicError {
  const { errorType, message, statusCode: rawStatus } = recordOf(raw);
  const detail = firstLine(stringOf(message)) || "Copilot gave no reason";
  const statusCode = typeof rawStatus === "number" ? rawStatus : undefined;
  if (isSignInMissing(stringOf(errorType), { statusCode, message: stringOf(message) })) {
    return new NotSignedInError(AGENT_TYPE, LOGIN_COMMAND, { detail, variable: TOKEN_VARIABLE, cause: raw });
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

/** The wait before the runtime retries a model call. */
export type WaitEvent = Extract<AgentEventBody, { readonly type: "waiting" }>;

/** The error of a turn that stalled while the runtime waited to retry a call. Pure. */
export function toWaitError({ reason, message }: WaitEvent): AtomicError {
  if (reason === "rate-limit") return new RateLimitedError(AGENT_TYPE, message);
  return new AgentTurnError(AGENT_TYPE, `the provider keeps failing: ${message}`);
}

/** The error of a call about a session. Only the message shows that the runtime has no such session. Pure. */
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

/** The runtime reports the wait only in the message, if at all. */
function retryAfterMs(message: string): number | undefined {
  const seconds = /(?:try again|retry(?:ing)?) (?:in|after) (\d+(?:\.\d+)?) ?s/i.exec(message)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Without the full stop, which Atomic's own messages add. */
function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").trim().replace(/\.$/, "");
}
