import { readBoundedFile } from "./read-bounded-file.ts";

/** Comments, and then the first statement of a workflow script. */
const META = /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*export\s+const\s+meta\b/;

/** What only a module has. */
const MODULE = /^[ \t]*(?:import\b(?!\s*\()|export\s+(?:default\b|\{|\*))/m;

/**
 * Whether a `.js` file in a folder of workflow modules is a workflow script: its first statement is the export `meta`, and it
 * is no module otherwise. Must not throw.
 */
export async function isScriptFile(path: string): Promise<boolean> {
  if (!path.endsWith(".js")) return false;
  const text = await readBoundedFile(path).catch(() => "");
  return META.test(text) && !MODULE.test(text);
}
