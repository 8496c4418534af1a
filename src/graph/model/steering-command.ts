import { decodeValue, encodeValue } from "../state/codec.ts";
import type { StateChange } from "../state/state-update.ts";

/** What can be done to a node of a run that is under way (E12). `node` is its id, or the `taskId` of one of its visits. */
export type NodeCommand =
  | { readonly type: "cancel-node"; readonly node: string }
  | { readonly type: "skip-node"; readonly node: string; readonly update?: StateChange }
  | { readonly type: "retry-node"; readonly node: string };

/** What can be done to a run that is executed. `request` is the id of an open question, or the node that asks it. */
export type SteeringCommand =
  | NodeCommand
  | { readonly type: "answer"; readonly request: string; readonly value: unknown }
  | { readonly type: "pause" };

/** The text of a command, for another process. @throws UnserializableValueError */
export function encodeCommand(command: SteeringCommand): string {
  return encodeValue(command);
}

/** Reads a command; whatever left it there, a text that is none is refused. @throws SyntaxError */
export function decodeCommand(text: string): SteeringCommand {
  const value = decodeValue(text);
  if (!isRecord(value)) throw new SyntaxError("It is not a command.");
  const { type, node, update, request } = value;
  if (type === "pause") return { type };
  if (type === "answer") {
    if (typeof request !== "string") throw new SyntaxError("It does not name a question.");
    return { type, request, value: value.value };
  }
  if (typeof node !== "string") throw new SyntaxError("It does not name a node.");
  switch (type) {
    case "cancel-node":
    case "retry-node":
      return { type, node };
    case "skip-node":
      if (update === undefined) return { type, node };
      if (!isRecord(update)) throw new SyntaxError("Its update is not an object.");
      return { type, node, update };
    default:
      throw new SyntaxError(`It is of an unknown type: ${String(type)}.`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
