import type { PressedKey } from "../keys/keymap.ts";

/** The mode of the vi keys. */
export interface ViState {
  readonly mode: "insert" | "normal";
  /** The first key of a command of two: `dd`. */
  readonly pending: "" | "d";
}

/** Typing works at once. */
export const INITIAL_VI: ViState = { mode: "insert", pending: "" };

/** A text with a cursor, in UTF-16 units. */
export interface CursorText {
  readonly text: string;
  readonly cursor: number;
}

/** What a key does. */
export interface ViResult extends CursorText {
  readonly vi: ViState;
  /** What the text alone cannot do: up from the first line, down from the last, undo. */
  readonly effect?: "history-previous" | "history-next" | "undo";
}

/** What a key does in the vi modes. Undefined when it has no meaning there, and what is below receives it. */
export function pressViKey(vi: ViState, key: PressedKey, { text, cursor }: CursorText): ViResult | undefined {
  if (vi.mode === "insert") {
    if (key.name !== "escape") return undefined;
    const at = cursor > lineStart(text, cursor) ? before(text, cursor) : cursor;
    return { vi: { mode: "normal", pending: "" }, text, cursor: at };
  }
  if (key.ctrl || key.meta) return undefined;
  const sign = signOf(key);
  if (sign === undefined) return undefined;
  if (vi.pending === "d") {
    return { vi: { mode: "normal", pending: "" }, ...(sign === "d" ? deleteLine(text, cursor) : { text, cursor }) };
  }
  const command = Object.hasOwn(COMMANDS, sign) ? COMMANDS[sign] : undefined;
  // Other signs do nothing: they must not be typed into the text.
  return { vi, text, cursor, ...command?.({ text, cursor }) };
}

type Command = (from: CursorText) => Partial<ViResult>;

const INSERT: ViState = { mode: "insert", pending: "" };

const COMMANDS: Readonly<Record<string, Command>> = {
  h: ({ text, cursor }) => ({ cursor: cursor > lineStart(text, cursor) ? before(text, cursor) : cursor }),
  l: ({ text, cursor }) => ({ cursor: Math.min(after(text, cursor), lastOfLine(text, cursor)) }),
  j: (from) => moveLine(from, 1),
  k: (from) => moveLine(from, -1),
  w: ({ text, cursor }) => ({ cursor: nextWord(text, cursor) }),
  b: ({ text, cursor }) => ({ cursor: previousWord(text, cursor) }),
  "0": ({ text, cursor }) => ({ cursor: lineStart(text, cursor) }),
  $: ({ text, cursor }) => ({ cursor: lastOfLine(text, cursor) }),
  x: ({ text, cursor }) => deleteCharacter(text, cursor),
  d: () => ({ vi: { mode: "normal", pending: "d" } }),
  u: () => ({ effect: "undo" }),
  i: () => ({ vi: INSERT }),
  a: ({ text, cursor }) => ({ vi: INSERT, cursor: Math.min(after(text, cursor), lineEnd(text, cursor)) }),
  A: ({ text, cursor }) => ({ vi: INSERT, cursor: lineEnd(text, cursor) }),
  I: ({ text, cursor }) => ({ vi: INSERT, cursor: firstLetter(text, cursor) }),
  o: ({ text, cursor }) => openLine(text, lineEnd(text, cursor)),
};

/** The sign that a key types. Undefined for keys such as arrows and Enter. */
function signOf({ name, shift, sequence }: PressedKey): string | undefined {
  if (name === "space") return " ";
  if ([...name].length !== 1) return undefined;
  if (/^[a-z]$/.test(name)) return shift ? name.toUpperCase() : name;
  return sequence !== undefined && [...sequence].length === 1 ? sequence : name;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** The last character of the line, where the cursor of the normal mode can be. */
function lastOfLine(text: string, at: number): number {
  const end = lineEnd(text, at);
  return end > lineStart(text, at) ? before(text, end) : end;
}

function firstLetter(text: string, at: number): number {
  const start = lineStart(text, at);
  return start + (/^[^\S\n]*/.exec(text.slice(start))?.[0].length ?? 0);
}

/** The start of the character before a position. */
function before(text: string, at: number): number {
  const characters = [...new Intl.Segmenter().segment(text.slice(lineStart(text, at), at))];
  return at - (characters.at(-1)?.segment.length ?? Math.min(1, at));
}

/** The end of the character at a position. */
function after(text: string, at: number): number {
  const [character] = new Intl.Segmenter().segment(text.slice(at, lineEnd(text, at)));
  return at + (character?.segment.length ?? 0);
}

function moveLine({ text, cursor }: CursorText, by: -1 | 1): Partial<ViResult> {
  const start = lineStart(text, cursor);
  const end = lineEnd(text, cursor);
  if (by === -1 && start === 0) return { effect: "history-previous" };
  if (by === 1 && end === text.length) return { effect: "history-next" };
  const line = by === -1 ? lineStart(text, start - 1) : end + 1;
  const column = [...new Intl.Segmenter().segment(text.slice(start, cursor))].length;
  const characters = [...new Intl.Segmenter().segment(text.slice(line, lineEnd(text, line)))];
  const offset = characters[column]?.index ?? characters.at(-1)?.index ?? 0;
  return { cursor: line + offset };
}

function deleteCharacter(text: string, cursor: number): CursorText {
  const rest = text.slice(0, cursor) + text.slice(after(text, cursor));
  return { text: rest, cursor: Math.min(cursor, lastOfLine(rest, cursor)) };
}

function deleteLine(text: string, cursor: number): CursorText {
  const start = lineStart(text, cursor);
  const end = lineEnd(text, cursor);
  const isLast = end === text.length;
  const rest = text.slice(0, isLast ? Math.max(0, start - 1) : start) + text.slice(end + 1);
  return { text: rest, cursor: firstLetter(rest, Math.min(start, rest.length)) };
}

function openLine(text: string, at: number): Partial<ViResult> {
  return { vi: INSERT, text: `${text.slice(0, at)}\n${text.slice(at)}`, cursor: at + 1 };
}

type Kind = "space" | "word" | "sign";

function kindAt(text: string, at: number): Kind {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 32);
  if (/\s/.test(character)) return "space";
  return /[\p{L}\p{M}\p{N}_]/u.test(character) ? "word" : "sign";
}

function nextWord(text: string, cursor: number): number {
  let at = cursor;
  const kind = kindAt(text, at);
  while (at < text.length && kind !== "space" && kindAt(text, at) === kind) at += 1;
  while (at < text.length && kindAt(text, at) === "space") at += 1;
  return Math.min(at, lastOfLine(text, text.length));
}

function previousWord(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && kindAt(text, at - 1) === "space") at -= 1;
  const kind = kindAt(text, at - 1);
  while (at > 0 && kindAt(text, at - 1) === kind) at -= 1;
  return at;
}
