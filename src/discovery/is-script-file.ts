import type { Program } from "acorn";
import { readBoundedFile } from "./read-bounded-file.ts";

/** A script has it somewhere, so most modules need no parsing. */
const META = /\bexport\s+const\s+meta\b/;

/**
 * Whether a `.js` file in a folder of workflow modules is a workflow script: its first statement is the export `meta`, and it
 * neither imports nor exports anything else. A text with the export that is not JavaScript counts as a script, because scripts are
 * not imported. Must not throw.
 */
export async function isScriptFile(path: string): Promise<boolean> {
  if (!path.endsWith(".js")) return false;
  const text = await readBoundedFile(path).catch(() => "");
  if (!META.test(text)) return false;
  const { parse } = await import("acorn");
  try {
    return isScript(parse(text, { ecmaVersion: "latest", sourceType: "module", allowReturnOutsideFunction: true }));
  } catch {
    return true;
  }
}

/** Whether a program begins with the export `meta`, and neither imports nor exports anything else. */
export function isScript({ body: [first, ...others] }: Program): boolean {
  if (first?.type !== "ExportNamedDeclaration" || first.declaration?.type !== "VariableDeclaration") return false;
  const [meta, ...more] = first.declaration.declarations;
  if (meta?.id.type !== "Identifier" || meta.id.name !== "meta" || more.length > 0) return false;
  return !others.some(({ type }) => type.startsWith("Export") || type === "ImportDeclaration");
}
