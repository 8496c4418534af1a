import { AtomicError } from "./atomic-error.ts";

// JavaScript can throw anything: a text, an object without a prototype, an error whose getters throw. Everything that reads
// a caught value reads it through this file, which never throws.

/** The longest text of a thrown object in a message, in characters. */
const MAX_OBJECT_LENGTH = 2_000;
/** The most parts of an `AggregateError` in a message, and the most causes of an error. */
const MAX_PARTS = 10;
const MAX_CAUSES = 10;

/** What Atomic reads of an error. */
const READ_FIELDS = ["name", "message", "stack", "cause", "code", "isRetryable", "retryAfterMs", "allowedBy"] as const;

/**
 * A thrown value as an error: an error itself, unless reading it throws or its message is no text; anything else as an error
 * whose message describes the value, and whose `cause` an object is. Never throws.
 */
export function toError(thrown: unknown): Error {
  if (attempt(() => isReadableError(thrown))) return thrown as Error; // The cast is true: it has been checked.
  const { value } = attempt(() => ({ value: thrown instanceof Error ? thrown.message : thrown })) ?? { value: thrown };
  const message = attempt(() => describeValue(value)) ?? "threw a value that cannot be shown";
  const error =
    typeof thrown === "object" && thrown !== null ? new Error(message, { cause: thrown }) : new Error(message);
  // Its frames would be those of Atomic.
  error.stack = `Error: ${error.message}`;
  return error;
}

/** The message of a thrown value, of its parts if it is an `AggregateError`, or a description of the value. Never throws. */
export function messageOf(thrown: unknown): string {
  return describeError(toError(thrown), new Set());
}

/** The same with a line `Caused by: …` for each cause that it does not mention. An `AtomicError` says all itself. */
export function messageWithCauses(thrown: unknown): string {
  const [message, ...causes] = messagesOf(thrown);
  return [message, ...causes.map((cause) => `Caused by: ${cause}`)].join("\n");
}

/** The same as {@link messageOf}, after the class of an error that is not Atomic's own. */
export function namedMessageOf(thrown: unknown): string {
  const error = toError(thrown);
  const message = messageOf(error);
  const isNamed = error === thrown && !(error instanceof AtomicError) && error.message.trim() !== "";
  return isNamed ? `${nameOf(error)}: ${message}` : message;
}

/** The same as {@link namedMessageOf}, with the causes that it does not mention, in one sentence. */
export function namedMessageWithCauses(thrown: unknown): string {
  const [, ...causes] = messagesOf(thrown);
  return [namedMessageOf(thrown).replace(causes.length === 0 ? "" : /[.:\s]+$/, ""), ...causes].join(", caused by: ");
}

/** The messages of a thrown value and of its causes, without those that an earlier one mentions. */
function messagesOf(thrown: unknown, seen = new Set<Error>()): readonly string[] {
  const messages: string[] = [];
  for (const link of causesOf(thrown)) {
    if (messages.length > 0 && seen.has(link)) continue;
    const message = describeError(link, seen);
    if (!messages.some((earlier) => earlier.includes(message))) messages.push(message);
    if (link instanceof AtomicError) break;
  }
  return messages;
}

/** A thrown value and its causes, as errors; stops at a cycle, and at what is no error. */
export function causesOf(thrown: unknown): readonly Error[] {
  let last = toError(thrown);
  const chain = new Set([last]);
  while (last.cause !== undefined && last.cause !== null && chain.size < MAX_CAUSES) {
    const cause = toError(last.cause);
    // What `toError()` made of a value mentions it already.
    const isValue = cause !== last.cause;
    if (chain.has(cause) || (isValue && cause.message === last.message)) break;
    chain.add(cause);
    if (isValue) break;
    last = cause;
  }
  return [...chain];
}

function isReadableError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  // The cast is true: a field that an error lacks is undefined.
  const fields = thrown as Partial<Record<(typeof READ_FIELDS)[number], unknown>>;
  for (const field of READ_FIELDS) void fields[field];
  const { message, stack } = fields;
  return typeof message === "string" && (stack === undefined || typeof stack === "string");
}

function describeError(error: Error, seen: Set<Error>): string {
  seen.add(error);
  const { message } = error;
  const isEmpty = message.trim() === "";
  const parts = partsOf(error)
    .filter((part) => !seen.has(part))
    .map((part) => messagesOf(part, seen).join(", caused by: "))
    .filter((text) => !message.includes(text));
  if (parts.length === 0) return isEmpty ? `${nameOf(error)} without a message` : message;
  return `${isEmpty ? nameOf(error) : message.replace(/[.:\s]+$/, "")}: ${parts.join("; ")}`;
}

function partsOf(error: Error): readonly Error[] {
  const parts: unknown = error instanceof AggregateError ? attempt(() => error.errors) : undefined;
  return Array.isArray(parts) ? parts.slice(0, MAX_PARTS).map(toError) : [];
}

function nameOf({ name }: Error): string {
  return typeof name === "string" && name.trim() !== "" ? name : "Error";
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return value.trim() === "" ? "threw an empty text" : value;
  if (typeof value === "function") return `threw the function ${attempt(() => value.name) || "without a name"}`;
  return typeof value === "object" && value !== null ? describeObject(value) : `threw ${String(value)}`;
}

/** An object in its own words, else as JSON, else by its fields or its class. */
function describeObject(value: object): string {
  const own = Array.isArray(value) ? undefined : attempt(() => String(value));
  if (own !== undefined && own.trim() !== "" && !own.startsWith("[object ")) return own;
  const json = attempt(() => JSON.stringify(value));
  if (typeof json === "string" && json !== "{}") {
    return json.length > MAX_OBJECT_LENGTH ? `${json.slice(0, MAX_OBJECT_LENGTH)}…` : json;
  }
  const fields = attempt(() => Object.keys(value).join(", "));
  if (fields) return `threw an object with the fields ${fields}`;
  const name = attempt(() => value.constructor.name);
  return typeof name === "string" && name !== "" && name !== "Object"
    ? `threw an object of the class ${name}`
    : "threw an object without fields";
}

/** What `read` returns; undefined when it throws. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
