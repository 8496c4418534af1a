import type { Node, Program } from "acorn";

/** A node of a syntax tree, with the node around it and the field of that which has it. */
export interface PlacedNode {
  readonly node: Node;
  readonly around: PlacedNode | undefined;
  readonly field: string;
}

/** All nodes of a program. Without recursion: code may nest deeply. */
export function* walkScript(program: Program): Generator<PlacedNode> {
  const open: PlacedNode[] = [{ node: program, around: undefined, field: "" }];
  for (let placed = open.pop(); placed !== undefined; placed = open.pop()) {
    yield placed;
    const children: PlacedNode[] = [];
    for (const [field, value] of Object.entries(placed.node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) children.push({ node: child, around: placed, field });
      }
    }
    open.push(...children.reverse());
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Whether a node is only the name of a property. That of `{ name }` is also its value, which counts. */
export function isPropertyName({ around, field }: PlacedNode): boolean {
  if (around !== undefined && "computed" in around.node && around.node.computed === true) return false;
  return field === "property" || field === "key";
}

/** Reads a field of a node that is itself a node. */
export function nodeIn(node: Node, field: string): Node | undefined {
  // The cast is true: a node is an object with fields by name.
  const value = (node as unknown as Readonly<Record<string, unknown>>)[field];
  return isNode(value) ? value : undefined;
}

/** Reads a field of a node that is a list of nodes. */
export function nodesIn(node: Node, field: string): readonly Node[] {
  // The cast is true as above.
  const value = (node as unknown as Readonly<Record<string, unknown>>)[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier. */
export function identifierOf(node: Node | undefined): string | undefined {
  return node?.type === "Identifier" && "name" in node ? String(node.name) : undefined;
}

/** The value of a text literal, or of a template without values in it. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.type === "Literal" && "value" in node && typeof node.value === "string") return node.value;
  if (node?.type !== "TemplateLiteral") return undefined;
  const [only, ...others] = nodesIn(node, "quasis");
  if (only === undefined || others.length > 0) return undefined;
  const { value } = only as unknown as { readonly value: { readonly cooked?: string } };
  return value.cooked;
}
