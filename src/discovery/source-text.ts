/** A place in a file, both counted from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A text that is not closed ends with its line, or with the source: no character is looked at twice. */
const TEXT_OR_LINE_COMMENT = /"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?|\/\/[^\n]*/g;
const TEXT_OR_COMMENT = new RegExp(`${TEXT_OR_LINE_COMMENT.source}|/\\*[^]*?\\*/`, "g");

/** Replaces comments by spaces; every other character keeps its position. */
export function blankComments(text: string): string {
  const blank = (token: string): string => (token.startsWith("/") ? token.replace(/[^\n]/g, " ") : token);
  // After the last end of a comment none begins, however often it looks like it.
  const end = text.lastIndexOf("*/") + 2;
  if (end < 2) return text.replace(TEXT_OR_LINE_COMMENT, blank);
  return text.slice(0, end).replace(TEXT_OR_COMMENT, blank) + text.slice(end).replace(TEXT_OR_LINE_COMMENT, blank);
}

/** The place of the character with this index. */
export function positionAt(text: string, index: number): SourcePosition {
  const before = text.slice(0, index);
  return { line: before.split("\n").length, column: index - before.lastIndexOf("\n") };
}

/** The place where a text exports a name, by a declaration or in a list; undefined if it does not. */
export function locateExport(text: string, name: string): SourcePosition | undefined {
  const source = blankComments(text);
  const word = escapeForPattern(name);
  const declared = new RegExp(
    `\\bexport\\s+(?:const|let|var|class|(?:async\\s+)?function\\*?)\\s+${word}(?![\\w$])`,
  ).exec(source);
  if (declared) return positionAt(source, declared.index);
  const standard = name === "default" ? /\bexport\s+default\b/.exec(source) : undefined;
  if (standard) return positionAt(source, standard.index);
  const listed = new RegExp(`\\bexport\\s*\\{[^}]*?(?<![\\w$])(${word})\\s*[,}]`, "d").exec(source);
  const span = listed?.indices?.[1];
  return span && positionAt(source, span[0]);
}

/** The place where a CommonJS file sets its exports; undefined in a file with an export declaration. */
export function locateCommonJsExport(text: string): SourcePosition | undefined {
  const source = blankComments(text);
  const set = /^[ \t]*module\.exports\s*=/m.exec(source);
  return set === null || /^[ \t]*export\b/m.test(source)
    ? undefined
    : positionAt(source, source.indexOf("module", set.index));
}

/** One `from "…"`, `import "…"`, `import("…")` or `require("…")` of a text. */
export interface ModuleReference extends SourcePosition {
  readonly specifier: string;
  /** The imported names, as the other module exports them, with their places. */
  readonly names: readonly (SourcePosition & { readonly name: string })[];
}

const REFERENCE =
  /\b(?:import|export)\b([^;"'`()]*?)\bfrom\s*(["'])([^"'\n]+)\2|\bimport\s*\(?\s*(["'])([^"'\n]+)\4|\brequire\s*\(\s*(["'])([^"'\n]+)\6/dg;

/** Every module that a text refers to, in order. Works on the text only, so the file need not compile. */
export function listModuleReferences(text: string): readonly ModuleReference[] {
  const source = blankComments(text);
  return [...source.matchAll(REFERENCE)].map((match) => {
    const group = [3, 5, 7].find((index) => match[index] !== undefined) ?? 3;
    // The pattern ends with the specifier's closing quote, so the specifier has a place.
    const start = match.indices?.[group]?.[0] ?? match.index;
    const clause = match[1] ?? "";
    const clauseStart = match.indices?.[1]?.[0] ?? match.index;
    return {
      specifier: match[group] ?? "",
      ...positionAt(source, start - 1),
      names: listNames(source, clause, clauseStart),
    };
  });
}

function listNames(source: string, clause: string, clauseStart: number): ModuleReference["names"] {
  const open = clause.indexOf("{");
  const standard = /^\s*(?:type\s+)?([\w$]+)/.exec(open < 0 ? clause : clause.slice(0, open));
  const imported =
    standard?.[1] === undefined
      ? []
      : [{ name: "default", ...positionAt(source, clauseStart + clause.indexOf(standard[1])) }];
  if (open < 0) return imported;
  const listed = [...clause.slice(open + 1).matchAll(/(?:^|,)\s*(?:type\s+)?([\w$]+)/g)].map((match) => {
    const name = match[1] ?? "";
    const index = clauseStart + open + 1 + match.index + match[0].lastIndexOf(name);
    return { name, ...positionAt(source, index) };
  });
  return [...imported, ...listed];
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
