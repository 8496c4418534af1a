import { delimiter, resolve, sep } from "node:path";

/** What overrules a repository's own settings that have git run a program by itself. */
const OVERRIDES: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["log.showSignature", "false"],
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
  // The user may have such settings already; a number that git would not accept is not counted on.
  const first = /^\d+$/.test(env.GIT_CONFIG_COUNT ?? "") ? Number(env.GIT_CONFIG_COUNT) : 0;
  const added = OVERRIDES.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  const { PATH: searchPath } = env;
  const roots = [workingDirectory, projectDirectory];
  return {
    ...env,
    ...(searchPath === undefined ? {} : { PATH: withoutFoldersIn(roots, searchPath) }),
    ...Object.fromEntries(added),
    GIT_CONFIG_COUNT: String(first + OVERRIDES.length),
  };
}

function withoutFoldersIn(roots: readonly string[], searchPath: string): string {
  const isInside = (folder: string): boolean =>
    roots.some((root) => `${resolve(folder)}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`));
  return searchPath
    .split(delimiter)
    .filter((folder) => !isInside(folder))
    .join(delimiter);
}
