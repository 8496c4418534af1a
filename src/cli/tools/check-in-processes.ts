import { join } from "node:path";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import {
  type CheckedToolFile,
  createContentCache,
  MAX_PARALLEL_CHECKS,
  mapInParallel,
  type WorkflowFile,
} from "../../discovery/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { checkInChild } from "../loading/check-in-child.ts";
import { compilerCacheOf } from "../loading/compiler-cache.ts";
import { isError } from "../loading/workflow-loader.ts";
import { VERSION } from "../version.ts";
import type { Workspace } from "../workspace.ts";

/** How long one file of tools may take to load, in milliseconds. */
export const IMPORT_TIMEOUT_MS = 10_000;

/** Loads a file of tools in a process of its own. */
export async function checkToolFileInChild(
  file: WorkflowFile,
  environment: Pick<CliEnvironment, "env">,
  { workingDirectory, atomicHome }: Pick<Workspace, "workingDirectory" | "atomicHome">,
): Promise<CheckedToolFile> {
  const env = { ...compilerCacheOf(atomicHome), ...environment.env };
  return await checkInChild(file, { kind: "tools", env, workingDirectory, importTimeoutMs: IMPORT_TIMEOUT_MS });
}

/**
 * The `check` of `ToolFiles`: a file that never returns, or that ends its process, is found out in a process of its own. Of
 * a file that can be loaded, this is remembered for as long as its content stays the same.
 */
export function createImportCheck(
  environment: Pick<CliEnvironment, "env">,
  workspace: Pick<Workspace, "workingDirectory" | "atomicHome">,
): (files: readonly WorkflowFile[]) => Promise<readonly (readonly DiscoveryProblem[])[]> {
  const cache = createContentCache<true>({
    path: join(workspace.atomicHome, "cache", "tool-checks.json"),
    version: `${VERSION} ${Bun.version}`,
    isFact: (value) => value === true,
  });
  const check = async (file: WorkflowFile): Promise<readonly DiscoveryProblem[]> => {
    const { known, keep } = await cache.read(file);
    if (known) return [];
    const { tools, problems } = await checkToolFileInChild(file, environment, workspace);
    keep(tools === undefined ? undefined : true);
    return tools === undefined ? problems.filter(isError) : [];
  };
  return async (files) => {
    const problems = await mapInParallel(files, { maxParallel: MAX_PARALLEL_CHECKS, map: check });
    await cache.save();
    return problems;
  };
}
