import { globalReference } from "./global-reference.ts";
import { isSyntaxNode, literalText, nameOf, nodesOf, parseSource, type SyntaxNode, visitTree } from "./syntax-tree.ts";

/** Something found on a line. */
export interface Finding {
  readonly line: number;
  /** The module's name for an import, the expression for a use of a global. */
  readonly text: string;
}

/** An import or re-export of a module. */
export interface ImportFinding extends Finding {
  /** The names it takes, as the module calls them; undefined when it takes the whole module. */
  readonly names: readonly string[] | undefined;
}

/** What the checks need to know about a source file. */
export interface SourceFacts {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  /** Imports and re-exports of every kind, `import type` and `import("…")` included, in the order of their lines. */
  readonly imports: readonly ImportFinding[];
  /** Uses of `process` other than `process.kill`, and of `Bun.env`, `Bun.argv`, `Bun.main`, `Bun.cwd`, `import.meta.env`. */
  readonly processUses: readonly Finding[];
  /** Reads of the global `Bun`. */
  readonly bunUses: readonly Finding[];
  /** Names declared with `let` or `var` at the top of the module. */
  readonly moduleLets: readonly Finding[];
}

const BUN_PROCESS_FIELDS = ["argv", "cwd", "env", "main"];

/**
 * Reads the facts out of a file's text.
 * @throws SourceSyntaxError
 */
export function parseSourceFacts(path: string, text: string): SourceFacts {
  const { program, lineOf } = parseSource(path, text);
  const imports: ImportFinding[] = [];
  const processUses: Finding[] = [];
  const bunUses: Finding[] = [];
  visitTree(program, (node, ancestors) => {
    const line = lineOf(node.start);
    const specifier = importedModule(node);
    if (specifier !== undefined) imports.push({ line, text: specifier, names: importedNames(node) });
    const processUse = readOfProcess(node, ancestors);
    if (processUse !== undefined) processUses.push({ line, text: processUse });
    if (globalReference(node, ancestors, ["Bun"]) !== undefined) bunUses.push({ line, text: "Bun" });
  });
  return { path, imports, processUses, bunUses, moduleLets: findModuleLets(program, lineOf) };
}

function importedModule(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return literalText(node.source);
    case "TSExternalModuleReference":
      return literalText(node.expression);
    case "CallExpression":
      return nameOf(node.callee) === "require" ? literalText(nodesOf(node.arguments)[0]) : undefined;
    default:
      return undefined;
  }
}

function importedNames(node: SyntaxNode): readonly string[] | undefined {
  const specifiers = nodesOf(node.specifiers);
  const names = specifiers.map((specifier) => nameOf(specifier.imported) ?? "");
  return specifiers.length === 0 || names.includes("") ? undefined : names;
}

function readOfProcess(node: SyntaxNode, ancestors: readonly SyntaxNode[]): string | undefined {
  if (globalReference(node, ancestors, ["process"]) !== undefined) {
    return nameOf(ancestors.at(-1)?.property) === "kill" ? undefined : "process";
  }
  if (node.type !== "MemberExpression" || !isSyntaxNode(node.object)) return undefined;
  const property = nameOf(node.property) ?? "";
  if (node.object.type === "MetaProperty") return property === "env" ? "import.meta.env" : undefined;
  const isBun = globalReference(node.object, [...ancestors, node], ["Bun"]) !== undefined;
  return isBun && BUN_PROCESS_FIELDS.includes(property) ? `Bun.${property}` : undefined;
}

function findModuleLets(program: SyntaxNode, lineOf: (offset: number) => number): readonly Finding[] {
  return nodesOf(program.body)
    .map((statement) => (isSyntaxNode(statement.declaration) ? statement.declaration : statement))
    .filter((statement) => statement.type === "VariableDeclaration" && ["let", "var"].includes(String(statement.kind)))
    .filter((statement) => statement.declare !== true)
    .flatMap((statement) => nodesOf(statement.declarations))
    .map((declarator) => ({ line: lineOf(declarator.start), text: nameOf(declarator.id) ?? "a pattern" }));
}
