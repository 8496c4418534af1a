import { columnsOf } from "../../view/index.ts";

/** A text that fits, and where its characters are in it. */
export interface CutText {
  readonly text: string;
  /** The place of a UTF-16 unit of the whole text. Undefined for one that is cut. */
  readonly placeOf: (at: number) => number | undefined;
}

/** The part of the room that the end of a text receives: names often differ in their last words. */
const END_SHARE = 0.4;

/** A line of at most so many columns without its middle, `Repair the ca…he total (fork)`: copies differ at their ends. */
export function cutMiddle(line: string, maxColumns: number): CutText {
  if (columnsOf(line) <= maxColumns) return { text: line, placeOf: (at) => at };
  const segments = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  const room = Math.max(0, maxColumns - 1);
  const end = take(segments.toReversed(), Math.floor(room * END_SHARE))
    .toReversed()
    .join("");
  const start = take(segments, room - columnsOf(end)).join("");
  const endFrom = line.length - end.length;
  const shift = start.length + 1 - endFrom;
  return {
    text: `${start}…${end}`,
    placeOf: (at) => (at < start.length ? at : at >= endFrom ? at + shift : undefined),
  };
}

/** The first characters that fit. */
function take(segments: readonly string[], columns: number): readonly string[] {
  let used = 0;
  const count = segments.findIndex((segment) => {
    used += columnsOf(segment);
    return used > columns;
  });
  return count === -1 ? segments : segments.slice(0, count);
}
