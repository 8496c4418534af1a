import { parseSync, visitorKeys } from "oxc-parser";

/** A node of a parsed file; its other fields depend on `type` (ESTree with TypeScript's additions). */
export interface SyntaxNode {
  readonly type: string;
  /** Offset of the first character. */
  readonly start: number;
  /** Offset after the last character. */
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A comment, its marks and the stars of its lines blanked. */
export interface SourceComment {
  /** Offset of its first character. */
  readonly start: number;
  readonly text: string;
}

/** A parsed source file. */
export interface SyntaxTree {
  readonly program: SyntaxNode;
  /** The comments, in the order of the file. */
  readonly comments: readonly SourceComment[];
  /** The 1-based line of an offset. */
  lineOf(offset: number): number;
}

/** Called for every node, outermost first, with the nodes around it (the nearest last). */
export type SyntaxVisitor = (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void;

/** A source file that does not parse. */
export class SourceSyntaxError extends Error {
  constructor(
    readonly path: string,
    readonly line: number,
    detail: string,
  ) {
    super(`${path}:${line} does not parse: ${detail}`);
  }
}

/** Whether a value is a node of a syntax tree. */
export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The nodes among the values of a field that holds a node, a list of nodes, or nothing. */
export function nodesOf(field: unknown): readonly SyntaxNode[] {
  return Array.isArray(field) ? field.filter(isSyntaxNode) : isSyntaxNode(field) ? [field] : [];
}

/** The text of a string literal. Undefined for every other node. */
export function literalText(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined;
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TSLiteralType") return literalText(node.literal);
  return undefined;
}

/** The name of an identifier or the text of a string key. Undefined for every other node. */
export function nameOf(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined;
  const isName = node.type === "Identifier" || node.type === "PrivateIdentifier";
  return isName && typeof node.name === "string" ? node.name : literalText(node);
}

/**
 * Parses a TypeScript file.
 * @throws SourceSyntaxError
 */
export function parseSource(path: string, text: string): SyntaxTree {
  const result = parseSync(path, text);
  const lineOf = createLineLookup(text);
  const error = result.errors[0];
  if (error !== undefined) {
    throw new SourceSyntaxError(path, lineOf(error.labels[0]?.start ?? 0), error.message);
  }
  const program: unknown = result.program;
  if (!isSyntaxNode(program)) throw new SourceSyntaxError(path, 1, "the parser returned no program");
  const comments = result.comments.map(({ start, end }) => ({
    start,
    text: text.slice(start, end).replace(/^\s*(?:\/?\*+\/?|\/\/)/gm, (marks) => marks.replace(/[^\n]/g, " ")),
  }));
  return { program, comments, lineOf };
}

/** Visits a node and everything below it. */
export function visitTree(node: SyntaxNode, visit: SyntaxVisitor, ancestors: readonly SyntaxNode[] = []): void {
  visit(node, ancestors);
  const inner = [...ancestors, node];
  for (const key of visitorKeys[node.type] ?? []) {
    for (const child of nodesOf(node[key])) visitTree(child, visit, inner);
  }
}

function createLineLookup(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
