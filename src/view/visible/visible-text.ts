import { findDisguised, findForeign, findLookAlikes, isPlainlyForeign } from "./look-alikes.ts";

/** A text without hidden characters: it contains what a person reads. */
export interface VisibleText {
  /** Its lines; invisible characters and look-alikes are escaped as `\u202e`. */
  readonly lines: readonly string[];
  /** Warnings about escaped characters, one sentence each. */
  readonly warnings: readonly string[];
}

/** Further characters are only counted in a warning. */
const MAX_NAMED = 12;

/**
 * Invisible characters: controls, bidirectional marks, zero-width characters, all spaces except U+0020, and unassigned code
 * points. U+2800 is the empty Braille pattern.
 */
const HIDDEN = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]$|^(?! )\p{Zs}$/u;

/** Settings of {@link makeVisible}. */
export interface VisibleOptions {
  /**
   * The kind of text. In a command all look-alikes are marked. In code, words of another script stay readable in a line that
   * clearly has such words, as in a comment; the warning still names their look-alikes. In prose, which no program runs,
   * dashes, quotes and ellipses are not marked, and letters of another script only in words with ASCII letters.
   * @default "command"
   */
  readonly kind?: TextKind;
}

/** The kind of a text, see {@link VisibleOptions}. */
export type TextKind = "command" | "code" | "prose";

/** Characters that join the parts of an emoji, and the part before one; it has at most `MAX_EMOJI_PART` code units. */
const EMOJI_JOINERS: ReadonlySet<string> = new Set(["\ufe0f", "\u200d"]);
const EMOJI_PART = /\p{Extended_Pictographic}\p{EMod}?(?:\ufe0f|\ufe0f?\u200d)$/u;
const MAX_EMOJI_PART = 6;

/** Escapes invisible characters and look-alikes in a text. Only `\n` separates lines. */
export function makeVisible(text: string, { kind = "command" }: VisibleOptions = {}): VisibleText {
  const hidden = new Set<string>();
  const lookAlikes = new Set<string>();
  const lines = text.split("\n").map((line) => showLine(line, { hidden, lookAlikes, kind }));
  return { lines, warnings: describeFindings({ hidden, lookAlikes }) };
}

/** Makes a name, label or title visible in one line; a line break is written as `\n`. */
export function visibleLine(text: string): string {
  return makeVisible(text).lines.join("\\n");
}

/** Unicode spaces that are normal in prose; a shell does not split words at them. */
const WIDE_SPACES = /[\u00a0\u2009\u202f\u3000]/g;

/** Makes prose visible in one line, such as the label of an answer. */
export function visibleLabel(text: string): string {
  return makeVisible(text.replaceAll(WIDE_SPACES, " "), { kind: "prose" }).lines.join("\\n");
}

/** Makes the prose of a question visible, followed by its warnings. */
export function visibleMessage(text: string): string {
  const { lines, warnings } = makeVisible(text.replaceAll(WIDE_SPACES, " "), { kind: "prose" });
  return [...lines, ...warnings.map((warning) => `(${warning})`)].join("\n");
}

interface Findings {
  readonly hidden: Set<string>;
  readonly lookAlikes: Set<string>;
}

const NONE: ReadonlySet<number> = new Set();

function showLine(line: string, { hidden, lookAlikes, kind }: Findings & { readonly kind: TextKind }): string {
  const isReadable = kind === "code" && isPlainlyForeign(line);
  let shown = "";
  for (const [word = ""] of line.matchAll(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+/gu)) {
    const characters = [...word];
    const disguised = findDisguised(characters);
    const suspects = kind === "prose" ? disguised : findLookAlikes(characters);
    const foreign = isReadable && suspects.size > 0 ? findForeign(characters) : NONE;
    for (const [index, character] of characters.entries()) {
      if (character === "\t") shown += "\\t";
      else if (kind !== "command" && isEmojiPart(shown, character)) shown += character;
      else if (HIDDEN.test(character) || isOverlay(characters[index - 1], character)) {
        hidden.add(character);
        shown += escapeCharacter(character);
      } else if (suspects.has(index)) {
        lookAlikes.add(character);
        const isLetter = foreign.has(index) && /^\p{L}$/u.test(character);
        shown += isLetter ? character : escapeCharacter(character);
      } else shown += character;
    }
  }
  return shown;
}

/** A variation selector or joiner after a pictograph is part of an emoji. */
function isEmojiPart(before: string, character: string): boolean {
  return EMOJI_JOINERS.has(character) && EMOJI_PART.test(before.slice(-MAX_EMOJI_PART) + character);
}

/** A combining mark over an ASCII character that does not compose to a letter, such as a stroke. */
function isOverlay(base: string | undefined, character: string): boolean {
  if (!/^\p{M}$/u.test(character)) return false;
  if (base === undefined) return true;
  return /^[ -~]$/.test(base) && [...(base + character).normalize("NFC")].length > 1;
}

function escapeCharacter(character: string): string {
  const hex = codeOf(character);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}

function describeFindings({ hidden, lookAlikes }: Findings): readonly string[] {
  const name = (character: string): string => `U+${codeOf(character).toUpperCase().padStart(4, "0")}`;
  return [
    ...(hidden.size === 0 ? [] : [`contains characters that cannot be seen: ${listSome([...hidden].map(name))}`]),
    ...(lookAlikes.size === 0
      ? []
      : [
          `contains look-alike characters: ${listSome([...lookAlikes].map((character) => `${character} (${name(character)})`))}`,
        ]),
  ];
}

function listSome(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? [`and ${names.length - MAX_NAMED} more`] : [];
  return [...names.slice(0, MAX_NAMED), ...more].join(", ");
}
