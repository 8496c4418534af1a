import type { HumanRequest } from "../contracts/index.ts";
import { formatTime } from "./format-text.ts";

/**
 * A run's question with its title, and with the item that it is about, as branches of a map ask the same: `a.ts: Is it right?`.
 * The item is left out where the author's text names it. Not safe for a terminal.
 */
export function questionText({ item, header, question }: Pick<HumanRequest, "item" | "header" | "question">): string {
  const text = header === undefined ? question : `${header}: ${question}`;
  return item === undefined || text.includes(item) ? text : `${item}: ${text}`;
}

/** What happens without an answer to a question of a run that no process executes. @param at in milliseconds since 1970 */
export function describeDue(at: number): string {
  const time = formatTime(new Date(at).toISOString());
  return `From ${time} UTC on, the run continues without an answer: atomic runs due`;
}
