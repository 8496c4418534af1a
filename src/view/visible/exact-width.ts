/**
 * Characters that every terminal draws as wide as they are counted: ASCII, and letters and signs that stand alone. Marks,
 * joiners, parts of emoji, and the rarer scripts and signs are not among them. Thai is, without its vowel AM: terminals
 * differ in its width.
 */
const EXACT =
  /^(?![\p{M}\p{Default_Ignorable_Code_Point}\p{EMod}\p{Regional_Indicator}\u203c\u2049\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f])(?:[ -~\n]|[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Armenian}\p{sc=Georgian}\u0e01-\u0e30\u0e32\u0e40-\u0e46\u0e50-\u0e59]|\p{Emoji_Presentation}|(?!\p{Extended_Pictographic})[\u00a1-\u00ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2200-\u22ff\u2500-\u259f\u3001-\u303f\u30fc\uff01-\uff60])$/u;

/** A letter with its marks, or any other character. Of a letter with more than two marks, each is a character of its own. */
const LETTER_OR_CHARACTER = /\p{L}\p{Mn}{1,2}(?!\p{M})|./gsu;

/** Letters with marks that take no column of their own in any terminal: of Thai, Hebrew and Arabic. */
const EXACT_WITH_MARKS =
  /^(?:[\u0e01-\u0e2e][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]+|[\u05d0-\u05ea][\u05b0-\u05bc\u05c1\u05c2]+|(?=\p{sc=Arabic})\p{L}[\u064b-\u0652]+)$/u;

/** Only ASCII, which needs no further look. */
const ASCII = /^[ -~\n]*$/;

/** Escapes each character whose width is in doubt: where a program draws it wider than it counts, the rest of a line is lost. */
export function escapeInexact(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replace(LETTER_OR_CHARACTER, (part) =>
    isExact(part)
      ? part
      : Array.from(part, (character) => (EXACT.test(character) ? character : escapeOf(character))).join(""),
  );
}

/** Whether a character, or a letter with its marks, has a certain width. Marks that compose to one letter are as wide as it. */
function isExact(part: string): boolean {
  return EXACT.test(part) || EXACT_WITH_MARKS.test(part) || EXACT.test(part.normalize("NFC"));
}

function escapeOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

/** The most columns that a text takes: a sign beyond ASCII counts two, whatever its width is said to be. */
export function mostColumnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return Array.from(text, (character) =>
    /[ -~]/.test(character) ? 1 : /\p{L}/u.test(character) ? Math.max(1, Bun.stringWidth(character)) : 2,
  ).reduce<number>((sum, width) => sum + width, 0);
}
