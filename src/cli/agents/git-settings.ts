/** One setting of git's. */
export type GitSetting = readonly [key: string, value: string];

/**
 * What agents' git is told in every project: a folder that looks like a repository is none unless the command names it as
 * one (`--git-dir`), so that files of the project are no settings of git's.
 */
export const ALWAYS_SET: readonly GitSetting[] = [["safe.bareRepository", "explicit"]];

/** The environment with settings that overrule a repository's own, behind those that the user may have there already. */
export function withGitSettings(
  env: Readonly<Record<string, string>>,
  settings: readonly GitSetting[],
): Record<string, string> {
  // A number that git would not accept is not counted on.
  const first = /^\d+$/.test(env.GIT_CONFIG_COUNT ?? "") ? Number(env.GIT_CONFIG_COUNT) : 0;
  const added = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) };
}
