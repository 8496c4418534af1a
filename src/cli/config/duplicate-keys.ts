import type { Node } from "jsonc-parser";

/** A key that an object has more than once. */
export interface DuplicateKey {
  readonly path: readonly PropertyKey[];
  /** The line of one that has no effect, from 1. */
  readonly line: number;
  /** The line of the last one, which counts. */
  readonly lastLine: number;
}

/** The node at a place of a parsed text; of equal keys the last, as in the value. */
export function lastNodeAt(root: Node, path: readonly PropertyKey[]): Node | undefined {
  let node: Node | undefined = root;
  for (const part of path) {
    if (node?.type === "array") node = node.children?.[Number(part)];
    else node = node?.children?.findLast((property) => nameOf(property) === String(part))?.children?.[1];
  }
  return node;
}

/** Every key that a later one of the same object overrides, in the order of the text. */
export function findDuplicateKeys(root: Node, lineAt: (offset: number) => number): readonly DuplicateKey[] {
  return overriddenProperties(root).map(({ property, last, path }) => ({
    path,
    line: lineAt(property.offset),
    lastLine: lineAt(last.offset),
  }));
}

/** A property without effect, and the later one that counts. */
export interface OverriddenProperty {
  readonly property: Node;
  readonly last: Node;
  readonly path: readonly PropertyKey[];
}

/** Every property that a later one of the same object overrides, in the order of the text. */
export function overriddenProperties(node: Node, path: readonly PropertyKey[] = []): readonly OverriddenProperty[] {
  const children = node.children ?? [];
  if (node.type === "array") return children.flatMap((child, index) => overriddenProperties(child, [...path, index]));
  if (node.type !== "object") return [];
  const lasts = new Map(children.map((property) => [nameOf(property), property]));
  return children.flatMap((property) => {
    const name = nameOf(property);
    const last = lasts.get(name) ?? property;
    // What is in a property without effect has none, either.
    if (last !== property) return [{ property, last, path: [...path, name] }];
    const value = property.children?.[1];
    return value === undefined ? [] : overriddenProperties(value, [...path, name]);
  });
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value);
}
