import { columnsOf, padColumns, safeLine } from "../../view/index.ts";
import type { LineTone } from "./transcript-line.ts";

/** A tool call, a sub-agent, a thought or a command as one line: sign, verb, object, outcome, time. */
export interface Card {
  readonly sign: string;
  readonly signTone: LineTone;
  /** What is done: `Read`, `Shell`, the name of a tool. */
  readonly verb: string;
  /** What it is done to: a path, a command. In one line, of any length, safe for a terminal. */
  readonly object: string;
  /** `+1 −1`, `exit 1`, `denied`. Empty when there is nothing to say. */
  readonly outcome: string;
  readonly outcomeTone: LineTone;
  /** How long it took or takes. Empty when that is not known. */
  readonly time: string;
  /** In place of what is cut. */
  readonly ellipsis: string;
  /** Whether all of it is context: a thought. */
  readonly isQuiet: boolean;
}

/** The columns of the times, so that their right edges are aligned. */
const TIME_COLUMNS = 8;

/** What is at the right edge: the outcome, then the time in a column of its own. */
export function cardEnd({ outcome, time }: Card): string {
  return outcome === "" && time === "" ? "" : `  ${outcome}${time.padStart(TIME_COLUMNS)}`;
}

/** The parts of a card's line in a width: the object is cut so that the outcome and the time fit. */
export function fitCard(card: Card, columns: number): { readonly object: string; readonly end: string } {
  const start = columnsOf(card.sign) + 1 + columnsOf(card.verb) + 1;
  const end = cardEnd(card);
  const room = Math.max(0, columns - start - columnsOf(end));
  const object = room < 2 ? "" : shortenObject(card.object, room, card.ellipsis);
  return { object: padColumns(object, room), end };
}

/** A path loses its middle, everything else its end. */
function shortenObject(object: string, columns: number, ellipsis: string): string {
  if (columnsOf(object) <= columns) return object;
  return /^[^\s]+\/[^\s/]+$/.test(object)
    ? shortenPath(object, columns, { ellipsis })
    : shortenEnd(object, columns, ellipsis);
}

function shortenEnd(text: string, columns: number, ellipsis: string): string {
  // What is cut ends with one sign, in place of which comes the ellipsis.
  const cut = safeLine(text, columns - columnsOf(ellipsis) + 1);
  return cut === text ? text : `${cut.slice(0, -1)}${ellipsis}`.slice(0, Math.max(1, columns));
}

/** A path of at most so many columns, without its middle: `src/…/retry-policy.ts`. */
export function shortenPath(path: string, columns: number, { ellipsis }: { readonly ellipsis: string }): string {
  if (columnsOf(path) <= columns) return path;
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  let start = "";
  for (const part of parts) {
    if (columnsOf(`${start}${part}/${ellipsis}/${name}`) > columns) break;
    start += `${part}/`;
  }
  const short = `${start}${ellipsis}/${name}`;
  return columnsOf(short) <= columns ? short : shortenEnd(name, columns, ellipsis);
}

/** A card in one line of text. */
export function formatCard(card: Card, columns: number): string {
  const { object, end } = fitCard(card, columns);
  return `${card.sign} ${card.verb} ${object}${end}`.trimEnd();
}
