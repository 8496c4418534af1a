import type { Expression, Program, Property, Statement } from "acorn";

/** The exports of a module, read from its text without executing it. */
export interface LiteralExports {
  /** The exports whose values are literals: texts, numbers, booleans, null, and lists and objects of them. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The other exports: their values need execution. */
  readonly computed: ReadonlySet<string>;
}

/**
 * Reads the exports of a TypeScript or JavaScript module from its text. Undefined if that is not possible: the text has a
 * syntax error, is no ES module, or exports everything of another module.
 */
export async function readLiteralExports(text: string, path: string): Promise<LiteralExports | undefined> {
  let code: string;
  try {
    // The parser knows JavaScript only. No step of this removes an export.
    code = new Bun.Transpiler({
      loader: /\.[cm]?ts$/.test(path) ? "ts" : "jsx",
      deadCodeElimination: false,
    }).transformSync(text);
  } catch {
    return undefined;
  }
  const program = await parseModule(code);
  if (program === undefined || program.body.some(({ type }) => type === "ExportAllDeclaration")) return undefined;
  const found = collectExports(program);
  const isEmpty = found.values.size + found.computed.size === 0;
  // CommonJS exports by executing.
  return isEmpty && /\b(?:module|exports)\b/.test(code) ? undefined : found;
}

/** The syntax tree of JavaScript; undefined if it has a syntax error. Loads the parser on its first call. */
export async function parseModule(code: string): Promise<Program | undefined> {
  return await parseJavaScript(code).catch(() => undefined);
}

/** The syntax tree of JavaScript. Loads the parser on its first call. @throws SyntaxError */
export async function parseJavaScript(code: string): Promise<Program> {
  const { parse } = await import("acorn");
  return parse(code, { ecmaVersion: "latest", sourceType: "module", allowReturnOutsideFunction: true });
}

/**
 * Where the first comment in the form of HTML is, `<!--` or `-->`. Scripts have such comments, and modules have none.
 * Undefined without one. @throws SyntaxError
 */
export async function findHtmlComment(code: string): Promise<number | undefined> {
  const { parse } = await import("acorn");
  const found: number[] = [];
  const onComment = (_isBlock: boolean, _text: string, start: number): void => {
    if (/^(?:<!--|-->)/.test(code.slice(start, start + 4))) found.push(start);
  };
  // What the inside of an asynchronous function allows, as which it is executed.
  const allowed = {
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowImportExportEverywhere: true,
  };
  parse(code, { ecmaVersion: "latest", sourceType: "script", onComment, ...allowed });
  return found[0];
}

function collectExports(program: Program): LiteralExports {
  const constants = new Map(program.body.flatMap((statement) => [...listConstants(statement)]));
  const values = new Map<string, unknown>();
  const computed = new Set<string>();
  for (const { name, value } of program.body.flatMap((statement) => listExports(statement, constants))) {
    const literal = value && readLiteral(value);
    if (literal) values.set(name, literal.value);
    else computed.add(name);
  }
  return { values, computed };
}

interface NamedExport {
  readonly name: string;
  /** Undefined if it is not a constant of this module. */
  readonly value: Expression | undefined;
}

function listExports(
  statement: Program["body"][number],
  constants: ReadonlyMap<string, Expression>,
): readonly NamedExport[] {
  if (statement.type === "ExportDefaultDeclaration") return [{ name: "default", value: undefined }];
  if (statement.type !== "ExportNamedDeclaration") return [];
  const { declaration, source, specifiers } = statement;
  const listed = specifiers.map(({ exported, local }) => ({
    name: nameOf(exported),
    value: source ? undefined : constants.get(nameOf(local)),
  }));
  if (declaration?.type !== "VariableDeclaration") {
    const name = declaration?.id?.name;
    return name === undefined ? listed : [...listed, { name, value: undefined }];
  }
  return declaration.declarations.flatMap(({ id }) =>
    // A pattern may give any name its value.
    id.type === "Identifier" ? [{ name: id.name, value: constants.get(id.name) }] : namesIn(id).map(unknownExport),
  );
}

function unknownExport(name: string): NamedExport {
  return { name, value: undefined };
}

/** Every identifier of a pattern, more than it binds at worst. */
function namesIn(pattern: unknown): readonly string[] {
  if (typeof pattern !== "object" || pattern === null) return [];
  if ("type" in pattern && pattern.type === "Identifier" && "name" in pattern) return [String(pattern.name)];
  return Object.values(pattern).flatMap(namesIn);
}

/** What a statement at the top level binds for good, by name: not `let`, which may change later. */
function listConstants(statement: Program["body"][number]): readonly (readonly [string, Expression])[] {
  const declaration: unknown = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  // The cast is true: both kinds of statement are nodes of a program, or nothing.
  const node = declaration as Statement | null | undefined;
  if (node?.type !== "VariableDeclaration" || node.kind !== "const") return [];
  return node.declarations.flatMap(({ id, init }) =>
    id.type === "Identifier" && init ? [[id.name, init] as const] : [],
  );
}

function nameOf(name: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return name.name ?? String(name.value);
}

/** The value of a literal, in an object because the value may be undefined itself. Undefined for any other expression. */
export function readLiteral(node: Expression): { readonly value: unknown } | undefined {
  switch (node.type) {
    case "Literal":
      return node.regex || typeof node.value === "bigint" ? undefined : { value: node.value };
    case "TemplateLiteral": {
      const [only] = node.quasis;
      return node.expressions.length === 0 && only ? { value: only.value.cooked } : undefined;
    }
    case "UnaryExpression": {
      const number = readLiteral(node.argument)?.value;
      if (typeof number !== "number" || (node.operator !== "-" && node.operator !== "+")) return undefined;
      return { value: node.operator === "-" ? -number : number };
    }
    case "ArrayExpression": {
      const entries = node.elements.map((entry) =>
        entry === null || entry.type === "SpreadElement" ? undefined : readLiteral(entry),
      );
      return entries.every((entry) => entry !== undefined) ? { value: entries.map(({ value }) => value) } : undefined;
    }
    case "ObjectExpression": {
      const entries = node.properties.map((property) =>
        property.type === "Property" ? readProperty(property) : undefined,
      );
      return entries.every((entry) => entry !== undefined) ? { value: Object.fromEntries(entries) } : undefined;
    }
    default:
      return undefined;
  }
}

function readProperty({ kind, computed, method, key, value }: Property): readonly [string, unknown] | undefined {
  if (kind !== "init" || computed || method) return undefined;
  const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : undefined;
  // In a literal, this key sets the prototype.
  if (name === undefined || name === "__proto__") return undefined;
  const literal = readLiteral(value);
  return literal && [name, literal.value];
}
