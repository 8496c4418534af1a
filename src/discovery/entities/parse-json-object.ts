import { type ParseError, type ParseErrorCode, parse, printParseErrorCode } from "jsonc-parser";
import { findDeepNesting, isRecord, MAX_JSON_DEPTH } from "../../contracts/index.ts";
import { positionAt, type SourcePosition } from "../source-text.ts";

/** An object, or why a text is none. */
export type ParsedObject =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly value?: undefined; readonly fault: SourcePosition & { readonly message: string } };

/** Parses JSON with comments and trailing commas, without a BOM. Pure, never throws. */
export function parseJsonObject(source: string): ParsedObject {
  const deep = findDeepNesting(source);
  if (deep !== undefined)
    return {
      fault: {
        ...positionAt(source, deep),
        message: `Its objects and lists are nested more than ${MAX_JSON_DEPTH} deep`,
      },
    };
  const errors: ParseError[] = [];
  const value: unknown = parse(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined && isRecord(value)) return { value };
  if (error === undefined) return { fault: { line: 1, column: 1, message: "It is not an object" } };
  const message = `It is not valid JSON: ${wordsOf(error.error)}`;
  return { fault: { ...positionAt(source, error.offset), message } };
}

/** `ValueExpected` is "value expected". */
function wordsOf(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replaceAll(/(?<!^)[A-Z]/g, " $&")
    .toLowerCase();
}
