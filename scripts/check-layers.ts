import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { CheckOutcome } from "./check-outcome.ts";
import { checkLayers, formatLayerViolation } from "./layer-rules.ts";
import { LAYER_TABLE } from "./layer-table.ts";
import { parseSourceFacts, type SourceFacts } from "./source-facts.ts";

/** Checks the imports of everything below `src/` of a repository against layers.json. */
export async function checkLayersOf(root: string): Promise<CheckOutcome> {
  const violations = checkLayers(await loadSources(root, ["src"]), LAYER_TABLE);
  return { problems: violations.map((violation) => formatLayerViolation(violation, LAYER_TABLE)) };
}

/**
 * Reads and parses every TypeScript file below some folders of a repository, in alphabetical order.
 * @throws SourceSyntaxError
 */
async function loadSources(root: string, folders: readonly string[]): Promise<readonly SourceFacts[]> {
  const paths = (await Promise.all(folders.map((folder) => listTypeScriptFiles(join(root, folder))))).flat().sort();
  return Promise.all(
    paths.map(async (path) => {
      const shown = relative(root, path).split(sep).join("/");
      return parseSourceFacts(shown, await readFile(path, "utf8"));
    }),
  );
}

async function listTypeScriptFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
