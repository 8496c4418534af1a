import { statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { HookCommand, PermissionPolicy } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";

/** The words of a command line without its quotes. */
const WORD = /[^\s`;|&()<>=]+/g;

/** Variables with the project's folder. */
const PROJECT_VARIABLE = /^\$\{?(?:CLAUDE|COPILOT)_PROJECT_DIR\}?/;

/**
 * Globs of the project's files that commands of hooks name. A change of such a file changes what runs at the next event, so an
 * agent needs approval for it.
 */
export function listHookPrograms(hooks: readonly HookCommand[], projectDirectory: string): readonly string[] {
  const files = hooks.flatMap(({ command, args = [], directory }) =>
    [command, ...args].flatMap((text) =>
      [...text.replace(/["']/g, "").matchAll(WORD)].flatMap(
        ([word]) => findFile(word, { projectDirectory, directory }) ?? [],
      ),
    ),
  );
  return [...new Set(files)].map((file) => `**/${file.replace(/[*?{}[\],]/g, "?")}`);
}

function findFile(
  word: string,
  { projectDirectory, directory = "." }: { readonly projectDirectory: string; readonly directory?: string | undefined },
): string | undefined {
  const base = PROJECT_VARIABLE.test(word) ? projectDirectory : resolve(projectDirectory, directory);
  const path = resolve(base, word.replace(PROJECT_VARIABLE, projectDirectory));
  if (!isWithin(path, projectDirectory)) return undefined;
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? relative(projectDirectory, path).split(sep).join("/") : undefined;
}

/** The same policy, which also protects these files. */
export function protectFiles(
  policy: PermissionPolicy | undefined,
  globs: readonly string[],
): PermissionPolicy | undefined {
  if (policy === undefined || globs.length === 0) return policy;
  return { ...policy, protectedPaths: [...new Set([...(policy.protectedPaths ?? []), ...globs])] };
}
