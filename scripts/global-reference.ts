import { isSyntaxNode, nameOf, nodesOf, type SyntaxNode } from "./syntax-tree.ts";

/** Fields with a name that is not resolved in the surrounding scopes, per type of the parent node. */
const PLAIN_NAME_FIELDS: { readonly [parentType: string]: readonly string[] } = {
  BreakStatement: ["label"],
  ContinueStatement: ["label"],
  ExportSpecifier: ["exported"],
  ImportSpecifier: ["imported"],
  LabeledStatement: ["label"],
  MemberExpression: ["property"],
  MetaProperty: ["meta", "property"],
  MethodDefinition: ["key"],
  Property: ["key"],
  PropertyDefinition: ["key"],
  TSEnumMember: ["id"],
  TSMethodSignature: ["key"],
  TSNamedTupleMember: ["label"],
  TSPropertySignature: ["key"],
  TSQualifiedName: ["right"],
  TSTypePredicate: ["parameterName"],
};

/**
 * The global object that a node reads, for example `process`: as a bare identifier that no surrounding scope declares,
 * or as a property of `globalThis`. Undefined when it reads none of `names`.
 */
export function globalReference(
  node: SyntaxNode,
  ancestors: readonly SyntaxNode[],
  names: readonly string[],
): string | undefined {
  if (node.type === "MemberExpression" && nameOf(node.object) === "globalThis") {
    const property = nameOf(node.property);
    return property !== undefined && names.includes(property) ? property : undefined;
  }
  if (node.type !== "Identifier") return undefined;
  const name = nameOf(node);
  if (name === undefined || !names.includes(name) || isPlainName(node, ancestors.at(-1))) return undefined;
  return ancestors.some((scope) => declaresName(scope, name)) ? undefined : name;
}

function isPlainName(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent === undefined || parent.computed === true) return false;
  return (PLAIN_NAME_FIELDS[parent.type] ?? []).some((field) => parent[field] === node);
}

function declaresName(scope: SyntaxNode, name: string): boolean {
  const statements = [...nodesOf(scope.body), ...nodesOf(scope.cases).flatMap((item) => nodesOf(item.consequent))];
  const declarations = [...statements, ...nodesOf(scope.init), ...nodesOf(scope.left)].map(withoutExport);
  const patterns = [
    ...nodesOf(scope.params),
    ...nodesOf(scope.param),
    ...declarations.flatMap((declaration) => declaredPatterns(declaration)),
  ];
  return patterns.some((pattern) => namesIn(pattern).includes(name));
}

function withoutExport(statement: SyntaxNode): SyntaxNode {
  return isSyntaxNode(statement.declaration) ? statement.declaration : statement;
}

function declaredPatterns(declaration: SyntaxNode): readonly SyntaxNode[] {
  switch (declaration.type) {
    case "VariableDeclaration":
      return nodesOf(declaration.declarations).flatMap((item) => nodesOf(item.id));
    case "ImportDeclaration":
      return nodesOf(declaration.specifiers).flatMap((item) => nodesOf(item.local));
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return nodesOf(declaration.id);
    default:
      return [];
  }
}

function namesIn(pattern: SyntaxNode): readonly string[] {
  switch (pattern.type) {
    case "Identifier":
      return [nameOf(pattern) ?? ""];
    case "ObjectPattern":
      return nodesOf(pattern.properties).flatMap(namesIn);
    case "ArrayPattern":
      return nodesOf(pattern.elements).flatMap(namesIn);
    case "Property":
      return nodesOf(pattern.value).flatMap(namesIn);
    case "RestElement":
      return nodesOf(pattern.argument).flatMap(namesIn);
    case "AssignmentPattern":
      return nodesOf(pattern.left).flatMap(namesIn);
    case "TSParameterProperty":
      return nodesOf(pattern.parameter).flatMap(namesIn);
    default:
      return [];
  }
}
