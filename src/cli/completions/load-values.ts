import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isRecord, PERMISSION_EFFECTS, TOOL_KINDS } from "../../contracts/index.ts";
import { findProject, readBoundedFile, realPathOf } from "../../discovery/trust-kit.ts";
import { AGENT_TYPES } from "../agents/agent-types.ts";
import { CONFIG_NAMES } from "../config/config-file.ts";
import { parseJsonc } from "../config/parse-jsonc.ts";
import { type CliEnvironment, findAtomicHome } from "../environment.ts";
import { SHELLS } from "./completion-script.ts";
import type { Completion, CompletionPlace } from "./find-completions.ts";

/** The values of a place. */
export interface PlaceValues {
  readonly words: readonly Completion[];
  /** Whether a file may be there, too. */
  readonly isFile: boolean;
}

/** The built-in workflows. */
export const BUILT_IN_WORKFLOWS = ["ralph", "atomic", "review", "write"] as const;

/** How many runs are read, the newest. */
const MAX_RUNS = 50;

/** Names that need no quotes in any shell. Others are not offered: a file's name may be anything. */
const PLAIN = /^[\w@./+-][\w@./+=-]*$/;

const FILE_PLACES: ReadonlySet<string> = new Set([
  ...["--file", "--image", "--schema", "--answers", "--record", "--replay", "--output", "--path"],
  ...["path", "folder", "file", "files"],
]);

const FIXED: Readonly<Record<string, readonly string[]>> = {
  "--effort": ["none", "low", "medium", "high", "max"],
  "--status": ["running", "waiting", "pausing", "paused", "completed", "failed", "cancelled", "interrupted"],
  "--kind": TOOL_KINDS,
  "--allow": TOOL_KINDS,
  "--deny": TOOL_KINDS,
  effect: PERMISSION_EFFECTS,
  shell: SHELLS,
};

const RUN_PLACES: ReadonlySet<string> = new Set(["run", "runs", "first", "second", "--resume"]);

/** The values that belong at a place. Reads names of files only; runs no code of the project, and prints nothing. */
export async function loadValues(environment: CliEnvironment, place: CompletionPlace): Promise<PlaceValues> {
  const { name, commands, before } = place;
  const folders = foldersOf(environment);
  const fixed = Object.hasOwn(FIXED, name) ? FIXED[name] : undefined;
  if (fixed !== undefined) return wordsOf(fixed);
  if (FILE_PLACES.has(name)) return { words: [], isFile: true };
  if (RUN_PLACES.has(name)) return { words: await listRuns(folders.atomicHome), isFile: false };
  if (name === "workflow") return { ...wordsOf(await listWorkflows(folders)), isFile: true };
  if (name === "--agent" || name === "--agents") return wordsOf(await listAgents(folders));
  if (name === "agent") return wordsOf(commands[0] === "install" ? await listInstallable() : await listAgents(folders));
  if (name === "key") return { words: await listKeys(), isFile: false };
  if (name === "value" && commands[0] === "config") return wordsOf(await listPossible(before[0] ?? ""));
  if (name === "name" && commands[0] === "tools") return wordsOf(await listTools(folders));
  if (name === "name") return wordsOf(await listEntities(folders, commands[0] ?? ""));
  return wordsOf([]);
}

interface Folders {
  readonly atomicHome: string;
  readonly home: string;
  readonly project: string;
}

function foldersOf(environment: CliEnvironment): Folders {
  const { userHomeDirectory: home } = environment;
  const project = findProject(realPathOf(environment.workingDirectory), home);
  return { atomicHome: findAtomicHome(environment), home, project };
}

function wordsOf(values: readonly string[]): PlaceValues {
  const plain = [...new Set(values)].filter((value) => PLAIN.test(value));
  return { words: plain.map((value) => ({ value })), isFile: false };
}

async function listWorkflows({ atomicHome, home, project }: Folders): Promise<readonly string[]> {
  const names = await Promise.all([
    namesIn(join(project, ".atomic/workflows"), /\.m?[tj]s$/),
    namesIn(join(atomicHome, "workflows"), /\.m?[tj]s$/),
    namesIn(join(project, ".claude/workflows"), /\.js$/),
    namesIn(join(home, ".claude/workflows"), /\.js$/),
  ]);
  return [...names.flat(), ...BUILT_IN_WORKFLOWS];
}

async function listTools({ atomicHome, project }: Folders): Promise<readonly string[]> {
  const folders = [join(project, ".atomic/tools"), join(atomicHome, "tools")];
  return (await Promise.all(folders.map((folder) => namesIn(folder, /\.m?[tj]s$/)))).flat();
}

/** Agents, skills and commands in the usual folders; those of plugins are left out, because finding them takes longer. */
async function listEntities({ atomicHome, home, project }: Folders, type: string): Promise<readonly string[]> {
  const inProject = [".atomic", ".claude", ".opencode", ".github"].map((folder) => join(project, folder, type));
  const inHome = [".claude", ".opencode", ".config/opencode"].map((folder) => join(home, folder, type));
  const folders = [...inProject, ...inHome, join(atomicHome, type)];
  return (
    await Promise.all(folders.map((folder) => namesIn(folder, type === "skills" ? /$/ : /\.(?:agent\.)?md$/)))
  ).flat();
}

async function namesIn(folder: string, ending: RegExp): Promise<readonly string[]> {
  const entries = await readdir(folder).catch(() => []);
  return entries
    .filter((name) => ending.test(name) && !/^[._]/.test(name))
    .map((name) => basename(name).replace(ending, ""));
}

async function listInstallable(): Promise<readonly string[]> {
  const { VENDOR_PACKAGES } = await import("../install/vendor-packages.ts");
  return Object.keys(VENDOR_PACKAGES);
}

/** Those that Atomic knows, and those that the settings describe. */
async function listAgents({ atomicHome, project }: Folders): Promise<readonly string[]> {
  const paths = [atomicHome, join(project, ".atomic")].flatMap((folder) =>
    CONFIG_NAMES.map((name) => join(folder, name)),
  );
  const described = await Promise.all(paths.map(readAgentNames));
  return [...AGENT_TYPES, ...described.flat()];
}

/** Broken settings describe no agent here; other commands report what is wrong. */
async function readAgentNames(path: string): Promise<readonly string[]> {
  try {
    const value = await parseJsonc(await readBoundedFile(path));
    return isRecord(value) && isRecord(value.agents) ? Object.keys(value.agents) : [];
  } catch {
    return [];
  }
}

/** The newest runs, with their workflow and status. */
async function listRuns(atomicHome: string): Promise<readonly Completion[]> {
  const folder = join(atomicHome, "workflows", "sessions");
  const ids = (await readdir(folder).catch(() => [])).filter((id) => /^[\w-]+$/.test(id));
  const files = await Promise.all(ids.map((id) => changedAt(join(folder, id, "session.json"), id)));
  const newest = files.toSorted((a, b) => b.at - a.at).slice(0, MAX_RUNS);
  const found = await Promise.all(newest.map(({ path, id }) => readRun(path, id)));
  const runs = found.flatMap((run) => run ?? []).toSorted((a, b) => b.at.localeCompare(a.at));
  return runs.map(({ id, about }) => ({ value: id, description: about }));
}

/** A file with the time of its last change; 0 where there is none. */
async function changedAt(path: string, id: string) {
  const { mtimeMs: at } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: 0 };
  return { path, id, at };
}

async function readRun(
  path: string,
  id: string,
): Promise<{ readonly id: string; readonly at: string; readonly about: string } | undefined> {
  try {
    const value: unknown = JSON.parse(await readBoundedFile(path));
    if (!isRecord(value)) return undefined;
    const { workflowName = "", status = "", lastUpdated = "" } = value;
    return { id, at: String(lastUpdated), about: `${String(workflowName)}, ${String(status)}` };
  } catch {
    // A folder that is no run, or one that is just being written.
    return undefined;
  }
}

async function listKeys(): Promise<readonly Completion[]> {
  const { listSettings } = await import("../config/list-settings.ts");
  return listSettings()
    .filter(({ key }) => !/\[\]|NAME|\$/.test(key))
    .map(({ key, description }) => ({ value: key, description }));
}

/** The values that a setting can have, if they are few. */
async function listPossible(key: string): Promise<readonly string[]> {
  const { possibleValuesOf } = await import("../config/list-settings.ts");
  return key === "agent" ? AGENT_TYPES : possibleValuesOf(key.split("."));
}
