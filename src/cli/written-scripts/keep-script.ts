import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import { createWorkflowFolder, findFileNamed, type WorkflowPlace } from "../loading/workflow-folder.ts";
import { listBuiltInNames } from "../loading/workflow-loader.ts";

/** The name of a script that is to be kept was taken after its check. */
export class ScriptFileExistsError extends AtomicError {
  readonly isRetryable = false;

  constructor(readonly path: string) {
    super("SCRIPT_FILE_EXISTS", `There is already a file ${path}. Move it, and resume the run.`);
  }
}

/** What has the name of a workflow in a project already: a file, or a workflow of Atomic's own. */
export function findTaken(projectDirectory: string, name: string): string | undefined {
  if (listBuiltInNames().flat().includes(name.toLowerCase())) return "a workflow of Atomic's own has it";
  const script = join(projectDirectory, ".claude", "workflows", `${name}.js`);
  const path = findFileNamed(projectDirectory, name) ?? (existsSync(script) ? script : undefined);
  return path && relative(projectDirectory, path);
}

/**
 * Writes a script into a project's folder of workflows. Never overwrites a file; one with the same text counts as this one.
 *
 * @returns its path from the project
 * @throws ScriptFileExistsError, UsageError for a folder that cannot be the project's, and errors of the system
 */
export async function keepScript(place: WorkflowPlace, name: string, text: string): Promise<string> {
  const file = join(await createWorkflowFolder(place), `${name}.js`);
  const path = relative(place.projectDirectory, file);
  const taken = findTaken(place.projectDirectory, name);
  if (taken !== undefined && taken !== path) throw new ScriptFileExistsError(taken);
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const existing = await readFile(file, "utf8").catch(() => undefined);
    if (existing !== text) throw new ScriptFileExistsError(path);
  }
  return path;
}
