import { safeText } from "../../view/index.ts";
import { type Html, html } from "./markup.ts";

/** Where a text is cut that is too long: agents' answers begin with what matters, outputs end with it. */
export type KeptPart = "start" | "end";

/** Shows long texts, and shortens them if the page has no room for all of them. */
export interface TextRoom {
  text(text: string, keep: KeptPart): Html;
  /** Lines that are HTML already; the first ones are shown. */
  lines(lines: readonly Html[]): Html;
}

/** What the note about a cut takes, in bytes. */
const NOTE_BYTES = 120;

/** Shows no text and notes how long they are, in bytes. */
export class TextMeter implements TextRoom {
  readonly sizes: number[] = [];

  text(text: string): Html {
    this.sizes.push(sizeOf(html`${text}`));
    return html``;
  }

  lines(lines: readonly Html[]): Html {
    this.sizes.push(lines.reduce((sum, line) => sum + sizeOf(line), 0));
    return html``;
  }
}

/** Shows so many bytes of each text. */
export class TextCutter implements TextRoom {
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  text(text: string, keep: KeptPart): Html {
    const whole = html`${text}`;
    if (sizeOf(whole) <= this.#maxBytes) return whole;
    const safe = safeText(text);
    const kept = keep === "start" ? this.#fittingStart(safe) : this.#fittingEnd(safe);
    const note = html`<span class="cut">${formatNumber(safe.length - kept.length)} characters are left out here</span>`;
    return keep === "start" ? html`${kept}… ${note}` : html`${note} …${kept}`;
  }

  lines(lines: readonly Html[]): Html {
    let size = 0;
    const end = lines.findIndex((line) => {
      size += sizeOf(line);
      return size > this.#maxBytes;
    });
    if (end < 0) return html`${lines}`;
    const rest = lines.length - end;
    const note = rest === 1 ? "1 line is" : `${formatNumber(rest)} lines are`;
    return html`${lines.slice(0, end)}<span class="cut">${note} left out here</span>`;
  }

  #fittingStart(text: string): string {
    let size = 0;
    let length = 0;
    for (const character of text) {
      size += escapedSize(character);
      if (size > this.#maxBytes) break;
      length += character.length;
    }
    return text.slice(0, length);
  }

  #fittingEnd(text: string): string {
    let size = 0;
    let start = text.length;
    while (start > 0) {
      const unit = text.charCodeAt(start - 1);
      const isPair = unit >= 0xdc00 && unit < 0xe000;
      const character = text.slice(start - (isPair ? 2 : 1), start);
      size += escapedSize(character);
      if (size > this.#maxBytes) break;
      start -= character.length;
    }
    return text.slice(start);
  }
}

function escapedSize(character: string): number {
  if (/[&<>"']/.test(character)) return 6;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

function sizeOf({ markup }: Html): number {
  return Buffer.byteLength(markup);
}

/** 12345 as `12,345`. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en-US");
}

/**
 * How many bytes each text may have so that all of them have room: the longest are shortened first.
 *
 * @param sizes of the texts, in bytes
 */
export function shareOf(sizes: readonly number[], room: number): number {
  const sorted = sizes.toSorted((left, right) => left - right);
  let left = Math.max(0, room);
  for (const [index, size] of sorted.entries()) {
    const others = sorted.length - index;
    const share = Math.floor(left / others) - NOTE_BYTES;
    if (size * others > left) return Math.max(0, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
