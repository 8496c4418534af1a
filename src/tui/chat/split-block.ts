/** A paragraph's end. */
const GAP = /\n[ \t]*\n/g;

/** The first or last line of a block of code. */
const FENCE = /^[ \t]*(?:```|~~~)/gm;

/** A streamed text that is divided at the end of the block being written. */
export interface SplitBlock {
  /** What belongs to the block. */
  readonly block: string;
  /** What follows it. Undefined while the block has no end. */
  readonly rest: string | undefined;
}

/** Divides more of a Markdown text at the end of its last paragraph or block of code. */
export function splitBlock(text: string, more: string): SplitBlock {
  const whole = text + more;
  for (const { index, 0: gap } of whole.matchAll(GAP)) {
    const end = index + gap.length;
    // An earlier gap is between finished blocks.
    if (end < text.length || isInCode(whole.slice(0, index))) continue;
    return { block: whole.slice(text.length, end), rest: whole.slice(end) };
  }
  return { block: more, rest: undefined };
}

function isInCode(text: string): boolean {
  return (text.match(FENCE)?.length ?? 0) % 2 === 1;
}
