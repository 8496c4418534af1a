import { chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { type CliEnvironment, findAtomicHome } from "../environment.ts";

/** Where Bun keeps compiled files; `0` for nowhere. */
const VARIABLE = "BUN_RUNTIME_TRANSPILER_CACHE_PATH";

/**
 * Has Bun take Atomic's compiled files from where the launcher keeps them, which saves half of a start. Where Atomic has kept
 * nothing yet, or what is there is another user's, Bun keeps none: not in its own cache either. Bun writes its files readable
 * for everybody, so the folder is for its owner only.
 */
export function compilerCacheOf(atomicHome: string): Readonly<Record<string, string>> {
  const path = join(atomicHome, "cache", "compiled");
  try {
    if (!isOwn(atomicHome)) return { [VARIABLE]: "0" };
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!isOwn(path)) return { [VARIABLE]: "0" };
    for (const folder of [dirname(path), path]) if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return { [VARIABLE]: path };
  } catch {
    // It cannot be created or changed: a start takes longer.
    return { [VARIABLE]: "0" };
  }
}

/**
 * Additions to the environment of a process of Atomic that this one starts without the launcher; none if the user has their
 * own. As in the launcher, `ATOMIC_BUN_CACHE` says that they must not reach the programs that the process starts.
 */
export function compilerCacheFor(
  environment: Pick<CliEnvironment, "env" | "workingDirectory" | "userHomeDirectory">,
): Readonly<Record<string, string>> {
  if (environment.env[VARIABLE] !== undefined) return {};
  return { ...compilerCacheOf(findAtomicHome(environment)), ATOMIC_BUN_CACHE: "unset" };
}

function isOwn(folder: string): boolean {
  const status = statSync(folder, { throwIfNoEntry: false });
  return status?.isDirectory() === true && status.uid === process.getuid?.();
}
