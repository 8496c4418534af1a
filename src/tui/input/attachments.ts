import type { Attachment } from "../chat/chat-state.ts";

/** A pasted text with more lines or characters becomes an attachment. */
const MAX_PASTED_LINES = 10;
const MAX_PASTED_CHARACTERS = 1_000;

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Whether a pasted text is too long for the input. */
export function isLongPaste(text: string): boolean {
  return text.length > MAX_PASTED_CHARACTERS || text.split("\n").length > MAX_PASTED_LINES;
}

/** A long pasted text as an attachment: `[pasted text, 120 lines]`, the next one `[pasted text 2, 40 lines]`. */
export function attachPaste(text: string, attachments: readonly Attachment[]): Attachment {
  const lineCount = text.replace(/\n$/, "").split("\n").length;
  const size = lineCount > 1 ? `${lineCount} lines` : `${text.length} characters`;
  const number = nextNumber(/^\[pasted text(?: (\d+))?,/, attachments);
  return { label: `[pasted text${number === 1 ? "" : ` ${number}`}, ${size}]`, part: { type: "text", text } };
}

/** An image as an attachment: `[image 1]`. */
export function attachImage(
  image: { readonly mediaType: string; readonly data: string },
  attachments: readonly Attachment[],
): Attachment {
  const number = nextNumber(/^\[image (\d+)\]$/, attachments);
  return { label: `[image ${number}]`, part: { type: "image", mimeType: image.mediaType, data: image.data } };
}

/** One more than the highest number in labels of a kind. A label without a number is the first one. */
function nextNumber(label: RegExp, attachments: readonly Attachment[]): number {
  const numbers = attachments.flatMap((attachment) => {
    const match = label.exec(attachment.label);
    return match === null ? [] : [Number(match[1] ?? 1)];
  });
  return Math.max(0, ...numbers) + 1;
}

/** The attachments with one more. One of the same label is replaced. */
export function addAttachment(attachments: readonly Attachment[], added: Attachment): readonly Attachment[] {
  return [...attachments.filter(({ label }) => label !== added.label), added];
}

/** The attachments whose label is in the text, in the order of the text: who deletes a label removes the attachment. */
export function attachmentsIn(text: string, attachments: readonly Attachment[]): readonly Attachment[] {
  return attachments
    .map((attachment) => ({ attachment, at: rangesOf(attachment.label, text)[0]?.from ?? -1 }))
    .filter(({ at }) => at !== -1)
    .toSorted((one, other) => one.at - other.at)
    .map(({ attachment }) => attachment);
}

/** The label that ends at a position, or starts there: one Backspace or Delete removes the whole of it. */
export function labelAt(
  side: "end" | "start",
  {
    text,
    cursor,
    attachments,
  }: { readonly text: string; readonly cursor: number; readonly attachments: readonly Attachment[] },
): TextRange | undefined {
  return attachments
    .flatMap(({ label }) => rangesOf(label, text))
    .find(({ from, to }) => (side === "end" ? to === cursor : from === cursor));
}

/** Where a label is. A mention ends with its word: `@src/cart.ts` is not in `@src/cart.tsx`. */
function rangesOf(label: string, text: string): readonly TextRange[] {
  const ranges: TextRange[] = [];
  for (let from = text.indexOf(label); from !== -1; from = text.indexOf(label, from + 1)) {
    const to = from + label.length;
    if (!label.startsWith("@") || isWholeMention(text.slice(0, from), text.slice(to))) ranges.push({ from, to });
  }
  return ranges;
}

function isWholeMention(before: string, after: string): boolean {
  return /(?:^|[\s(])$/.test(before) && /^(?:$|\s|[.,;:!?)]+(?:\s|$))/.test(after);
}
