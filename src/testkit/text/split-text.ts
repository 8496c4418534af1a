/** Splits a text into words, each with the white space around it; joining the parts restores the text. */
export function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text]);
}

/**
 * Splits a text into pieces of a fixed length in code points; joining the pieces restores the text. A surrogate pair is
 * never split, because strict JSON parsers reject the halves.
 */
export function splitPieces(text: string, length: number): readonly string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += length) {
    pieces.push(characters.slice(start, start + length).join(""));
  }
  return pieces;
}
