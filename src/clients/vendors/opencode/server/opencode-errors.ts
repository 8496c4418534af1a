import {
  AgentConfigInvalidError,
  type AgentEvent,
  AgentTurnError,
  type AtomicError,
  ContextOverflowError,
  NotSignedInError,
  RateLimitedError,
  recordOf,
  recordsOf,
  StructuredOutputError,
  stringOf,
} from "../../../../contracts/index.ts";

/** The agent's name in errors. */
export const AGENT_TYPE = "opencode";

/** The arguments with which OpenCode signs in. */
export const LOGIN_ARGUMENTS = "auth login";
const LOGIN_COMMAND = `opencode ${LOGIN_ARGUMENTS}`;
const OFFLINE_REMEDY = "Check the network of this machine, or choose a model of a provider that it reaches.";

/** What an error contains besides the vendor's message. */
export interface TurnErrorContext {
  /** The text of the answer so far. */
  readonly content: string;
  /** Milliseconds since 1970, for a `retry-after` that names a date. */
  readonly now: number;
  /** The models of the user's own endpoint, which are the only ones then. @default none */
  readonly endpointModels?: readonly string[] | undefined;
  /** The model that was called, as `provider/model`. @default unknown */
  readonly model?: string;
}

/** Translates the error of a message or of `session.error`. Pure. */
export function toTurnError(raw: unknown, { content, now, endpointModels, model = "" }: TurnErrorContext): AtomicError {
  const error = recordOf(raw);
  const data = recordOf(error.data);
  const name = stringOf(error.name);
  const reason = firstLine(stringOf(data.message)) || name || "OpenCode gave no reason";
  const offline = nameModelOffline(reason, model);
  const detail = offline === reason ? nameEndpointModels(reason, endpointModels) : `${offline}. ${OFFLINE_REMEDY}`;
  const statusCode = typeof data.statusCode === "number" ? data.statusCode : undefined;
  if (name === "ProviderAuthError" || statusCode === 401 || statusCode === 403) {
    return new NotSignedInError(AGENT_TYPE, LOGIN_COMMAND, { detail, cause: raw });
  }
  if (statusCode === 429) {
    return new RateLimitedError(AGENT_TYPE, detail, retryAfterMs(data.responseHeaders, now), { cause: raw });
  }
  switch (name) {
    case "ContextOverflowError":
      return new ContextOverflowError(AGENT_TYPE, detail, { cause: raw });
    case "StructuredOutputError":
      return new StructuredOutputError(AGENT_TYPE, [detail], content);
    case "MessageOutputLengthError":
      return turnError("the answer is longer than the model may write", { raw, isRetryable: false });
    case "ContentFilterError":
      return turnError(`the provider's content filter stopped the answer: ${detail}`, { raw, isRetryable: false });
    default:
      return turnError(detail, { raw, statusCode, isRetryable: data.isRetryable !== false && !isPermanent(detail) });
  }
}

/**
 * The error of a call of OpenCode's server, which reads the configuration of a folder at its first call there. Pure.
 *
 * @param thrown the SDK adds the answer to the error's cause
 */
export function toCallError(thrown: unknown): unknown {
  const body = recordOf(thrown instanceof Error ? recordOf(thrown.cause).body : undefined);
  const { path, message, issues } = recordOf(body.data);
  if (!stringOf(body.name).startsWith("Config") || stringOf(path) === "") return thrown;
  const places = recordsOf(issues).map((issue) => {
    const keys = Array.isArray(issue.path) ? issue.path : [];
    return `${keys.join(".")}: ${stringOf(issue.message)}`;
  });
  const detail = places.length > 0 ? places.join("; ") : syntaxErrors(stringOf(message));
  return new AgentConfigInvalidError(AGENT_TYPE, stringOf(path), detail || stringOf(body.name), { cause: thrown });
}

/** OpenCode surrounds the errors with the whole file. */
function syntaxErrors(text: string): string {
  const places = text.split("\n").filter((line) => / at line \d+, column \d+$/.test(line));
  return places.length > 0 ? places.join("; ") : firstLine(text);
}

/** The error of a turn that stalled while the provider kept failing. Pure. */
export function toRetryError(retry: { readonly message: string; readonly nextAt: number }, now: number): AtomicError {
  const detail = firstLine(retry.message) || "the provider gave no reason";
  if (["rate-limit", "overload"].includes(toWaitingReason(detail))) {
    return new RateLimitedError(AGENT_TYPE, detail, retry.nextAt > now ? retry.nextAt - now : undefined);
  }
  return turnError(`the provider keeps failing: ${detail}`, { raw: retry, isRetryable: true });
}

/** What OpenCode waits for before it calls the model again, by the provider's message. Pure. */
export function toWaitingReason(message: string): Extract<AgentEvent, { readonly type: "waiting" }>["reason"] {
  if (/rate.?limit|too many|slow.?down|throttl|quota|\b429\b/i.test(message)) return "rate-limit";
  if (/overload|capacity|unavailable|\b(?:503|529)\b/i.test(message)) return "overload";
  if (/network|connect|socket|fetch|timed? ?out|ECONN|ENOTFOUND/i.test(message)) return "network";
  return "provider-error";
}

/** OpenCode chooses a provider by itself where there is no login, and does not name it when it cannot be reached. Pure. */
export function nameModelOffline(message: string, model: string): string {
  return model === "" || toWaitingReason(message) !== "network" ? message : `${message} (model ${model})`;
}

function turnError(
  detail: string,
  options: { readonly raw: unknown; readonly statusCode?: number | undefined; readonly isRetryable: boolean },
): AgentTurnError {
  const { raw, statusCode, isRetryable } = options;
  return new AgentTurnError(AGENT_TYPE, detail, {
    cause: raw,
    isRetryable,
    ...(statusCode === undefined ? {} : { statusCode }),
  });
}

/** `Retry-After` in seconds or as a date, or the non-standard header in milliseconds. */
function retryAfterMs(rawHeaders: unknown, now: number): number | undefined {
  const headers = recordOf(rawHeaders);
  const milliseconds = Number.parseFloat(stringOf(headers["retry-after-ms"]));
  if (Number.isFinite(milliseconds)) return milliseconds;
  const text = stringOf(headers["retry-after"]);
  const seconds = Number.parseFloat(text);
  if (/^\s*[\d.]+\s*$/.test(text) && Number.isFinite(seconds)) return seconds * 1000;
  const date = Date.parse(text);
  return Number.isFinite(date) ? Math.max(0, date - now) : undefined;
}

/** OpenCode suggests models of providers that an endpoint takes the place of. */
function nameEndpointModels(reason: string, [first, ...others]: readonly string[] = []): string {
  const model = /^Model not found: (.+?)\.?(?: Did you mean.*)?$/.exec(reason)?.[1];
  if (model === undefined || first === undefined) return reason;
  return `Model not found: ${model}. The agent's endpoint has: ${[first, ...others].join(", ")}. Choose one of them, as with --model ${first}`;
}

function isPermanent(detail: string): boolean {
  return /^(?:Provider|Model|Agent) not found/i.test(detail);
}

/** OpenCode appends stack traces of its own. */
function firstLine(text: string): string {
  return (
    text
      .split("\n", 1)[0]
      ?.replace(/^\w+Error: /, "")
      .trim() ?? ""
  );
}
