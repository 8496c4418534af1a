import type { Node, ParseError } from "jsonc-parser";
import { findDeepNesting, MAX_JSON_DEPTH, namesSecret } from "../../contracts/index.ts";
import { type DuplicateKey, findDuplicateKeys, lastNodeAt } from "./duplicate-keys.ts";

/** Longer tokens are cut in messages, in characters. */
const MAX_TOKEN_LENGTH = 20;

/** A value, and where its parts are in the text. */
export interface ParsedJsonc {
  readonly value: unknown;
  /** The line of a key or an element, from 1; of a missing one, that of the nearest object or list around it. */
  lineOf(path: readonly PropertyKey[]): number;
  /** Keys that an object has more than once: the last of each counts. */
  readonly duplicates: readonly DuplicateKey[];
}

/** What a text is, for messages. */
export interface JsoncOptions {
  /** @default "file" */
  readonly noun?: string;
}

/**
 * Parses JSON with comments and trailing commas. Objects have no prototype, so `__proto__` is a key like any other.
 *
 * @throws SyntaxError with the place and a sentence: `line 3, column 11: Expected ":", found "}".`
 */
export async function parseJsonc(text: string, options: JsoncOptions = {}): Promise<unknown> {
  return (await parseJsoncWithLines(text, options)).value;
}

/** As {@link parseJsonc}, with the lines of keys. @throws SyntaxError */
export async function parseJsoncWithLines(text: string, { noun = "file" }: JsoncOptions = {}): Promise<ParsedJsonc> {
  // Loaded here because most calls find no settings file.
  const { getNodeValue, parseTree, printParseErrorCode } = await import("jsonc-parser");
  const source = text.replace(/^\ufeff/, "");
  const deep = findDeepNesting(source);
  if (deep !== undefined)
    throw new SyntaxError(
      `${formatPlace(source, deep)}: Objects and lists are nested more than ${MAX_JSON_DEPTH} deep.`,
    );
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) {
    const value: unknown = root === undefined ? undefined : getNodeValue(root);
    const find = (path: readonly PropertyKey[]): Node | undefined => root && lastNodeAt(root, path);
    const duplicates = root === undefined ? [] : findDuplicateKeys(root, (offset) => lineAt(source, offset));
    return { value, lineOf: (path) => lineAt(source, offsetOf(path, find)), duplicates };
  }
  // A missing bracket is reported at the end of the file; the empty lines there have nothing to correct.
  const offset = Math.min(first.offset, source.trimEnd().length);
  const token = source.slice(offset, first.offset + first.length).trim();
  const isHidden = /^[^"{}[\]:,]/.test(token) && isAfterSecretName(source.slice(0, offset));
  const found = isHidden ? "a value" : describeToken(token, noun);
  const error = describeError(printParseErrorCode(first.error), { found, noun });
  throw new SyntaxError(`${formatPlace(source, offset)}: ${error}`);
}

/** A sentence for an error code of jsonc-parser. */
function describeError(code: string, { found, noun }: { readonly found: string; readonly noun: string }): string {
  switch (code) {
    case "InvalidSymbol":
      return `Unexpected ${found}. Keys and strings need double quotes.`;
    case "PropertyNameExpected":
      return `Expected a key in double quotes, found ${found}.`;
    case "ValueExpected":
      return `Expected a value, found ${found}.`;
    case "ColonExpected":
      return `Expected ":", found ${found}.`;
    case "CommaExpected":
      return `Expected "," or a closing bracket, found ${found}.`;
    case "CloseBraceExpected":
      return `Expected "}", found ${found}.`;
    case "CloseBracketExpected":
      return `Expected "]", found ${found}.`;
    case "EndOfFileExpected":
      return `Expected the end of the ${noun}, found ${found}.`;
    case "UnexpectedEndOfComment":
      return "The comment is not closed.";
    case "UnexpectedEndOfString":
      return "The string is not closed on its line.";
    case "UnexpectedEndOfNumber":
      return "The number is incomplete.";
    case "InvalidEscapeCharacter":
    case "InvalidUnicode":
      return "The string has an invalid escape sequence. Write a backslash as \\\\.";
    case "InvalidCharacter":
      return "The string has a control character. Write a tab as \\t.";
    default:
      return `Invalid JSON (${code}).`;
  }
}

/** What is at the place. The content of a string is left out: it may be a secret. */
function describeToken(token: string, noun: string): string {
  if (token === "") return `the end of the ${noun}`;
  if (token.startsWith('"')) return "a string";
  return token.length > MAX_TOKEN_LENGTH ? `"${token.slice(0, MAX_TOKEN_LENGTH)}…"` : `"${token}"`;
}

/** Whether what follows is the value of a key with the name of a secret. */
function isAfterSecretName(before: string): boolean {
  const withoutColon = /"([^"\\\n]*)"\s*$/.exec(before.slice(-200))?.[1] ?? "";
  const key = [...before.matchAll(/"([^"\\\n]*)"\s*:/g)].at(-1)?.[1] ?? "";
  return namesSecret(key) || namesSecret(withoutColon);
}

/** Where the nearest part of a path begins that is in the text: with its key, if it has one. */
function offsetOf(path: readonly PropertyKey[], find: (path: readonly PropertyKey[]) => Node | undefined): number {
  for (let length = path.length; length >= 0; length--) {
    const node = find(path.slice(0, length));
    if (node !== undefined) return node.parent?.type === "property" ? node.parent.offset : node.offset;
  }
  return 0;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function formatPlace(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `line ${lineAt(text, offset)}, column ${offset - before.lastIndexOf("\n")}`;
}
