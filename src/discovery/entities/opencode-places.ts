import { dirname, join, relative } from "node:path";
import { describeUnreadable, isMissing } from "../unreadable-file.ts";
import type { EntityPlace, EntityPlacesOptions } from "./entity-place.ts";
import { createConfigExpander } from "./expand-config-text.ts";
import { parseOpenCodeConfig } from "./parse-opencode-config.ts";
import { projectDirectoriesOf } from "./project-directories.ts";
import { type ReadText, readText } from "./read-text.ts";

/** A configuration of OpenCode. */
export interface OpenCodeConfig extends EntityPlace {
  /** Reads the file once, for all that it defines. @throws the errors of {@link readText} */
  loadText(): Promise<ReadText>;
}

/** The configurations of OpenCode in a project or of the user. */
export function openCodeConfigs(options: EntityPlacesOptions, location: "project" | "user"): readonly OpenCodeConfig[] {
  const { homeDirectory, xdgConfigDirectory = join(homeDirectory, ".config") } = options;
  const folders =
    location === "project"
      ? projectDirectoriesOf(options).flatMap((folder) => [folder, join(folder, ".opencode")])
      : [join(xdgConfigDirectory, "opencode"), join(homeDirectory, ".opencode")];
  const names = ["opencode.jsonc", "opencode.json", ...(location === "user" ? ["config.json"] : [])];
  return folders.flatMap((folder) => names.map((name) => configPlace(join(folder, name), { options, location })));
}

function configPlace(
  path: string,
  { options, location }: { readonly options: EntityPlacesOptions; readonly location: "project" | "user" },
): OpenCodeConfig {
  const { projectDirectory, homeDirectory, isTrusted = false, env = {} } = options;
  const bounds = location === "project" && !isTrusted ? { onlyWithin: projectDirectory } : {};
  let reading: Promise<ReadText> | undefined;
  const loadText = (): Promise<ReadText> => {
    reading ??= readText(path);
    return reading;
  };
  return {
    provider: "opencode",
    location,
    types: ["agent", "command"],
    path,
    kind: "file",
    roots: [],
    loadText,
    async read() {
      try {
        const isUntrusted = location === "project" && options.isTrusted === false;
        const { text, problems } = await loadText();
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

/** Places in the order in which OpenCode applies them: of two that set the same, the later one counts. */
export function inOpenCodeOrder(places: readonly EntityPlace[], options: EntityPlacesOptions): readonly EntityPlace[] {
  const { homeDirectory, atomicHome = join(homeDirectory, ".atomic") } = options;
  const { xdgConfigDirectory = join(homeDirectory, ".config") } = options;
  const project = projectDirectoriesOf(options);
  const user = join(xdgConfigDirectory, "opencode");
  const steps = [
    `folder ${join(atomicHome, ".opencode")}`,
    `file ${user}`,
    ...project.toReversed().map((folder) => `file ${folder}`),
    `folder ${user}`,
    // Of these OpenCode applies the outermost last.
    ...[...project, homeDirectory].flatMap((folder) => ["file", "folder"].map((kind) => `${kind} ${folder}/.opencode`)),
  ];
  const ranks = new Map(steps.map((step, rank) => [step, rank]));
  const rankOf = ({ kind, path }: EntityPlace): number => ranks.get(`${kind} ${dirname(path)}`) ?? -1;
  // Of a folder's configurations, the first one has precedence, and is applied last.
  const files = places.filter(({ kind }) => kind === "file").toReversed();
  const folders = places.filter(({ kind }) => kind === "folder");
  return [...files, ...folders].toSorted((left, right) => rankOf(left) - rankOf(right));
}
