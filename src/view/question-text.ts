import type { HumanRequest } from "../contracts/index.ts";

/**
 * A run's question with its title, and with the item that it is about, as branches of a map ask the same: `a.ts: Is it right?`.
 * The item is left out where the author's text names it. Not safe for a terminal.
 */
export function questionText({ item, header, question }: Pick<HumanRequest, "item" | "header" | "question">): string {
  const text = header === undefined ? question : `${header}: ${question}`;
  return item === undefined || text.includes(item) ? text : `${item}: ${text}`;
}
