/** Splits a text into words, each with the white space around it; the parts joined give the text again. */
export function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text]);
}

/**
 * Splits a text into pieces of a fixed length in code points; the pieces joined give the text again. A surrogate pair
 * is never cut in two, because strict JSON readers refuse the halves.
 */
export function splitPieces(text: string, length: number): readonly string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += length) {
    pieces.push(characters.slice(start, start + length).join(""));
  }
  return pieces;
}
