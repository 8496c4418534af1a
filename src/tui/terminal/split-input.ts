/** A part of what a terminal sends: characters, or a key, or what else the terminal says. */
export interface InputPart {
  readonly isText: boolean;
  readonly bytes: Uint8Array;
}

const ESCAPE = 0x1b;
const BELL = 0x07;
const BACKSLASH = 0x5c;
/** What starts a text up to its own end: OSC, DCS, SOS, PM, APC. */
const STRING_STARTS = Array.from("]P X^_".replace(" ", ""), (sign) => sign.charCodeAt(0));

/** The runs of characters, tabs and line breaks, and between them each key and each sequence. */
export function splitInput(bytes: Uint8Array): readonly InputPart[] {
  const parts: InputPart[] = [];
  for (let from = 0; from < bytes.length; ) {
    const isText = isCharacter(bytes[from]);
    const to = isText ? endOfText(bytes, from) : endOfSequence(bytes, from);
    parts.push({ isText, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return parts;
}

function isCharacter(byte = 0): boolean {
  return (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function endOfText(bytes: Uint8Array, from: number): number {
  const end = bytes.findIndex((byte, index) => index > from && !isCharacter(byte));
  return end === -1 ? bytes.length : end;
}

/** The end of a control character, or of the sequence that an Escape begins. */
function endOfSequence(bytes: Uint8Array, from: number): number {
  const [first, second = 0] = bytes.subarray(from, from + 2);
  if (first !== ESCAPE) return from + 1;
  if (second === "[".charCodeAt(0)) return endWhere(bytes, from + 2, (byte) => byte >= 0x40 && byte <= 0x7e);
  if (STRING_STARTS.includes(second)) {
    return endWhere(
      bytes,
      from + 2,
      (byte, before) => byte === BELL || (byte === BACKSLASH && before === ESCAPE),
    );
  }
  return Math.min(bytes.length, from + 2);
}

function endWhere(bytes: Uint8Array, from: number, isLast: (byte: number, before: number | undefined) => boolean): number {
  const last = bytes.findIndex((byte, index) => index >= from && isLast(byte, bytes[index - 1]));
  return last === -1 ? bytes.length : last + 1;
}
