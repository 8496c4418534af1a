import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import { realPathOf } from "../../discovery/index.ts";
import { createWorkflowRegistry } from "../../workflows/run-kit.ts";

/** The extensions of workflow files. */
const EXTENSIONS = [".ts", ".mts", ".js", ".mjs"];

/** The place of a script that is to be kept is taken. */
export class ScriptFileExistsError extends AtomicError {
  readonly isRetryable = false;

  constructor(readonly path: string) {
    super("SCRIPT_FILE_EXISTS", `There is already a file ${path}. Move it, and resume the run.`);
  }
}

/** The project's folder of workflows is elsewhere. */
export class WorkflowFolderOutsideError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly path: string,
    readonly realPath: string,
  ) {
    super(
      "WORKFLOW_FOLDER_OUTSIDE",
      `${path} leads out of the project, to ${realPath}. Replace the link with a folder, and resume the run.`,
    );
  }
}

/** What has the name of a workflow in a project already: a file, or a workflow of Atomic's own. */
export function findTaken(projectDirectory: string, name: string): string | undefined {
  const isBuiltIn = createWorkflowRegistry([]).workflows.some(({ metadata }) =>
    [metadata.name, ...metadata.aliases].includes(name.toLowerCase()),
  );
  if (isBuiltIn) return "a workflow of Atomic's own has it";
  const own = EXTENSIONS.map((extension) => join(".atomic", "workflows", name + extension));
  return [...own, join(".claude", "workflows", `${name}.js`)].find((path) => existsSync(join(projectDirectory, path)));
}

/** Where a script is kept. */
export interface KeepScriptOptions {
  readonly projectDirectory: string;
  readonly atomicHome: string;
}

/**
 * Writes a script into a project's folder of workflows. Never overwrites a file; one with the same text counts as this one.
 *
 * @returns its path from the project
 * @throws ScriptFileExistsError, WorkflowFolderOutsideError, and errors of the system
 */
export async function keepScript(
  { projectDirectory, atomicHome }: KeepScriptOptions,
  name: string,
  text: string,
): Promise<string> {
  const folder = join(projectDirectory, ".atomic", "workflows");
  // In the home, the folder is the user's, who may link it.
  if (realPathOf(join(projectDirectory, ".atomic")) !== realPathOf(atomicHome)) {
    for (const path of [join(projectDirectory, ".atomic"), folder]) {
      const place = realPathOf(path);
      if (!place.startsWith(realPathOf(projectDirectory) + sep)) throw new WorkflowFolderOutsideError(path, place);
    }
  }
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const isFile = error instanceof Error && "code" in error && (error.code === "EEXIST" || error.code === "ENOTDIR");
    throw isFile ? new ScriptFileExistsError(join(".atomic", "workflows")) : error;
  }
  const file = join(folder, `${name}.js`);
  const path = relative(projectDirectory, file);
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const existing = await readFile(file, "utf8").catch(() => undefined);
    if (existing !== text) throw new ScriptFileExistsError(path);
  }
  return path;
}
