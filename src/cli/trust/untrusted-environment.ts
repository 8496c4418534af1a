import { realpathSync } from "node:fs";
import { delimiter, resolve, sep } from "node:path";
import type { CliEnvironment } from "../environment.ts";
import { ALWAYS_SET, type GitSetting, withGitSettings } from "../git-settings.ts";

/** What overrules a repository's own settings that have git run a program by itself. */
const OVERRIDES: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["log.showSignature", "false"],
  ...ALWAYS_SET,
];

/** Settings of {@link untrustedEnvironment}. */
export interface UntrustedEnvironmentOptions {
  readonly workingDirectory: string;
  /** The project's root. */
  readonly projectDirectory: string;
}

/**
 * The environment of an agent in a project that is not trusted. Agents call programs in a project before anybody has
 * allowed them a command: none is looked for in the project, as `npx` and `direnv` have it, and git runs no hook and no
 * file monitor of the repository it is in.
 */
export function untrustedEnvironment(
  env: Readonly<Record<string, string>>,
  { workingDirectory, projectDirectory }: UntrustedEnvironmentOptions,
): Record<string, string> {
  const { PATH: searchPath } = env;
  const roots = [workingDirectory, projectDirectory];
  const withSettings = withGitSettings(env, OVERRIDES);
  return searchPath === undefined ? withSettings : { ...withSettings, PATH: withoutFoldersIn(roots, searchPath) };
}

/** The same call, which finds no program in the project: what Atomic itself starts is the system's. */
export function withoutProjectPrograms(
  environment: CliEnvironment,
  place: UntrustedEnvironmentOptions,
): CliEnvironment {
  const { PATH: searchPath } = environment.env;
  if (searchPath === undefined) return environment;
  const { PATH: safePath } = untrustedEnvironment({ PATH: searchPath }, place);
  return { ...environment, env: { ...environment.env, PATH: safePath } };
}

function withoutFoldersIn(roots: readonly string[], searchPath: string): string {
  const within = [...new Set(roots.flatMap((root) => [root, realPath(root)]))];
  const isInside = (folder: string): boolean =>
    [resolve(folder), realPath(folder)].some((place) =>
      within.some((root) => `${place}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)),
    );
  return searchPath
    .split(delimiter)
    .filter((folder) => !isInside(folder))
    .join(delimiter);
}

/** A link may lead into the project; a folder that is not there holds no programs. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
