/** A git setting. */
export type GitSetting = readonly [key: string, value: string];

/**
 * Git settings of agents in every project. A folder that looks like a bare repository is not used as one unless the command
 * names it (`--git-dir`); otherwise its files would be git settings.
 */
export const ALWAYS_SET: readonly GitSetting[] = [["safe.bareRepository", "explicit"]];

/** Adds settings that override the repository's, after those that the environment already has. */
export function withGitSettings(
  env: Readonly<Record<string, string>>,
  settings: readonly GitSetting[],
): Record<string, string> {
  // Git rejects any other number.
  const first = /^\d+$/.test(env.GIT_CONFIG_COUNT ?? "") ? Number(env.GIT_CONFIG_COUNT) : 0;
  const added = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) };
}
