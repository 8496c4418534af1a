import type { Program, VariableDeclarator } from "acorn";
import { readBoundedFile } from "../system/index.ts";
import { parseModule } from "./metadata/read-literal-exports.ts";

/** A script has it somewhere, so most other files need no parsing. */
export function mentionsMeta(text: string): boolean {
  return /\bexport\s+const\s+meta\b/.test(text);
}

/** The declaration of `meta`, if the first statement of a program exports it. */
export function metaOf({ body: [first] }: Program): VariableDeclarator | undefined {
  const declared = first?.type === "ExportNamedDeclaration" ? first.declaration : undefined;
  const meta = declared?.type === "VariableDeclaration" ? declared.declarations[0] : undefined;
  return meta?.id.type === "Identifier" && meta.id.name === "meta" ? meta : undefined;
}

/** Whether a program begins with the export `meta`, and neither imports nor exports anything else. */
export function isScript(program: Program): boolean {
  const [first, ...others] = program.body;
  if (metaOf(program) === undefined) return false;
  const names = first?.type === "ExportNamedDeclaration" ? first.declaration : undefined;
  if (names?.type === "VariableDeclaration" && names.declarations.length > 1) return false;
  return !others.some(({ type }) => type.startsWith("Export") || type === "ImportDeclaration");
}

/**
 * Whether a `.js` file in a folder of workflow modules is a workflow script: its first statement is the export `meta`, and it
 * neither imports nor exports anything else. A text with the export that is not JavaScript counts as a script, because scripts are
 * not imported. Must not throw.
 */
export async function isScriptFile(path: string): Promise<boolean> {
  if (!path.endsWith(".js")) return false;
  const text = await readBoundedFile(path).catch(() => "");
  if (!mentionsMeta(text)) return false;
  const program = await parseModule(text);
  return program === undefined || isScript(program);
}
