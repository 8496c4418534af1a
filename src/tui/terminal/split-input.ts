/** A part of what a terminal sends: characters, or a key, or what else the terminal says. */
export interface InputPart {
  readonly isText: boolean;
  readonly bytes: Uint8Array;
}

const ESCAPE = 0x1b;
const BELL = 0x07;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
/** After an Escape, the starts of OSC, DCS, SOS, PM and APC (ECMA-48), which last until a bell or `ESC \`. */
const STRING_STARTS: readonly number[] = [0x5d, 0x50, 0x58, 0x5e, 0x5f];

/** The runs of characters, tabs and line breaks, and each key and sequence between them, in order. */
export function splitInput(bytes: Uint8Array): readonly InputPart[] {
  const parts: InputPart[] = [];
  for (let from = 0; from < bytes.length; ) {
    const isText = isCharacter(bytes[from]);
    const to = isText
      ? (findByte(bytes, from, (byte) => !isCharacter(byte)) ?? bytes.length)
      : endOfSequence(bytes, from);
    parts.push({ isText, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return parts;
}

function isCharacter(byte = 0): boolean {
  return (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** The end of a control character, or of the sequence that an Escape begins. One without an end is an Escape with one byte. */
function endOfSequence(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== ESCAPE) return from + 1;
  const second = bytes[from + 1];
  const last =
    second === OPEN_BRACKET
      ? findByte(bytes, from + 2, (byte) => byte >= 0x40 && byte <= 0x7e)
      : second !== undefined && STRING_STARTS.includes(second)
        ? findByte(bytes, from + 2, (byte, before) => byte === BELL || (byte === BACKSLASH && before === ESCAPE))
        : undefined;
  return last === undefined ? Math.min(bytes.length, from + 2) : last + 1;
}

function findByte(
  bytes: Uint8Array,
  from: number,
  isWanted: (byte: number, before: number) => boolean,
): number | undefined {
  for (let index = from; index < bytes.length; index++) {
    if (isWanted(bytes[index] ?? 0, bytes[index - 1] ?? 0)) return index;
  }
  return undefined;
}
