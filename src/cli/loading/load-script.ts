import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import {
  type ClaudeScript,
  readClaudeScript,
  realPathOf,
  type ScriptBody,
  type WorkflowFile,
  type WorkflowHeader,
} from "../../discovery/index.ts";
import { compileScript } from "../../graph/index.ts";
import { createWorkflowRegistry, type RegisteredWorkflow } from "../../workflows/run-kit.ts";
import { WorkflowBrokenError } from "./workflow-errors.ts";

/** A file with a workflow script. */
export interface ScriptFile extends WorkflowFile {
  readonly scriptName: string;
}

/** What finds a script by its name. */
export function headerOfScript({ name, description, path, source }: ClaudeScript): WorkflowHeader {
  const file = { path, realPath: realPathOf(path), source, scriptName: name };
  return { file, names: [name], metadata: { name, description, aliases: [], source } };
}

/**
 * Makes a workflow of a script. Executes nothing.
 *
 * @param name what the caller asked for
 * @throws WorkflowBrokenError for a script that uses something it would not have
 */
export async function loadScript(file: ScriptFile, name: string): Promise<RegisteredWorkflow> {
  const { path, source, scriptName } = file;
  const { meta, body, problems } = await readClaudeScript(path);
  const errors = [...problems.filter(({ severity }) => severity === "error"), ...findMissing(path, body)];
  if (meta === undefined || body === undefined || errors.length > 0) throw new WorkflowBrokenError(name, errors);
  const { text, outline } = body;
  const placeOf = ({ line, column }: { readonly line: number; readonly column: number }) => `${path}:${line}:${column}`;
  const uses = body.agentTypes.map((use) => ({ kind: "agent", name: use.name, place: placeOf(use) }) as const);
  const workflows = body.workflows.map((call) => ({ name: call.name, place: placeOf(call) }));
  const metadata = { name: scriptName, description: meta.description, aliases: [], source };
  const create = () => compileScript({ path, text }, { name: scriptName, uses, workflows });
  return { ...createWorkflowRegistry([{ metadata, path, source, create }]).find(scriptName), scriptOutline: outline };
}

/** What a script would not have in its folder. */
function findMissing(path: string, body: ScriptBody | undefined): readonly DiscoveryProblem[] {
  const [place] = body?.worktrees ?? [];
  if (place === undefined || isInRepository(path)) return [];
  const message = 'An agent asks for isolation: "worktree", and the project is no git repository.';
  return [{ path, ...place, message, remedy: "Run git init and commit, or remove the option.", severity: "error" }];
}

function isInRepository(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return true;
    if (folder === dirname(folder)) return false;
  }
}
