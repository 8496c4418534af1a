import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { DiscoveryProblem, UserHook } from "../../contracts/index.ts";
import { readBoundedFile } from "../../system/index.ts";
import { describeUnreadable, isMissing } from "../unreadable-file.ts";
import { type HookFilePlace, type ParsedHooks, parseClaudeHooks } from "./parse-claude-hooks.ts";
import { parseCopilotHooks } from "./parse-copilot-hooks.ts";

/** Folders with hooks. */
export interface HookFolders {
  /** The root of the project. */
  readonly projectDirectory: string;
  readonly userHomeDirectory: string;
  /** The user's environment: `CLAUDE_CONFIG_DIR`, `COPILOT_HOME` and `XDG_CONFIG_HOME` move the user's files. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default both */
  readonly sources?: ReadonlySet<UserHook["source"]>;
  /** Whether commands are for Windows. @default false */
  readonly isWindows?: boolean;
}

/** What was found in files of hooks. */
export interface FoundHooks {
  /** The user's before the project's; Claude Code's, then Copilot's, then OpenCode's; in the order of their files. */
  readonly hooks: readonly UserHook[];
  /** What does not run, and why. */
  readonly problems: readonly DiscoveryProblem[];
}

/** What was found in the files of the user, or the project. */
interface FoundInPlaces extends FoundHooks {
  /** Whether settings of Claude Code turn off all its hooks. */
  readonly disablesClaude: boolean;
}

/** The extensions of modules that OpenCode loads. */
const PLUGIN_EXTENSIONS: ReadonlySet<string> = new Set([".ts", ".js"]);

/** Where the user's or the project's hooks are. */
interface HookPlaces {
  readonly claudeFiles: readonly string[];
  readonly copilotFolder: string;
  readonly pluginFolders: readonly string[];
}

/**
 * Reads the hooks that a user and a project have for Claude Code, Copilot and OpenCode. Runs nothing: the caller decides
 * whether the project's may run. A broken file is a problem and does not affect the others. Must not throw.
 */
export async function readHookFiles(folders: HookFolders): Promise<FoundHooks> {
  const { sources = new Set(["user", "project"]) } = folders;
  const found: FoundInPlaces[] = [];
  for (const source of ["user", "project"] as const) {
    // Files directly in the home folder are the user's own.
    const isHome = source === "project" && folders.projectDirectory === folders.userHomeDirectory;
    if (sources.has(source) && !isHome) found.push(await readPlaces(placesOf(source, folders), source, folders));
  }
  const isClaudeOff = found.some(({ disablesClaude }) => disablesClaude);
  return {
    hooks: found.flatMap(({ hooks }) => hooks).filter(({ vendor }) => vendor !== "claude" || !isClaudeOff),
    problems: found.flatMap(({ problems }) => problems),
  };
}

function placesOf(
  source: UserHook["source"],
  { projectDirectory, userHomeDirectory: home, env = {} }: HookFolders,
): HookPlaces {
  if (source === "project") {
    const settings = ["settings.json", "settings.local.json"];
    return {
      claudeFiles: settings.map((name) => join(projectDirectory, ".claude", name)),
      copilotFolder: join(projectDirectory, ".github", "hooks"),
      pluginFolders: ["plugin", "plugins"].map((name) => join(projectDirectory, ".opencode", name)),
    };
  }
  const config = join(filled(env.XDG_CONFIG_HOME) ?? join(home, ".config"), "opencode");
  return {
    claudeFiles: [join(filled(env.CLAUDE_CONFIG_DIR) ?? join(home, ".claude"), "settings.json")],
    copilotFolder: join(filled(env.COPILOT_HOME) ?? join(home, ".copilot"), "hooks"),
    pluginFolders: ["plugin", "plugins"].map((name) => join(config, name)),
  };
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

async function readPlaces(
  { claudeFiles, copilotFolder, pluginFolders }: HookPlaces,
  source: UserHook["source"],
  { isWindows = false }: HookFolders,
): Promise<FoundInPlaces> {
  const problems: DiscoveryProblem[] = [];
  const copilotFiles = (await listFiles(copilotFolder, problems)).filter((name) => extname(name) === ".json");
  const parsed = [
    ...(await Promise.all(claudeFiles.map((path) => readFile({ path, source }, parseClaudeHooks)))),
    ...(await Promise.all(
      copilotFiles.map((path) =>
        readFile({ path, source }, (text, place) => parseCopilotHooks(text, { ...place, isWindows })),
      ),
    )),
  ];
  const plugins = (await Promise.all(pluginFolders.map((folder) => listFiles(folder, problems)))).flat();
  return {
    hooks: [
      ...parsed.flatMap(({ hooks }) => hooks),
      ...plugins
        .filter((path) => PLUGIN_EXTENSIONS.has(extname(path)) && !path.endsWith(".d.ts"))
        .map((filePath) => ({ type: "plugin", vendor: "opencode", source, filePath }) as const),
    ],
    problems: [...problems, ...parsed.flatMap(({ problems: found }) => found)],
    disablesClaude: parsed.some(({ disablesAll = false }) => disablesAll),
  };
}

/** The paths in a folder, in the order of their names; empty if there is none. */
async function listFiles(folder: string, problems: DiscoveryProblem[]): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort().map((name) => join(folder, name));
  } catch (error) {
    if (!isMissing(error)) problems.push(describeUnreadable(folder, error));
    return [];
  }
}

async function readFile(
  place: HookFilePlace,
  parse: (text: string, place: HookFilePlace) => ParsedHooks,
): Promise<ParsedHooks> {
  try {
    return parse(await readBoundedFile(place.path), place);
  } catch (error) {
    return isMissing(error)
      ? { hooks: [], problems: [] }
      : { hooks: [], problems: [describeUnreadable(place.path, error)] };
  }
}
