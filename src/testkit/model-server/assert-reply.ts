import { AtomicError, isRecord, nearestName } from "../../contracts/index.ts";
import type { ModelReply, ModelScript, ModelToolCall, ModelUsage } from "./model-reply.ts";

/** A model server's script, or its reply, is invalid. */
export class ModelScriptError extends AtomicError {
  constructor(message: string) {
    super("MODEL_SCRIPT_INVALID", message);
  }
}

/** Every message contains an example, which is easier to read than a description. */
const EXAMPLE = '({ type: "message", text: "Hello." })';

type ReplyType = ModelReply["type"];

/** The names of an object's fields, each once. */
type FieldsOf<Type> = { readonly [Name in keyof Type]-?: true };

/** The fields of each reply. */
const FIELDS: { readonly [Type in ReplyType]: FieldsOf<Extract<ModelReply, { type: Type }>> } = {
  message: { type: true, text: true, thinking: true, toolCalls: true, usage: true, delayMs: true, deltaDelayMs: true },
  error: { type: true, status: true, message: true, headers: true },
  reset: { type: true, afterText: true },
  garbage: { type: true },
  stall: { type: true, afterText: true },
};
const CALL_FIELDS: FieldsOf<ModelToolCall> = { name: true, input: true };
const USAGE_FIELDS: FieldsOf<ModelUsage> = { inputTokens: true, outputTokens: true, cacheReadTokens: true };

/** What the protocols call some of the fields. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  arguments: "input",
  args: "input",
  parameters: "input",
  content: "text",
  tool_calls: "toolCalls",
  tools: "toolCalls",
  reasoning: "thinking",
  code: "status",
};

const TYPES = Object.keys(FIELDS);

/** @throws ModelScriptError */
export function assertScript(script: unknown): asserts script is ModelScript {
  if (typeof script === "function") return;
  const hint = Array.isArray(script) ? "For a list of replies there is scriptConversation([…])." : "";
  throw new ModelScriptError(
    `The script of a model server is a function that returns a reply, such as () => ${EXAMPLE}, and not ${describe(script)}. ${hint}`.trimEnd(),
  );
}

/** @throws ModelScriptError */
export function assertReply(reply: unknown): asserts reply is ModelReply {
  if (!isRecord(reply))
    throw new ModelScriptError(`A reply is an object such as ${EXAMPLE}, and not ${describe(reply)}.`);
  if (!isReplyType(reply.type)) {
    throw new ModelScriptError(
      `A reply has one of the types ${TYPES.join(", ")}, and not ${describe(reply.type)}. An example: ${EXAMPLE}`,
    );
  }
  assertFields(reply, `A reply of the type ${reply.type}`, FIELDS[reply.type]);
  if (reply.type === "message") assertMessage(reply);
  if (reply.type === "error" && !(Number.isInteger(reply.status) && typeof reply.message === "string")) {
    throw new ModelScriptError("A reply of the type error has a status, such as 500, and a message.");
  }
}

function isReplyType(type: unknown): type is ReplyType {
  return typeof type === "string" && Object.hasOwn(FIELDS, type);
}

/** @throws ModelScriptError for a field that does not exist: its value would be lost */
function assertFields(value: Readonly<Record<string, unknown>>, what: string, fields: object): void {
  const known = Object.keys(fields);
  const name = Object.keys(value).find((field) => !known.includes(field));
  if (name === undefined) return;
  const other = Object.hasOwn(OTHER_WORDS, name) ? OTHER_WORDS[name] : undefined;
  const nearest = other !== undefined && known.includes(other) ? other : nearestName(name, known);
  const advice = nearest === undefined ? `Its fields: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
  throw new ModelScriptError(`${what} has no "${name}". ${advice}`);
}

/** @throws ModelScriptError */
export function assertSteps(steps: unknown): void {
  if (!Array.isArray(steps)) {
    throw new ModelScriptError(`The steps of a conversation are a list of replies, and not ${describe(steps)}.`);
  }
  for (const step of steps) assertReply(step);
}

function assertMessage({ text, thinking, toolCalls = [], usage }: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries({ text, thinking })) {
    if (value === undefined || typeof value === "string") continue;
    throw new ModelScriptError(`The ${name} of a reply is a string, and not ${describe(value)}.`);
  }
  if (isRecord(usage)) assertFields(usage, "The usage of a reply", USAGE_FIELDS);
  const isList = Array.isArray(toolCalls) && toolCalls.every((call) => isRecord(call) && typeof call.name === "string");
  if (isList) {
    for (const call of toolCalls) assertFields(call, `The call of "${call.name}" in a reply`, CALL_FIELDS);
    return;
  }
  throw new ModelScriptError(
    `The toolCalls of a reply are a list such as [{ name: "write", input: { filePath: "a.txt" } }], and not ${describe(toolCalls)}.`,
  );
}

function describe(value: unknown): string {
  if (typeof value === "function") return "a function";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
