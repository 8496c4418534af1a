/** What overrules a repository's own settings that have git run a program by itself. */
const OVERRIDES: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["log.showSignature", "false"],
];

/**
 * The environment with which git, whoever calls it, runs no hook and no file monitor of the repository it is in: agents
 * call git in a project before anybody has allowed them a command.
 */
export function withoutProjectGitSettings(env: Readonly<Record<string, string>>): Record<string, string> {
  // The user may have such settings already; a number that git would not accept is not counted on.
  const first = /^\d+$/.test(env.GIT_CONFIG_COUNT ?? "") ? Number(env.GIT_CONFIG_COUNT) : 0;
  const added = OVERRIDES.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + OVERRIDES.length) };
}
