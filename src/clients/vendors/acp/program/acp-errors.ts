import {
  AgentTurnError,
  AtomicError,
  ContextOverflowError,
  isRecord,
  messageOf,
  NotSignedInError,
  RateLimitedError,
  recordOf,
  stringOf,
  UnknownSessionError,
} from "../../../../contracts/index.ts";
import type { AcpAuthMethod } from "./acp-features.ts";

/** What an error contains besides the agent's own words. */
export interface AcpErrorContext {
  readonly agentType: string;
  /** What to run to sign in. */
  readonly loginCommand: string;
  /** Whether the agent calls an endpoint of the user's own. @default false */
  readonly hasEndpoint?: boolean;
  /** The session of the request. */
  readonly sessionId?: string;
}

const AUTHENTICATION_REQUIRED = -32_000;
const NOT_FOUND = -32_002;
const METHOD_NOT_FOUND = -32_601;
/** Parse error, invalid request, no such method, invalid parameters: the same request would fail again. */
const MALFORMED: ReadonlySet<number> = new Set([-32_700, -32_600, METHOD_NOT_FOUND, -32_602]);

const NEEDS_LOGIN =
  /\b(?:401|403)\b|unauthori[sz]ed|forbidden|(?:invalid|incorrect|missing|expired)[^.]{0,20}(?:api[ -]?key|token|credential)|not (?:logged|signed) in|authentication (?:is )?(?:required|failed)|please (?:run )?\/?log ?in/i;
const LIMITED = /\b(?:429|529)\b|rate.?limit|too many requests|overloaded|quota|usage limit|resource.?exhausted/i;
const OVERFLOW =
  /context.?(?:length|window|limit)|prompt is too long|too many tokens|maximum context|exceeds? the (?:model's )?(?:maximum|context)/i;
const PERMANENT_STATUS: ReadonlySet<number> = new Set([400, 404, 405, 413, 422]);

/** Translates the error of a request to an agent: JSON-RPC errors become Atomic's, which are kept as they are. Pure. */
export function toAcpError(raw: unknown, context: AcpErrorContext): AtomicError {
  if (raw instanceof AtomicError) return raw;
  const { agentType, loginCommand, hasEndpoint = false, sessionId } = context;
  const code = codeOf(raw);
  const detail = detailOf(raw);
  const statusCode = statusOf(raw, detail);
  if (code === AUTHENTICATION_REQUIRED || statusCode === 401 || statusCode === 403 || NEEDS_LOGIN.test(detail)) {
    return new NotSignedInError(agentType, loginCommand, { detail, cause: raw, isAtEndpoint: hasEndpoint });
  }
  if (isUnknownSession(raw, code) && sessionId !== undefined) {
    return new UnknownSessionError(agentType, sessionId, { cause: raw });
  }
  if (OVERFLOW.test(detail)) return new ContextOverflowError(agentType, detail, { cause: raw });
  if (statusCode === 429 || statusCode === 529 || LIMITED.test(detail)) {
    return new RateLimitedError(agentType, detail, retryAfterMs(raw, detail), { cause: raw });
  }
  const isPermanent = MALFORMED.has(code ?? 0) || PERMANENT_STATUS.has(statusCode ?? 0);
  return new AgentTurnError(agentType, detail, {
    cause: raw,
    isRetryable: !isPermanent,
    ...(statusCode === undefined ? {} : { statusCode }),
  });
}

/** Why an answered prompt failed; undefined when it succeeded or was cancelled. Pure. */
export function toStopError(stopReason: string, agentType: string): AtomicError | undefined {
  const fail = (detail: string) => new AgentTurnError(agentType, detail, { isRetryable: false });
  switch (stopReason) {
    case "end_turn":
    case "cancelled":
      return undefined;
    case "max_tokens":
      return fail("the answer is longer than the model may write");
    case "max_turn_requests":
      return fail("it made as many model calls as one turn may have");
    case "refusal":
      return fail("the model refused to continue");
    default:
      return fail(`it stopped for an unknown reason, "${stopReason}"`);
  }
}

/** What to run to sign in: from the options or the preset, else from the agent's description of its methods. */
export function describeLogin(
  known: string | undefined,
  { command, authMethods }: { readonly command: string; readonly authMethods: readonly AcpAuthMethod[] },
): string {
  if (known !== undefined) return known;
  const method = authMethods[0];
  const told = method === undefined ? "" : method.description || method.name;
  return told === "" ? command : `${command} (${told})`;
}

function codeOf(raw: unknown): number | undefined {
  const code = raw instanceof Error && "code" in raw ? raw.code : undefined;
  return typeof code === "number" ? code : undefined;
}

function dataOf(raw: unknown): unknown {
  return raw instanceof Error && "data" in raw ? raw.data : undefined;
}

/** `Internal error` says nothing; `data` may. */
function detailOf(raw: unknown): string {
  const message = messageOf(raw).replace(/^Internal error:?\s*/i, "");
  const data = dataOf(raw);
  const more = typeof data === "string" ? data : isRecord(data) ? firstText(data) : "";
  const parts = [message, more].map((text) => text.trim()).filter((text) => text !== "");
  const unique = parts.filter((text, index) => !parts.some((other, at) => at !== index && other.includes(text)));
  return [...new Set(unique.length > 0 ? unique : parts)].join(": ") || "it gave no reason";
}

function firstText(data: Readonly<Record<string, unknown>>): string {
  for (const name of ["details", "detail", "message", "error", "reason"]) {
    const value = data[name];
    const text = isRecord(value) ? stringOf(value.message) : stringOf(value);
    if (text !== "") return text;
  }
  return "";
}

function statusOf(raw: unknown, detail: string): number | undefined {
  const data = recordOf(dataOf(raw));
  for (const value of [data.statusCode, data.status, data.httpStatus, data.http_status_code]) {
    if (typeof value === "number") return value;
  }
  const named = /(?:API Error|status(?: code)?|HTTP)[:\s]+([45]\d\d)\b/i.exec(detail)?.[1];
  return named === undefined ? undefined : Number(named);
}

function isUnknownSession(raw: unknown, code: number | undefined): boolean {
  if (code === NOT_FOUND) return true;
  return /session[^.]{0,80}not found|(?:no|unknown) (?:such )?session|no conversation found/i.test(detailOf(raw));
}

/** The wait that the provider's message or a field of the error names, in milliseconds. */
function retryAfterMs(raw: unknown, detail: string): number | undefined {
  const data = recordOf(dataOf(raw));
  if (typeof data.retryAfterMs === "number") return data.retryAfterMs;
  for (const value of [data.retryAfter, data.retry_after]) {
    if (typeof value === "number") return value * 1000;
  }
  const match =
    /(?:retry|try again)(?:[- ]after)?(?: in)?[:\s]+([\d.]+)\s*(ms|milliseconds?|s|seconds?|m|minutes?)?\b/i.exec(
      detail,
    );
  if (match === null) return undefined;
  const amount = Number.parseFloat(match[1] ?? "");
  const unit = (match[2] ?? "s").toLowerCase();
  const factor = unit.startsWith("ms") || unit.startsWith("milli") ? 1 : unit.startsWith("m") ? 60_000 : 1000;
  return Number.isFinite(amount) ? amount * factor : undefined;
}
