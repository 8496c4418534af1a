import type { Node } from "jsonc-parser";
import { lastNodeAt, overriddenProperties } from "./duplicate-keys.ts";

/** What follows a property on its line: a comma and a comment. */
const REST_OF_LINE = /^(?:[^\S\n]*,)?[^\S\n]*(?:\/\*[^\n]*?\*\/|\/\/[^\n]*)(?:[^\S\n]*,)?/;

const FORMAT = { insertSpaces: true, tabSize: 2, eol: "\n" };

/**
 * The text of a JSON file with another value at a place. Comments, the order and the format of the rest stay; a comment on the
 * line of a property stays on that line. Of equal keys the last is changed, which is the one that counts. Pure.
 *
 * @param value `undefined` removes the property, and all of its name
 */
export async function editJsonc(text: string, path: readonly (string | number)[], value: unknown): Promise<string> {
  const jsonc = await import("jsonc-parser");
  const parse = (source: string): Node | undefined => jsonc.parseTree(source, [], { allowTrailingComma: true });
  const { masked, unmask } = maskOverridden(text, parse(text));
  const changed = unmask(editUnique(masked, { path, value, jsonc, root: parse(masked) }));
  const after = changed.endsWith("\n") ? changed : `${changed}\n`;
  const root = value === undefined && after !== text ? parse(after) : undefined;
  // What was removed may have hidden an earlier one of the same name.
  return root && lastNodeAt(root, path) !== undefined && typeof path.at(-1) === "string"
    ? await editJsonc(after, path, value)
    : after;
}

interface Edit {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly jsonc: typeof import("jsonc-parser");
  readonly root: Node | undefined;
}

/** As {@link editJsonc}, where no object has a key twice. */
function editUnique(text: string, { path, value, jsonc, root }: Edit): string {
  const removed = value === undefined && root !== undefined ? findProperty(root, path) : undefined;
  const added = value === undefined || root === undefined ? undefined : findAddition(root, path, value);
  return (
    (removed && removeProperty(text, removed)) ??
    (added && insertAfterComment(text, added)) ??
    jsonc.applyEdits(text, jsonc.modify(text, [...path], value, { formattingOptions: FORMAT }))
  );
}

/** Renames keys without effect for a while, because jsonc-parser finds the first of equal keys. */
function maskOverridden(
  text: string,
  root: Node | undefined,
): { readonly masked: string; readonly unmask: (changed: string) => string } {
  const keys = (root === undefined ? [] : overriddenProperties(root)).flatMap(({ property }) => {
    const key = property.children?.[0];
    return key === undefined ? [] : [{ key, raw: text.slice(key.offset, key.offset + key.length) }];
  });
  const nameAt = (index: number): string => `"\uE000${index}\uE000"`;
  const masked = keys.reduceRight(
    (rest, { key }, index) => rest.slice(0, key.offset) + nameAt(index) + rest.slice(key.offset + key.length),
    text,
  );
  const unmask = (changed: string): string =>
    keys.reduce((rest, { raw }, index) => rest.replace(nameAt(index), () => raw), changed);
  return { masked, unmask };
}

/** A property to add to an object that has others. */
interface Addition {
  /** The last property of the object. */
  readonly last: Node;
  readonly name: string;
  readonly value: unknown;
}

/** Undefined if the place exists already, or is in an empty object, or in none. */
function findAddition(root: Node, path: readonly (string | number)[], value: unknown): Addition | undefined {
  let node: Node | undefined = root;
  for (const [index, part] of path.entries()) {
    if (typeof part === "number" || node?.type !== "object") return undefined;
    const property: Node | undefined = node.children?.find((child) => child.children?.[0]?.value === part);
    if (property === undefined) {
      const last = node.children?.at(-1);
      const rest = path.slice(index + 1);
      if (last === undefined || rest.some((one) => typeof one === "number")) return undefined;
      return { last, name: part, value: rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) };
    }
    node = property.children?.[1];
  }
  return undefined;
}

/** A property to remove, and the one before it. */
interface Removal {
  readonly property: Node;
  readonly previous: Node | undefined;
}

/** Undefined if the place is no property, but an element of a list or nothing. */
function findProperty(root: Node, path: readonly (string | number)[]): Removal | undefined {
  let node: Node | undefined = root;
  let found: Removal | undefined;
  for (const part of path) {
    const children: readonly Node[] = node?.children ?? [];
    const index = typeof part === "number" ? part : children.findIndex((child) => child.children?.[0]?.value === part);
    const child: Node | undefined = children[index];
    const isProperty = child?.type === "property";
    found = child !== undefined && isProperty ? { property: child, previous: children[index - 1] } : undefined;
    node = isProperty ? child.children?.[1] : child;
  }
  return found;
}

/** Removes a property with one comma, and its lines if nothing else is on them. */
function removeProperty(text: string, { property, previous }: Removal): string {
  const end = property.offset + property.length;
  const comma = /^\s*,/.exec(text.slice(end))?.[0].length ?? 0;
  const isAlone = /^[^\S\n]*\n/.exec(text.slice(end + comma));
  const lead = /\n[^\S\n]*$/.exec(text.slice(0, property.offset));
  const from = isAlone !== null && lead !== null ? property.offset - lead[0].length : property.offset;
  const before =
    comma > 0 || previous === undefined ? text.slice(0, from) : withoutComma(text.slice(0, from), previous);
  return before + text.slice(end + comma);
}

/** Without the comma after a property, which may have comments before it. */
function withoutComma(text: string, { offset, length }: Node): string {
  const end = offset + length;
  const gap = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*)*(?=,)/.exec(text.slice(end))?.[0].length;
  return gap === undefined ? text : text.slice(0, end + gap) + text.slice(end + gap + 1);
}

/** Undefined where no comment follows on the line of the last property. */
function insertAfterComment(text: string, { last, name, value }: Addition): string | undefined {
  const end = last.offset + last.length;
  const rest = REST_OF_LINE.exec(text.slice(end))?.[0];
  if (rest === undefined) return undefined;
  const hasComma = /^\s*,/.test(rest) || rest.endsWith(",");
  const indent = /^[^\S\n]*/.exec(text.slice(text.lastIndexOf("\n", last.offset) + 1))?.[0] ?? "";
  const json = JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${indent}`);
  const property = `\n${indent}${JSON.stringify(name)}: ${json}${hasComma ? "," : ""}`;
  return `${text.slice(0, end)}${hasComma ? "" : ","}${rest}${property}${text.slice(end + rest.length)}`;
}
