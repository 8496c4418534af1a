import { AtomicError, isRecord } from "../../contracts/index.ts";
import type { ModelReply, ModelScript } from "./model-reply.ts";

/** A model server's script, or its reply, is invalid. */
export class ModelScriptError extends AtomicError {
  constructor(message: string) {
    super("MODEL_SCRIPT_INVALID", message);
  }
}

/** Every message contains an example, which is easier to read than a description. */
const EXAMPLE = '({ type: "message", text: "Hello." })';

const TYPES: readonly ModelReply["type"][] = ["message", "error", "reset", "garbage", "stall"];

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
  if (!TYPES.some((type) => type === reply.type)) {
    throw new ModelScriptError(
      `A reply has one of the types ${TYPES.join(", ")}, and not ${describe(reply.type)}. An example: ${EXAMPLE}`,
    );
  }
  if (reply.type === "message") assertMessage(reply);
  if (reply.type === "error" && !(Number.isInteger(reply.status) && typeof reply.message === "string")) {
    throw new ModelScriptError("A reply of the type error has a status, such as 500, and a message.");
  }
}

/** @throws ModelScriptError */
export function assertSteps(steps: unknown): void {
  if (!Array.isArray(steps)) {
    throw new ModelScriptError(`The steps of a conversation are a list of replies, and not ${describe(steps)}.`);
  }
  for (const step of steps) assertReply(step);
}

function assertMessage({ text, thinking, toolCalls = [] }: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries({ text, thinking })) {
    if (value === undefined || typeof value === "string") continue;
    throw new ModelScriptError(`The ${name} of a reply is a string, and not ${describe(value)}.`);
  }
  const isList = Array.isArray(toolCalls) && toolCalls.every((call) => isRecord(call) && typeof call.name === "string");
  if (isList) return;
  throw new ModelScriptError(
    `The toolCalls of a reply are a list such as [{ name: "write", input: { filePath: "a.txt" } }], and not ${describe(toolCalls)}.`,
  );
}

function describe(value: unknown): string {
  if (typeof value === "function") return "a function";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
