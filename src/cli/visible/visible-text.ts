import { findDisguised, findForeign, findLookAlikes, isPlainlyForeign } from "./look-alikes.ts";

/** A text in which nothing is hidden: what a person reads is what it holds. */
export interface VisibleText {
  /** Its lines; characters that cannot be seen, or be taken for others, stand there as `\u202e`. */
  readonly lines: readonly string[];
  /** What a person has to know before trusting their eyes, a sentence each. */
  readonly warnings: readonly string[];
}

/** How many characters a warning names. */
const MAX_NAMED = 12;

/**
 * Characters without a form of their own: controls, marks of the direction of writing, those without width, all spaces
 * but the ordinary one, and what has no meaning. U+2800 is the empty Braille pattern.
 */
const HIDDEN = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]$|^(?! )\p{Zs}$/u;

/** How a text is made visible. */
export interface VisibleOptions {
  /**
   * What the text is. All of a command that looks like ASCII is marked. In code, words of another script stay readable in
   * a line that plainly has such words, as in a comment; the warning names their look-alikes all the same. In prose, which
   * no program runs, dashes, quotes and ellipses stand as they are, and only letters that pass for ASCII within an ASCII
   * word are marked. @default "command"
   */
  readonly kind?: TextKind;
}

/** What a text is, see {@link VisibleOptions}. */
export type TextKind = "command" | "code" | "prose";

/** What joins the parts of an emoji, and what stands before it there; no more than the last few code units. */
const EMOJI_JOINERS: ReadonlySet<string> = new Set(["\ufe0f", "\u200d"]);
const EMOJI_PART = /\p{Extended_Pictographic}\p{EMod}?(?:\ufe0f|\ufe0f?\u200d)$/u;
const MAX_EMOJI_PART = 6;

/** Makes everything in a text visible. Line breaks (`\n`) part its lines, everything else stays in its line. */
export function makeVisible(text: string, { kind = "command" }: VisibleOptions = {}): VisibleText {
  const hidden = new Set<string>();
  const lookAlikes = new Set<string>();
  const lines = text.split("\n").map((line) => showLine(line, { hidden, lookAlikes, kind }));
  return { lines, warnings: describeFindings({ hidden, lookAlikes }) };
}

/** The same in one line: a line break stands there as `\n`. For names, labels and titles. */
export function visibleLine(text: string): string {
  return makeVisible(text).lines.join("\\n");
}

/** Spaces of several widths, which prose may have; in a command they part no words. */
const WIDE_SPACES = /[\u00a0\u2009\u202f\u3000]/g;

/** A text for people in one line, such as the label of an answer. */
export function visibleLabel(text: string): string {
  return makeVisible(text.replaceAll(WIDE_SPACES, " "), { kind: "prose" }).lines.join("\\n");
}

/** A text for people with the warnings about it behind it, for a question. */
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

/** A selector of variants or a joiner behind a pictograph makes the emoji that is meant. */
function isEmojiPart(before: string, character: string): boolean {
  return EMOJI_JOINERS.has(character) && EMOJI_PART.test(before.slice(-MAX_EMOJI_PART) + character);
}

/** A mark that is drawn over an ASCII character and makes no known letter of it, such as a stroke through it. */
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
