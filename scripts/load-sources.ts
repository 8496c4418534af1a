import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { parseSourceFacts, type SourceFacts } from "./source-facts.ts";

/**
 * Reads and parses every TypeScript file below some folders of a repository, in alphabetical order.
 * @throws SourceSyntaxError
 */
export async function loadSources(root: string, folders: readonly string[]): Promise<readonly SourceFacts[]> {
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
