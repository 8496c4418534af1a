import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DiscoveryProblem, ReasoningEffort } from "../../contracts/index.ts";
import {
  type ClaudeScript,
  type PlacedSettings,
  readClaudeScript,
  realPathOf,
  type ScriptBody,
  type ScriptOutline,
  type WorkflowFile,
  type WorkflowHeader,
} from "../../discovery/index.ts";
import { compileScript, type NodeUse } from "../../graph/index.ts";
import { createWorkflowRegistry, type RegisteredWorkflow } from "../../workflows/run-kit.ts";
import { WorkflowBrokenError } from "./workflow-errors.ts";

/** A file with a workflow script. */
export interface ScriptFile extends WorkflowFile {
  readonly scriptName: string;
}

/** A workflow that was made of a script. */
export type ScriptWorkflow = RegisteredWorkflow & { readonly path: string; readonly scriptOutline: ScriptOutline };

/** What a script is loaded for. */
export interface ScriptUse {
  /** What the caller asked for. */
  readonly name: string;
  /** Where the script's agents would work. */
  readonly workingDirectory: string;
}

/** What finds a script by its name. */
export function headerOfScript({
  name,
  description,
  path,
  source,
}: ClaudeScript): WorkflowHeader & { readonly file: ScriptFile } {
  const file = { path, realPath: realPathOf(path), source, scriptName: name };
  return { file, names: [name], metadata: { name, description, aliases: [], source } };
}

/**
 * Makes a workflow of a script. Executes nothing.
 *
 * @throws WorkflowBrokenError for a script that uses something it would not have
 */
export async function loadScript(file: ScriptFile, { name, workingDirectory }: ScriptUse): Promise<ScriptWorkflow> {
  const { path, source, scriptName } = file;
  const { meta, body, problems } = await readClaudeScript(path);
  const errors = [
    ...problems.filter(({ severity }) => severity === "error"),
    ...findMissing(path, { body, workingDirectory }),
  ];
  if (meta === undefined || body === undefined || errors.length > 0) throw new WorkflowBrokenError(name, errors);
  const { text, outline } = body;
  const placeOf = ({ line, column }: { readonly line: number; readonly column: number }) => `${path}:${line}:${column}`;
  const uses = body.agentTypes.map((use) => ({ kind: "agent", name: use.name, place: placeOf(use) }) as const);
  const settings = body.settings.map((found) => settingsUse(found, placeOf(found)));
  const workflows = body.workflows.map((call) => ({ name: call.name, place: placeOf(call) }));
  const metadata = { name: scriptName, description: meta.description, aliases: [], source };
  const create = () => compileScript({ path, text }, { name: scriptName, uses: [...uses, ...settings], workflows });
  const workflow = createWorkflowRegistry([{ metadata, path, source, create }]).find(scriptName);
  return { ...workflow, path, scriptOutline: outline };
}

function settingsUse({ model, effort, agentType }: PlacedSettings, place: string): NodeUse {
  return {
    kind: "settings",
    ...(model === undefined ? {} : { model }),
    // The cast is true: the text was checked.
    ...(effort === undefined ? {} : { effort: (effort === "xhigh" ? "max" : effort) as ReasoningEffort }),
    ...(agentType === undefined ? {} : { definition: agentType }),
    place,
  };
}

/** The scripts of a project as workflows, each of them loaded once. */
export class ScriptWorkflows {
  readonly #scripts: readonly ClaudeScript[];
  readonly #workingDirectory: string;
  readonly #loaded = new Map<ClaudeScript, Promise<ScriptWorkflow>>();

  constructor(scripts: readonly ClaudeScript[], { workingDirectory }: Pick<ScriptUse, "workingDirectory">) {
    this.#scripts = scripts;
    this.#workingDirectory = workingDirectory;
  }

  get names(): readonly string[] {
    return this.#scripts.map(({ name }) => name);
  }

  /** Whether a file is one of them. */
  has(path: string): boolean {
    return this.#scripts.some((script) => script.path === path);
  }

  /** @throws WorkflowBrokenError */
  async load(script: ClaudeScript): Promise<ScriptWorkflow> {
    const use = { name: script.name, workingDirectory: this.#workingDirectory };
    const loading = this.#loaded.get(script) ?? loadScript(headerOfScript(script).file, use);
    this.#loaded.set(script, loading);
    return await loading;
  }

  /** The first script of this name, whatever the case. @throws WorkflowBrokenError */
  async find(name: string): Promise<ScriptWorkflow | undefined> {
    const key = name.toLowerCase();
    const script = this.#scripts.find((known) => known.name.toLowerCase() === key);
    return script && (await this.load(script));
  }
}

/** What a script would not have where it works. */
function findMissing(
  path: string,
  { body, workingDirectory }: { readonly body: ScriptBody | undefined; readonly workingDirectory: string },
): readonly DiscoveryProblem[] {
  const [place] = body?.worktrees ?? [];
  if (place === undefined || isInRepository(workingDirectory)) return [];
  const message = 'An agent asks for isolation: "worktree", and the project is no git repository.';
  return [{ path, ...place, message, remedy: "Run git init and commit, or remove the option.", severity: "error" }];
}

function isInRepository(directory: string): boolean {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return true;
    if (folder === dirname(folder)) return false;
  }
}
