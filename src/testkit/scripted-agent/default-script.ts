import { smallestSchemaValue } from "../../graph/index.ts";
import type { ScriptedReply, ScriptedTurn } from "./scripted-turn.ts";

/** How much of the prompt the default answer repeats, in characters. */
const ECHO_LENGTH = 80;

/**
 * The script of an agent that got none: repeats the beginning of the prompt, or gives the smallest value that fits the
 * wanted shape. The same turn always gets the same answer.
 */
export function defaultScript(turn: ScriptedTurn): ScriptedReply {
  if (turn.outputSchema !== undefined) return { structured: smallestSchemaValue(turn.outputSchema) };
  const characters = Array.from(turn.prompt.trim().replace(/\s+/g, " "));
  const echo = characters.slice(0, ECHO_LENGTH).join("");
  return `Scripted answer to: ${echo}${characters.length > ECHO_LENGTH ? "…" : ""}`;
}
