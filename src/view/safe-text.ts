import { simplifyEmoji } from "./simplify-emoji.ts";

/**
 * Control sequences of ECMA-48: CSI, the strings that a terminator ends (titles, links), and the short ones. What nothing
 * ends is no sequence, so that its text stays.
 */
const CONTROL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that terminals act on
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-OQ-WYZ\\`-~]/g;

/** Control characters, those that turn the direction of writing, and those that nobody sees. */
const UNSAFE_CHARACTERS = /[\p{Control}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Line breaks that terminals and line-based programs treat differently. */
const LINE_SEPARATORS = /[\u2028\u2029]/g;

/** A return, after which a terminal would overwrite the line, alone or as a part of a line break. */
const RETURN = /\r\n?/g;

/** Characters that an invisible character may follow as a part of them: an emoji, or a letter of a joining script. */
const JOINED = /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)$/u;
const JOINING_SCRIPTS =
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}]$/u;

/**
 * Text from agents, files and tools, made harmless for a terminal: control sequences, control characters, marks of the
 * direction of writing and characters that nobody sees are gone, except for line breaks and tabs, and for what emoji and
 * some scripts are written with. A carriage return is a line break, so that no text hides the one before it.
 */
export function safeText(text: string): string {
  return text
    .replace(CONTROL_SEQUENCES, "")
    .replace(RETURN, "\n")
    .replace(LINE_SEPARATORS, "\n")
    .replace(UNSAFE_CHARACTERS, (character, offset: number, whole: string) =>
      isSafeAt(whole, offset, character) ? character : "",
    );
}

/** JSON made harmless in the same way, but what {@link safeText} drops or changes is escaped, so that nothing is lost. */
export function safeJson(json: string): string {
  return json
    .replace(LINE_SEPARATORS, escapeCharacter)
    .replace(UNSAFE_CHARACTERS, (character, offset: number, whole: string) =>
      isSafeAt(whole, offset, character) ? character : escapeCharacter(character),
    );
}

/** One escape for each half of a character beyond the first 65,536. */
function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function isSafeAt(text: string, offset: number, character: string): boolean {
  if (character === "\n" || character === "\t") return true;
  return isPartOfWriting(character, text.slice(Math.max(0, offset - 2), offset));
}

function isPartOfWriting(character: string, before: string): boolean {
  if (character === "\u200d") return JOINED.test(before) || JOINING_SCRIPTS.test(before);
  if (character === "\u200c") return JOINING_SCRIPTS.test(before);
  // Chooses between a text's and an emoji's form, which digits have too: 1\ufe0f\u20e3.
  return (character === "\ufe0e" || character === "\ufe0f") && /[\p{Emoji}]$/u.test(before);
}

/** The same with {@link simplifyEmoji}, in one line of at most so many columns. */
export function safeLine(text: string, maxColumns: number): string {
  const line = simplifyEmoji(safeText(text)).replace(/\s+/g, " ").trim();
  if (Bun.stringWidth(line) <= maxColumns) return line;
  let kept = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    width += Bun.stringWidth(segment);
    if (width > maxColumns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The width of a text in columns, whatever the width of its characters. */
export function columnsOf(text: string): number {
  return Bun.stringWidth(text);
}

/** Pads with spaces to a width in columns, whatever the width of the characters. */
export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - Bun.stringWidth(text)));
}
