import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Program } from "acorn";
import { type DiscoveryProblem, messageOf, withoutExport } from "../../contracts/index.ts";
import { readBoundedFile } from "../../system/index.ts";
import { checkFile, isMeantAsCode } from "../discover-workflow-files.ts";
import { findClaudePlugins } from "../entities/find-claude-plugins.ts";
import { isScriptFile, mentionsMeta, metaOf } from "../is-script-file.ts";
import { fileNameOf, isWorkflowName } from "../parse-workflow-module.ts";
import { realPathOf } from "../real-path.ts";
import { positionAt } from "../source-text.ts";
import { describeUnreadable } from "../unreadable-file.ts";
import type { WorkflowFileSource } from "../workflow-search-paths.ts";
import type { ScriptFault } from "./check-fixed-values.ts";
import { checkScript, MAX_FAULTS, type ScriptSettings } from "./check-script.ts";
import { outlineScript, type ScriptOutline } from "./outline-script.ts";
import { findHtmlComment, parseJavaScript, readLiteral } from "./read-literal-exports.ts";

/** A workflow script in the form of Claude Code, wherever it is. */
export interface ClaudeScript {
  /** That of a plugin's script starts with the plugin's: `plugin:name`. */
  readonly name: string;
  readonly description: string;
  /** The titles of its phases, as far as it names them. */
  readonly phases: readonly string[];
  readonly source: WorkflowFileSource;
  readonly path: string;
}

/** Settings of {@link discoverClaudeScripts}. */
export interface DiscoverClaudeScriptsOptions {
  readonly projectDirectory: string;
  readonly userHomeDirectory: string;
  /** The user's folder of Atomic. @default none: scripts in folders of Atomic's are left out */
  readonly homeDirectory?: string;
  /** Claude Code's folder, from `CLAUDE_CONFIG_DIR`. @default `.claude` in the user's home */
  readonly claudeConfigDirectory?: string | undefined;
  /** Whether the user trusts the project. If not, it can switch plugins off, but none on. @default unknown */
  readonly isTrusted?: boolean;
}

/** The result of {@link discoverClaudeScripts}. */
export interface ClaudeScripts {
  /** The project's first, then the user's and those of plugins, each folder in alphabetical order. */
  readonly scripts: readonly ClaudeScript[];
  readonly problems: readonly DiscoveryProblem[];
}

/** A folder of scripts. */
interface ScriptFolder {
  readonly path: string;
  readonly source: WorkflowFileSource;
  /** Where its files may really be. */
  readonly roots: readonly string[];
  /** The plugin that it belongs to. */
  readonly plugin?: string;
  /** Whether it also has workflows of other kinds. @default false */
  readonly isShared?: boolean;
}

/**
 * Finds the workflow scripts in `.atomic/workflows` and `.claude/workflows` of a project and of the user, and in `workflows` of
 * the installed plugins: the files `*.js` whose first statement is `export const meta = {…}`. They are read and checked, never
 * executed. Other code in these folders is a problem, unless its name begins with `_` or `.`. What is wrong with the list of
 * plugins itself is left to `discoverEntities`. Must not throw.
 */
export async function discoverClaudeScripts(options: DiscoverClaudeScriptsOptions): Promise<ClaudeScripts> {
  const folders = await listFolders(options);
  const reading: Reading = { realPaths: new Set(), bytes: 0 };
  const found: ClaudeScripts[] = [];
  for (const folder of folders) found.push(await listScripts(folder, reading));
  return { scripts: found.flatMap(({ scripts }) => scripts), problems: found.flatMap(({ problems }) => problems) };
}

async function listFolders(options: DiscoverClaudeScriptsOptions): Promise<readonly ScriptFolder[]> {
  const { projectDirectory, userHomeDirectory, homeDirectory, isTrusted } = options;
  const { claudeConfigDirectory: configDirectory = join(userHomeDirectory, ".claude") } = options;
  const local = join(projectDirectory, ".claude", "workflows");
  const global = join(configDirectory, "workflows");
  const folders: ScriptFolder[] = [];
  const add = (folder: ScriptFolder): void => {
    const real = realPathOf(folder.path);
    // A plugin can be installed for the user and for the project.
    if (!folders.some(({ path }) => realPathOf(path) === real)) folders.push(folder);
  };
  if (homeDirectory !== undefined) {
    const own = join(projectDirectory, ".atomic", "workflows");
    const users = join(homeDirectory, "workflows");
    // In the home folder, both folders are the same one, and it is the user's.
    if (realPathOf(own) !== realPathOf(users))
      add({ path: own, source: "local", roots: [realPathOf(projectDirectory)], isShared: true });
    add({
      path: users,
      source: "global",
      roots: [realPathOf(homeDirectory), realPathOf(users)],
      isShared: true,
    });
  }
  if (realPathOf(local) !== realPathOf(global))
    add({ path: local, source: "local", roots: [realPathOf(projectDirectory)] });
  add({ path: global, source: "global", roots: [realPathOf(userHomeDirectory), realPathOf(global)] });
  const { plugins } = await findClaudePlugins({ configDirectory, projectDirectory, isTrusted });
  for (const { name: plugin, location, directory } of plugins) {
    const source = location === "project" ? "local" : "global";
    add({ path: join(directory, "workflows"), source, roots: [realPathOf(directory)], plugin });
  }
  return folders;
}

/** The largest script that is read, in bytes: reading takes quadratic time where a script declares many names. */
export const MAX_SCRIPT_BYTES = 65_536;

/** How much of all scripts is read, in bytes. */
const MAX_TOTAL_BYTES = 524_288;

/** What was read so far. */
interface Reading {
  readonly realPaths: Set<string>;
  bytes: number;
}

async function listScripts(
  { path: folder, source, roots, plugin, isShared = false }: ScriptFolder,
  reading: Reading,
): Promise<ClaudeScripts> {
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => name.endsWith(".js") || isMeantAsCode(name))
    .sort();
  const scripts: ClaudeScript[] = [];
  const problems: DiscoveryProblem[] = [];
  for (const fileName of names) {
    const path = join(folder, fileName);
    // What is wrong with other files there is reported by those who load them.
    if (isShared && !(isMeantAsCode(fileName) && (await isScriptFile(path)))) continue;
    if (!fileName.endsWith(".js")) {
      problems.push(otherKind(path));
      continue;
    }
    const read = await readScript(path, roots, reading);
    if (read === undefined) continue;
    const script =
      "problem" in read ? { meta: undefined, problems: [read.problem] } : await parseClaudeScript(path, read.text);
    problems.push(...script.problems);
    if (script.meta === undefined) {
      if (script.problems.length === 0 && isMeantAsCode(fileName)) problems.push(withoutMeta(path));
      continue;
    }
    const { name, ...others } = script.meta;
    scripts.push({ name: plugin === undefined ? name : `${plugin}:${name}`, ...others, source, path });
  }
  return { scripts, problems };
}

function otherKind(path: string): DiscoveryProblem {
  const message = "Claude Code reads scripts from .js files only, so this one is not listed.";
  const remedy = `Rename it to ${basename(path).replace(/\.[^.]+$/, ".js")}, or move it to .atomic/workflows if it is Atomic's.`;
  return { path, message, remedy, severity: "warning" };
}

function withoutMeta(path: string): DiscoveryProblem {
  const message = 'Its first statement is not the export "meta", so it is no script for Claude Code and is not listed.';
  const remedy = `Begin it with: export const meta = { name: "…", description: "…" }; or rename it to _${basename(path)} if it is a helper.`;
  return { path, message, remedy, severity: "warning" };
}

/** Nothing for a link to a script that was read already. */
async function readScript(
  path: string,
  roots: readonly string[],
  reading: Reading,
): Promise<{ readonly text: string } | { readonly problem: DiscoveryProblem } | undefined> {
  const checked = await checkFile(path, roots);
  if ("problem" in checked) return checked;
  if (reading.realPaths.has(checked.realPath)) return undefined;
  reading.realPaths.add(checked.realPath);
  try {
    const text = await readBoundedFile(checked.realPath, MAX_SCRIPT_BYTES);
    reading.bytes += text.length;
    return reading.bytes > MAX_TOTAL_BYTES ? { problem: tooMany(path) } : { text };
  } catch (error) {
    return { problem: describeUnreadable(path, error) };
  }
}

function tooMany(path: string): DiscoveryProblem {
  const message = `It is not read: the scripts for Claude Code have more than ${MAX_TOTAL_BYTES} bytes together.`;
  return { path, message, remedy: "Move scripts that you do not use to another folder.", severity: "warning" };
}

/** Whether a file is a workflow script for Claude Code, wherever it is. Executes nothing, and must not throw. */
export async function isClaudeScript(path: string): Promise<boolean> {
  if (!path.endsWith(".js")) return false;
  if (path.endsWith(join("/.claude", "workflows", basename(path)))) return true;
  const text = await readBoundedFile(path, MAX_SCRIPT_BYTES).catch(() => "");
  return (await parseClaudeScript(path, text)).meta !== undefined;
}

/** Reads and checks the script in a file without executing it. Must not throw. */
export async function readClaudeScript(path: string): Promise<ParsedClaudeScript> {
  const read = await readScript(path, [realPathOf(dirname(path))], { realPaths: new Set(), bytes: 0 });
  if (read === undefined) return { problems: [] };
  return "problem" in read ? { problems: [read.problem] } : await parseClaudeScript(path, read.text);
}

/** The result of {@link parseClaudeScript}. Without `meta`, the file is no such script, or a broken one. */
export interface ParsedClaudeScript {
  readonly meta?: Pick<ClaudeScript, "name" | "description" | "phases">;
  /** Present with `meta`. */
  readonly body?: ScriptBody;
  readonly problems: readonly DiscoveryProblem[];
}

/** A name in a script, with its place. */
export interface PlacedName {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** What a script sets for an agent, with its place. */
export interface PlacedSettings extends Omit<ScriptSettings, "start"> {
  readonly line: number;
  readonly column: number;
}

/** A script that can be run, and what its text says about that. */
export interface ScriptBody {
  /** The body of an asynchronous function: the text without the word `export` of its first statement. */
  readonly text: string;
  readonly outline: ScriptOutline;
  /** The definitions of agents that it names. */
  readonly agentTypes: readonly PlacedName[];
  /** The efforts and models of its agents. */
  readonly settings: readonly PlacedSettings[];
  /** The workflows that it names. */
  readonly workflows: readonly PlacedName[];
  /** Where it asks for worktrees. */
  readonly worktrees: readonly { readonly line: number; readonly column: number }[];
}

/** Reads and checks a script without executing it. */
export async function parseClaudeScript(path: string, text: string): Promise<ParsedClaudeScript> {
  // A script without it is none, whatever else is in the folder.
  if (!mentionsMeta(text)) return { problems: [] };
  let program: Program;
  let html: number | undefined;
  try {
    program = await parseJavaScript(text);
    html = await findHtmlComment(text);
  } catch (error) {
    return { problems: [syntaxProblem(path, text, error)] };
  }
  if (html !== undefined) return { problems: [htmlComment(path, text, html)] };
  const meta = metaOf(program);
  if (meta === undefined) return { problems: [] };
  const at = positionAt(text, meta.start);
  const value = meta.init && readLiteral(meta.init)?.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = 'The export "meta" is not an object of literals, so it cannot be read without running the script.';
    const remedy = 'Write its values down: export const meta = { name: "…", description: "…" };';
    return { problems: [{ path, ...at, message, remedy, severity: "error" }] };
  }
  // The cast is true: an object of literals has texts as keys.
  const { name = fileNameOf(path), description = "", phases } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || !isWorkflowName(name.replaceAll(":", "-")) || typeof description !== "string") {
    const message = 'The "name" or "description" of "meta" is not what Claude Code accepts.';
    const remedy = 'Make "name" a text of letters, digits, "-" and "_", and "description" a text.';
    return { problems: [{ path, ...at, message, remedy, severity: "error" }] };
  }
  const { faults, ...names } = checkScript(program);
  const isBroken = faults.some(({ severity }) => severity === "error");
  const problems = firstOf(faults).map(({ start, ...fault }) => ({ path, ...positionAt(text, start), ...fault }));
  const found = { name, description: description || `Claude script: ${name}`, phases: titlesOf(phases) };
  if (isBroken) return { problems };
  const place = <Part extends { readonly start: number }>({ start, ...about }: Part) => ({
    ...about,
    ...positionAt(text, start),
  });
  const body: ScriptBody = {
    text: withoutExport(text),
    outline: outlineScript(program, found.phases, (index) => positionAt(text, index).line),
    agentTypes: names.agentTypes.slice(0, MAX_NAMES).map(place),
    settings: names.settings.slice(0, MAX_NAMES).map(place),
    workflows: names.workflows.slice(0, MAX_NAMES).map(place),
    worktrees: names.worktrees.slice(0, 1).map(({ start }) => positionAt(text, start)),
  };
  return { meta: found, body, problems };
}

/** The titles of phases, which may also be texts alone. */
function titlesOf(phases: unknown): readonly string[] {
  if (!Array.isArray(phases)) return [];
  return phases
    .map((phase: unknown) => (typeof phase === "object" && phase !== null && "title" in phase ? phase.title : phase))
    .filter((title) => typeof title === "string");
}

/** A module has no such comments. As the script that it is executed as, it would be another one than the one that was checked. */
function htmlComment(path: string, text: string, index: number): DiscoveryProblem {
  const message = 'It has "<!--" or "-->", which begin a comment in some programs and are operators in others.';
  return { path, ...positionAt(text, index), message, remedy: "Put a space between the signs.", severity: "error" };
}

function syntaxProblem(path: string, text: string, error: unknown): DiscoveryProblem {
  const index = error instanceof SyntaxError && "pos" in error ? Number(error.pos) : 0;
  const message = `Syntax error: ${messageOf(error).replace(/ \(\d+:\d+\)$/, "")}.`;
  return { path, ...positionAt(text, index), message, remedy: "Correct the file.", severity: "error" };
}

/** How many names in a script are looked up before it runs. */
const MAX_NAMES = 100;

/** How many problems of one script are reported. */
const MAX_PROBLEMS = 10;

/** The first faults, and how many more there are. */
function firstOf(faults: readonly ScriptFault[]): readonly ScriptFault[] {
  const others = faults.slice(MAX_PROBLEMS);
  const [next] = others;
  if (next === undefined) return faults;
  const count = faults.length < MAX_FAULTS ? `${others.length}` : `at least ${others.length}`;
  const message = `… and ${count} more ${others.length === 1 ? "problem" : "problems"}.`;
  const severity = others.some((fault) => fault.severity === "error") ? "error" : "warning";
  const rest: ScriptFault = { start: next.start, message, remedy: "Correct those before it first.", severity };
  return [...faults.slice(0, MAX_PROBLEMS), rest];
}
