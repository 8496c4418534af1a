import { existsSync, realpathSync } from "node:fs";
import { type SandboxConfig, SandboxInvalidError } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import { type ResolvedSandbox, resolveSandbox } from "./resolve-sandbox.ts";

/** Where a sandbox will be created. */
export interface SandboxPlace {
  /** The user's home folder. */
  readonly home: string | undefined;
  readonly workingDirectory: string;
}

/**
 * Checks a sandbox's settings, and whether their folders exist: a misspelt root would be ignored silently, and a home folder
 * as the project would be fully open.
 * @throws SandboxInvalidError
 */
export function checkSandbox(config: SandboxConfig, { home, workingDirectory }: SandboxPlace): ResolvedSandbox {
  const resolved = resolveSandbox(config, { home });
  const { readRoots, writeRoots = [] } = resolved;
  if (isWithin(realPath(home ?? "/"), realPath(workingDirectory))) {
    const problem = `"${workingDirectory}" is the home folder, or holds it. Go to the folder of a project.`;
    throw new SandboxInvalidError("workingDirectory", problem);
  }
  for (const [field, roots] of [
    ["readRoots", readRoots],
    ["writeRoots", writeRoots],
  ] as const) {
    const index = roots.findIndex((root) => !existsSync(root));
    if (index !== -1) throw new SandboxInvalidError(`sandbox.${field}[${index}]`, `"${roots[index]}" does not exist.`);
  }
  return resolved;
}

/** The path with all links followed; the path itself if it does not exist. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
