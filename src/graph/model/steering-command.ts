import { listOf, type OptionTable, shape } from "../options/find-option-problems.ts";
import { type OptionCheck, object, oneOf, required, someText } from "../options/option-checks.ts";
import { decodeValue, encodeValue } from "../state/codec.ts";
import type { StateChange } from "../state/state-update.ts";

/** A command for a node of a run in progress (E12). `node` is its id, or the `taskId` of one of its visits. */
export type NodeCommand =
  | { readonly type: "cancel-node"; readonly node: string }
  | { readonly type: "skip-node"; readonly node: string; readonly update?: StateChange }
  | { readonly type: "retry-node"; readonly node: string };

const COMMAND_OPTIONS: OptionTable<NodeCommand> = {
  type: required(oneOf(["cancel-node", "skip-node", "retry-node"])),
  node: required(someText),
  update: object,
};

/** The commands with which a run is resumed. */
export const nodeCommands: OptionCheck = listOf(
  shape(COMMAND_OPTIONS, { expected: 'an object such as { type: "retry-node", node: "plan" }' }),
  "a list of commands",
);

/** A command for a run in progress. `request` is the id of an open question, or of the node that asks it. */
export type SteeringCommand =
  | NodeCommand
  | { readonly type: "answer"; readonly request: string; readonly value: unknown }
  | { readonly type: "pause" }
  | { readonly type: "unpause" };

/** Encodes a command for another process. @throws UnserializableValueError */
export function encodeCommand(command: SteeringCommand): string {
  return encodeValue(command);
}

/** Decodes a command; rejects every other text, whatever wrote it. @throws SyntaxError */
export function decodeCommand(text: string): SteeringCommand {
  const value = decodeValue(text);
  if (!isRecord(value)) throw new SyntaxError("It is not a command.");
  const { type, node, update, request } = value;
  if (type === "pause" || type === "unpause") return { type };
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
