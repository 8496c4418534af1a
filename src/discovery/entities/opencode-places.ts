import { dirname, join, relative } from "node:path";
import { describeUnreadable, isMissing } from "../unreadable-file.ts";
import { openCodeFolders } from "./entity-folders.ts";
import type { EntityPlace, EntityPlacesOptions } from "./entity-place.ts";
import { createConfigExpander } from "./expand-config-text.ts";
import { parseOpenCodeConfig } from "./parse-opencode-config.ts";
import { projectDirectoriesOf } from "./project-directories.ts";
import { readText } from "./read-text.ts";

/** OpenCode's names of a configuration, of which a later one overrides those before it. */
const CONFIG_NAMES = ["opencode.json", "opencode.jsonc"];

/** The configurations of OpenCode in a project or of the user. */
export function openCodeConfigs(options: EntityPlacesOptions, location: "project" | "user"): readonly EntityPlace[] {
  const { homeDirectory, xdgConfigDirectory = join(homeDirectory, ".config") } = options;
  const project = projectDirectoriesOf(options).flatMap((folder) => [folder, join(folder, ".opencode")]);
  const user = [join(xdgConfigDirectory, "opencode"), join(homeDirectory, ".opencode")];
  const folders = location === "project" ? project : user;
  const names = ["opencode.jsonc", "opencode.json", ...(location === "user" ? ["config.json"] : [])];
  return folders.flatMap((folder) => names.map((name) => configPlace(join(folder, name), { options, location })));
}

function configPlace(
  path: string,
  { options, location }: { readonly options: EntityPlacesOptions; readonly location: "project" | "user" },
): EntityPlace {
  const { projectDirectory, homeDirectory, isTrusted = false, env = {} } = options;
  const bounds = location === "project" && !isTrusted ? { onlyWithin: projectDirectory } : {};
  return {
    provider: "opencode",
    location,
    types: ["agent", "command"],
    path,
    kind: "file",
    roots: [],
    async read() {
      try {
        const isUntrusted = location === "project" && options.isTrusted === false;
        const { text, problems } = await readText(path);
        const expand = createConfigExpander({ folder: dirname(path), homeDirectory, env, ...bounds });
        const folder = location === "project" ? folderOf(path, projectDirectory) : {};
        const parsed = await parseOpenCodeConfig(text, { path, location, ...folder, isUntrusted, expand });
        return { ...parsed, problems: [...problems, ...parsed.problems] };
      } catch (error) {
        return { entities: [], problems: isMissing(error) ? [] : [describeUnreadable(path, error)] };
      }
    },
  };
}

/** The folder of a project that a configuration is for, relative to the root; nothing for the root. */
function folderOf(path: string, projectDirectory: string): { readonly folder?: string } {
  const folder = relative(projectDirectory, dirname(path)).replace(/(?:^|\/)\.opencode$/, "");
  return folder === "" ? {} : { folder };
}

/**
 * The files and folders of OpenCode's definitions in the order in which OpenCode applies them: of two that set the same, the
 * later one counts. Pure.
 */
export function openCodeOrder(options: EntityPlacesOptions): readonly string[] {
  const { homeDirectory, atomicHome = join(homeDirectory, ".atomic") } = options;
  const { xdgConfigDirectory = join(homeDirectory, ".config") } = options;
  const project = projectDirectoriesOf(options);
  const configs = (folder: string): readonly string[] => CONFIG_NAMES.map((name) => join(folder, name));
  const folders = (root: string): readonly string[] => openCodeFolders(root).map(({ path }) => path);
  const user = join(xdgConfigDirectory, "opencode");
  return [
    ...folders(join(atomicHome, ".opencode")),
    join(user, "config.json"),
    ...configs(user),
    ...project.toReversed().flatMap(configs),
    ...folders(user),
    // Of these OpenCode applies the outermost last.
    ...[...project, homeDirectory].flatMap((folder) => {
      const root = join(folder, ".opencode");
      return [...configs(root), ...folders(root)];
    }),
  ];
}
