import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { type DiscoveryProblem, findDeepNesting, MAX_JSON_DEPTH } from "../../contracts/index.ts";

/** A value in a file of JSON, which knows its place. */
export interface PlacedValue {
  /** Counted from 1. */
  readonly line: number;
  readonly value: unknown;
  /** The entries of a list; empty for other values. */
  readonly items: readonly PlacedValue[];
  /** The fields of an object, in the order of the file; empty for other values. */
  readonly fields: ReadonlyMap<string, PlacedValue>;
}

/** A parsed file, or why it cannot be parsed. */
export type ParsedHookFile =
  | { readonly type: "parsed"; readonly root: PlacedValue }
  | { readonly type: "broken"; readonly problem: DiscoveryProblem };

const MESSAGES: Readonly<Record<string, string>> = {
  InvalidSymbol: "keys and strings need double quotes",
  PropertyNameExpected: "a key in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: '":" is missing',
  CommaExpected: '"," or a closing bracket is missing',
  CloseBraceExpected: '"}" is missing',
  CloseBracketExpected: '"]" is missing',
  EndOfFileExpected: "there is more text after the value",
};

/** Parses JSON with comments and trailing commas. Pure. */
export function parseHookFile(text: string, path: string): ParsedHookFile {
  const source = text.replace(/^\ufeff/, "");
  const deep = findDeepNesting(source);
  if (deep !== undefined) {
    const message = `Its objects and lists are nested more than ${MAX_JSON_DEPTH} deep`;
    return { type: "broken", problem: brokenAt(lineFinder(source)(deep), { path, message }) };
  }
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined && root !== undefined) return { type: "parsed", root: placed(root, lineFinder(source)) };
  const code = first === undefined ? "ValueExpected" : printParseErrorCode(first.error);
  // A missing bracket is reported at the end of the file; the empty lines there have nothing to correct.
  const offset = Math.min(first?.offset ?? 0, source.trimEnd().length);
  const problem = brokenAt(lineFinder(source)(offset), {
    path,
    message: `It is no valid JSON: ${MESSAGES[code] ?? code}`,
  });
  return { type: "broken", problem };
}

function brokenAt(line: number, about: Pick<DiscoveryProblem, "path" | "message">): DiscoveryProblem {
  return { ...about, line, remedy: "Correct it. None of its hooks run.", severity: "error" };
}

/** Finds the line of a place in a text, counted from 1. */
function lineFinder(source: string): (offset: number) => number {
  return (offset) => source.slice(0, offset).split("\n").length;
}

function placed(node: Node, lineOf: (offset: number) => number): PlacedValue {
  const children = node.children ?? [];
  const fields = new Map<string, PlacedValue>();
  if (node.type === "object") {
    for (const { children: [key, value] = [] } of children)
      if (key !== undefined && value !== undefined) fields.set(String(key.value), placed(value, lineOf));
  }
  const items = node.type === "array" ? children.map((child) => placed(child, lineOf)) : [];
  return { line: lineOf(node.offset), value: getNodeValue(node) as unknown, items, fields };
}
