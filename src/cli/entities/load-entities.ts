import {
  BUILT_IN_ENTITIES,
  type DiscoverEntitiesOptions,
  type DiscoveredEntities,
  discoverEntities,
} from "../../discovery/index.ts";
import { safeLine } from "../../view/index.ts";
import { type CliEnvironment, isDebug } from "../environment.ts";
import type { Workspace } from "../workspace.ts";

/** Settings of {@link loadEntities}. */
export interface LoadEntitiesOptions {
  /** @default the project in which the call was made */
  readonly projectDirectory?: string;
  /** Receives a line for each finding. @default standard error, with `ATOMIC_DEBUG` */
  readonly onDebug?: ((line: string) => void) | undefined;
}

/** Finds the agents, skills, commands and instructions that a call can use. Runs no code of the project. */
export async function loadEntities(
  environment: CliEnvironment,
  workspace: Workspace,
  options: LoadEntitiesOptions = {},
): Promise<DiscoveredEntities> {
  return await discoverEntities(await entityPlaces(environment, workspace, options));
}

/** Where the definitions of a call are. */
export async function entityPlaces(
  environment: CliEnvironment,
  workspace: Workspace,
  { projectDirectory = workspace.projectDirectory, onDebug = createDebugLog(environment) }: LoadEntitiesOptions = {},
): Promise<DiscoverEntitiesOptions> {
  const { env, userHomeDirectory } = environment;
  const { CLAUDE_CONFIG_DIR: claude = "", XDG_CONFIG_HOME: xdg = "" } = env;
  return {
    projectDirectory,
    workingDirectory: workspace.workingDirectory,
    homeDirectory: userHomeDirectory,
    atomicHome: workspace.atomicHome,
    ...(claude === "" ? {} : { claudeConfigDirectory: claude }),
    ...(xdg === "" ? {} : { xdgConfigDirectory: xdg }),
    isTrusted: await workspace.trust.isTrusted(projectDirectory),
    env,
    builtIn: BUILT_IN_ENTITIES,
    ...(onDebug === undefined ? {} : { onDebug }),
  };
}

/**
 * Writes a line for each definition that is registered, found by name, or missing. Nothing without `ATOMIC_DEBUG`.
 *
 * @param write where the lines go; by default to standard error
 */
export function createDebugLog(
  environment: CliEnvironment,
  write: (line: string) => void = (line) => environment.stderr.write(`${line}\n`),
): ((line: string) => void) | undefined {
  return isDebug(environment) ? (line) => write(safeLine(line, Number.MAX_SAFE_INTEGER)) : undefined;
}
