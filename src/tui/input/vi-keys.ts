import type { PressedKey } from "../keys/keymap.ts";

/** The mode of the vi keys. */
export interface ViState {
  readonly mode: "insert" | "normal";
  /** The first key of a command of two: `dd`, `cw`, `gg`, `yy`. */
  readonly pending: "" | "d" | "c" | "g" | "y";
  /** The line that was deleted or copied last, for `p`. @default none */
  readonly line?: string;
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
    return { vi: { ...vi, mode: "normal", pending: "" }, text, cursor: at };
  }
  if (key.ctrl || key.meta) return undefined;
  const sign = signOf(key);
  if (sign === undefined) return undefined;
  const keys = vi.pending + sign;
  const command = Object.hasOwn(COMMANDS, keys) ? COMMANDS[keys] : undefined;
  const done = { ...vi, pending: "" } as const;
  // Other signs do nothing: they must not be typed into the text.
  const { vi: change, ...result } = command?.({ text, cursor, line: vi.line }) ?? {};
  return { text, cursor, ...result, vi: { ...done, ...change } };
}

/** What a command changes: the text, and parts of the state. */
type CommandResult = Partial<Omit<ViResult, "vi">> & { readonly vi?: Partial<ViState> };

type Command = (from: CursorText & { readonly line: string | undefined }) => CommandResult;

const INSERT = { mode: "insert" } as const;

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
  d: () => ({ vi: { pending: "d" } }),
  c: () => ({ vi: { pending: "c" } }),
  g: () => ({ vi: { pending: "g" } }),
  y: () => ({ vi: { pending: "y" } }),
  dd: ({ text, cursor }) => ({ ...deleteLine(text, cursor), vi: { line: lineAt(text, cursor) } }),
  dw: ({ text, cursor }) => deleteTo(Math.min(nextStart(text, cursor), lineEnd(text, cursor)), { text, cursor }),
  cw: ({ text, cursor }) => ({ ...cutTo(wordEnd(text, cursor), { text, cursor }), vi: INSERT }),
  cc: ({ text, cursor }) => ({ ...clearLine(text, cursor), vi: { ...INSERT, line: lineAt(text, cursor) } }),
  gg: ({ text }) => ({ cursor: firstLetter(text, 0) }),
  G: ({ text }) => ({ cursor: firstLetter(text, text.length) }),
  yy: ({ text, cursor }) => ({ vi: { line: lineAt(text, cursor) } }),
  p: ({ text, cursor, line }) => (line === undefined ? {} : putLine(line, { text, cursor })),
  J: ({ text, cursor }) => joinLines(text, cursor),
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

function moveLine({ text, cursor }: CursorText, by: -1 | 1): CommandResult {
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

function lineAt(text: string, at: number): string {
  return text.slice(lineStart(text, at), lineEnd(text, at));
}

/** The text without what is between the cursor and a position. */
function cutTo(end: number, { text, cursor }: CursorText): CursorText {
  return { text: text.slice(0, cursor) + text.slice(end), cursor };
}

/** The same, with the cursor on a character, as in the normal mode. */
function deleteTo(end: number, from: CursorText): CursorText {
  const { text, cursor } = cutTo(end, from);
  return { text, cursor: Math.min(cursor, lastOfLine(text, cursor)) };
}

function clearLine(text: string, cursor: number): CursorText {
  const start = lineStart(text, cursor);
  return { text: text.slice(0, start) + text.slice(lineEnd(text, cursor)), cursor: start };
}

/** A line below that of the cursor. */
function putLine(line: string, { text, cursor }: CursorText): CursorText {
  const end = lineEnd(text, cursor);
  const put = `${text.slice(0, end)}\n${line}${text.slice(end)}`;
  return { text: put, cursor: firstLetter(put, end + 1) };
}

/** The line with the next one, a space between the two. */
function joinLines(text: string, cursor: number): CommandResult {
  const end = lineEnd(text, cursor);
  if (end === text.length) return {};
  const next = text.slice(end + 1).replace(/^[^\S\n]+/, "");
  const isSpaceNeeded = end > lineStart(text, cursor) && !/\s/.test(text[end - 1] ?? "") && !/^(\n|$)/.test(next);
  const space = isSpaceNeeded ? " " : "";
  const joined = text.slice(0, end) + space + next;
  return { text: joined, cursor: Math.min(end, lastOfLine(joined, end)) };
}

function openLine(text: string, at: number): CommandResult {
  return { vi: INSERT, text: `${text.slice(0, at)}\n${text.slice(at)}`, cursor: at + 1 };
}

type Kind = "space" | "word" | "sign";

function kindAt(text: string, at: number): Kind {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 32);
  if (/\s/.test(character)) return "space";
  return /[\p{L}\p{M}\p{N}_]/u.test(character) ? "word" : "sign";
}

function nextWord(text: string, cursor: number): number {
  return Math.min(nextStart(text, cursor), lastOfLine(text, text.length));
}

/** The start of the next word, or the end of the text. */
function nextStart(text: string, cursor: number): number {
  let at = kindAt(text, cursor) === "space" ? cursor : wordEnd(text, cursor);
  while (at < text.length && kindAt(text, at) === "space") at += 1;
  return at;
}

/** The end of the word, or of the space, at the cursor: never beyond its line. */
function wordEnd(text: string, cursor: number): number {
  let at = cursor;
  const kind = kindAt(text, at);
  while (at < lineEnd(text, cursor) && kindAt(text, at) === kind) at += 1;
  return at;
}

function previousWord(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && kindAt(text, at - 1) === "space") at -= 1;
  const kind = kindAt(text, at - 1);
  while (at > 0 && kindAt(text, at - 1) === kind) at -= 1;
  return at;
}
