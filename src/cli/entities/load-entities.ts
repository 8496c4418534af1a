import { type DiscoveredEntities, discoverEntities } from "../../discovery/index.ts";
import { type CliEnvironment, isDebug } from "../environment.ts";
import type { Workspace } from "../workspace.ts";

/** Finds the agents, skills, commands and instructions that a call can use. Runs no code of the project. */
export async function loadEntities(
  { env, userHomeDirectory, stderr }: CliEnvironment,
  workspace: Workspace,
  projectDirectory: string,
): Promise<DiscoveredEntities> {
  const { CLAUDE_CONFIG_DIR: claude = "", XDG_CONFIG_HOME: xdg = "" } = env;
  return await discoverEntities({
    projectDirectory,
    homeDirectory: userHomeDirectory,
    atomicHome: workspace.atomicHome,
    ...(claude === "" ? {} : { claudeConfigDirectory: claude }),
    ...(xdg === "" ? {} : { xdgConfigDirectory: xdg }),
    isTrusted: await workspace.trust.isTrusted(projectDirectory),
    env,
    ...(isDebug({ env }) ? { onDebug: (line) => stderr.write(`${line}\n`) } : {}),
  });
}
