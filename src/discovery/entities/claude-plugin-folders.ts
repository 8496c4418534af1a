import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type DiscoveryProblem, isRecord, stringOf } from "../../contracts/index.ts";
import { claudeFolders, type EntityFolder } from "./entity-folders.ts";

type Declaration = Readonly<Record<string, unknown>>;

/** Where a plugin of Claude Code says what it has. */
export interface PluginDeclarations {
  /** Absolute, without a slash at the end. */
  readonly directory: string;
  /** The plugin's `plugin.json`. */
  readonly manifest: Declaration;
  /** The plugin's entry in its marketplace. */
  readonly entry: Declaration;
}

/** The field with more folders or files of each type. */
const FIELDS = { agent: "agents", command: "commands", skill: "skills", instructions: "" } as const;

/**
 * The folders and files of a plugin's definitions. As in Claude Code, `agents` and `commands` of the manifest take the place
 * of the folders of these names, and all else is added. Must not throw.
 */
export async function listPluginFolders(
  { directory, manifest, entry }: PluginDeclarations,
  problems: DiscoveryProblem[],
): Promise<readonly EntityFolder[]> {
  const folders: EntityFolder[] = [];
  for (const standard of claudeFolders(directory)) {
    const folder: EntityFolder = standard.type === "agent" ? { ...standard, separator: ":" } : standard;
    const field = FIELDS[folder.type];
    if (folder.type === "skill" || manifest[field] === undefined) folders.push(folder);
    for (const named of [...pathsOf(manifest[field]), ...pathsOf(entry[field])]) {
      const path = join(directory, named.path);
      if (await exists(path)) folders.push(folderAt(path, { folder, name: named.name }));
      else problems.push(missing(directory, field, named.path));
    }
  }
  return folders;
}

interface NamedPath {
  readonly path: string;
  /** The name of the definition, if it is not that of the file. */
  readonly name?: string;
}

/** One path, several, or an object of names with a `source`. Nothing leads out of the plugin. */
function pathsOf(value: unknown): readonly NamedPath[] {
  const named: readonly NamedPath[] = isRecord(value)
    ? Object.entries(value).map(([name, each]) => ({ name, path: isRecord(each) ? stringOf(each.source) : "" }))
    : [value].flat().map((path) => ({ path: stringOf(path) }));
  return named.filter(({ path }) => path !== "" && !path.split("/").includes(".."));
}

function folderAt(
  path: string,
  { folder, name }: { readonly folder: EntityFolder; readonly name: string | undefined },
): EntityFolder {
  if (!path.endsWith(".md")) return { ...folder, path };
  const only = { file: basename(path), ...(name === undefined ? {} : { name }) };
  return { ...folder, path: dirname(path), only };
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

function missing(directory: string, field: string, path: string): DiscoveryProblem {
  const message = `The plugin names "${path}" as its ${field}, which does not exist`;
  return { path: directory, message, remedy: "Install the plugin again with Claude Code.", severity: "warning" };
}
