import type { Attachment } from "../chat/chat-state.ts";
import type { CursorText } from "./vi-keys.ts";

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

/** A text with the attachments whose labels may be in it. */
interface LabelledText extends CursorText {
  readonly attachments: readonly Attachment[];
}

/**
 * What the text and the cursor become where a label is one unit: an edit of a part of it removes the whole, and the cursor is
 * never within it.
 *
 * @param options.isOnCharacter whether the cursor is on a character, as in the normal mode of the vi keys
 */
export function keepLabelsWhole(
  before: LabelledText,
  after: CursorText,
  { isOnCharacter }: { readonly isOnCharacter: boolean },
): CursorText {
  const { text, cursor } = before.text === after.text ? after : removeBroken(before, after);
  const label = before.attachments
    .flatMap((attachment) => rangesOf(attachment.label, text))
    .find(({ from, to }) => from < cursor && cursor < to);
  if (label === undefined) return { text, cursor };
  const { from, to } = label;
  const end = isOnCharacter && /^(?:\n|$)/.test(text.slice(to)) ? from : to;
  const wasAt = before.text === text ? before.cursor : undefined;
  if (wasAt === to) return { text, cursor: from };
  return { text, cursor: wasAt === from || cursor - from >= to - cursor ? end : from };
}

/** The text after an edit, without the labels of which the edit left a part. What was typed into a label follows it. */
function removeBroken({ text: old, attachments }: LabelledText, after: CursorText): CursorText {
  const labels = attachments
    .filter(({ label }) => rangesOf(label, after.text).length < rangesOf(label, old).length)
    .flatMap(({ label }) => rangesOf(label, old));
  if (labels.length === 0) return after;
  const edit = editOf(old, after);
  const broken = labels.filter((label) => edit.from < label.to && label.from < edit.to && !isWithin(label, edit));
  const around =
    edit.from === edit.to ? labels.find((label) => label.from < edit.from && edit.from < label.to) : undefined;
  if (broken.length === 0 && around === undefined) return after;
  const from = around?.to ?? Math.min(edit.from, ...broken.map((label) => label.from));
  const to = around?.to ?? Math.max(edit.to, ...broken.map((label) => label.to));
  return { text: old.slice(0, from) + edit.by + old.slice(to), cursor: from + edit.by.length };
}

function isWithin(inner: TextRange, outer: TextRange): boolean {
  return outer.from <= inner.from && inner.to <= outer.to;
}

/** What was replaced, and by what. The cursor is where the edit ended, except after an undo. */
function editOf(old: string, { text, cursor }: CursorText): TextRange & { readonly by: string } {
  const rest = text.slice(cursor);
  const kept = old.endsWith(rest) && rest.length <= old.length ? rest.length : sameEnd(old, text);
  const from = sameStart(old.slice(0, old.length - kept), text.slice(0, text.length - kept));
  return { from, to: old.length - kept, by: text.slice(from, text.length - kept) };
}

function sameStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function sameEnd(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
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
