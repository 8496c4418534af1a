import { delimiter, dirname, resolve, sep } from "node:path";
import { realPathOf } from "../../discovery/trust-kit.ts";
import { ALWAYS_SET, type GitSetting, withGitSettings } from "../agents/git-settings.ts";
import type { CliEnvironment } from "../environment.ts";

/** Overrides for repository settings that make git run a program by itself. */
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
  /** Overrides for the programs that this repository names. @default none */
  readonly gitSettings?: readonly GitSetting[] | undefined;
}

/**
 * The environment of an agent in an untrusted project. Agents run programs before a command is approved, so the PATH has no
 * folder of the project (`npx` and `direnv` add such), and git runs no hook, file monitor or other program of the
 * repository.
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
    // No later setting overrides this list of the repository.
    GIT_PROXY_COMMAND: env.GIT_PROXY_COMMAND ?? "",
  };
}

/** If the user lists transports, git ignores the settings of transports, so the denied ones are removed from the list. */
function protocolsOf(
  { GIT_ALLOW_PROTOCOL: own }: Readonly<Record<string, string>>,
  settings: readonly GitSetting[],
): Readonly<Record<string, string>> {
  if (own === undefined) return {};
  const denied = new Set(settings.filter(([, value]) => value === "never").map(([key]) => key));
  const left = own.split(":").filter((name) => !denied.has(`protocol.${name}.allow`));
  return { GIT_ALLOW_PROTOCOL: left.join(":") };
}

/** The same call with a PATH outside of the project, for the programs that Atomic itself starts. */
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

/** The home and the root of the file system are not projects: their programs belong to the user and the system. */
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

/** A link in the project belongs to the project, even if it leads out of it. */
function withFoldersAbove(folder: string): readonly string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...withFoldersAbove(dirname(folder))];
}
