import { delimiter, dirname, resolve, sep } from "node:path";
import { realPathOf } from "../../discovery/index.ts";
import { ALWAYS_SET, type GitSetting, withGitSettings } from "../agents/git-settings.ts";
import type { CliEnvironment } from "../environment.ts";

/** What overrules a repository's own settings that have git run a program by itself. */
const OVERRIDES: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["log.showSignature", "false"],
  ["protocol.ext.allow", "never"],
  ...ALWAYS_SET,
];

/** Settings of {@link untrustedEnvironment}. */
export interface UntrustedEnvironmentOptions {
  readonly workingDirectory: string;
  /** The project's root. */
  readonly projectDirectory: string;
  /** What overrules the programs that this very repository names. @default nothing */
  readonly gitSettings?: readonly GitSetting[] | undefined;
}

/**
 * The environment of an agent in a project that is not trusted. Agents call programs in a project before anybody has
 * allowed them a command: none is looked for in the project, as `npx` and `direnv` have it, and git runs no hook, no file
 * monitor, and what else the repository it is in would have it run.
 */
export function untrustedEnvironment(
  env: Readonly<Record<string, string>>,
  { workingDirectory, projectDirectory, gitSettings = [] }: UntrustedEnvironmentOptions,
): Record<string, string> {
  const { PATH: searchPath, HOME: home } = env;
  const roots = [workingDirectory, projectDirectory];
  const settings = [...gitSettings, ...OVERRIDES];
  return {
    ...withGitSettings(env, settings),
    ...protocolsOf(env, settings),
    ...(searchPath === undefined ? {} : { PATH: withoutFoldersIn(roots, searchPath, home) }),
    // A list of the repository's that no later setting overrules.
    GIT_PROXY_COMMAND: env.GIT_PROXY_COMMAND ?? "",
  };
}

/** Where the user has a list of transports, git looks at no settings about them: those denied here go from the list. */
function protocolsOf(
  { GIT_ALLOW_PROTOCOL: own }: Readonly<Record<string, string>>,
  settings: readonly GitSetting[],
): Readonly<Record<string, string>> {
  if (own === undefined) return {};
  const denied = new Set(settings.filter(([, value]) => value === "never").map(([key]) => key));
  const left = own.split(":").filter((name) => !denied.has(`protocol.${name}.allow`));
  return { GIT_ALLOW_PROTOCOL: left.join(":") };
}

/** The same call, which finds no program in the project: what Atomic itself starts is the system's. */
export function withoutProjectPrograms(
  environment: CliEnvironment,
  place: UntrustedEnvironmentOptions,
): CliEnvironment {
  const { PATH: searchPath } = environment.env;
  if (searchPath === undefined) return environment;
  const own = { PATH: searchPath, HOME: environment.userHomeDirectory };
  const { PATH: safePath } = untrustedEnvironment(own, place);
  return { ...environment, env: { ...environment.env, PATH: safePath } };
}

/** The home and the root of the file system are no project: programs in them are the user's, and the system's. */
function withoutFoldersIn(roots: readonly string[], searchPath: string, home: string | undefined): string {
  const wide = new Set(["/", ...(home === undefined ? [] : [realPathOf(home)])]);
  const within = [...new Set(roots.map(realPathOf))].filter((root) => !wide.has(root));
  const isInside = (folder: string): boolean =>
    withFoldersAbove(resolve(folder)).some((place) =>
      within.some((root) => `${realPathOf(place)}${sep}`.startsWith(root + sep)),
    );
  return searchPath
    .split(delimiter)
    .filter((folder) => !isInside(folder))
    .join(delimiter);
}

/** A link in the project may lead out of it: it is the project's all the same. */
function withFoldersAbove(folder: string): readonly string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...withFoldersAbove(dirname(folder))];
}
