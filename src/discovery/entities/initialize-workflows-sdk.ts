import { homedir } from "node:os";
import { resolve } from "node:path";
import { BUILT_IN_AGENTS } from "./built-in-agents.ts";
import { BUILT_IN_SKILLS } from "./built-in-skills.ts";
import { type DiscoverEntitiesOptions, discoverEntities } from "./discover-entities.ts";
import type { UnifiedEntity } from "./entity.ts";
import type { EntityRegistry } from "./entity-registry.ts";

/** The agents and skills that come with Atomic. Definitions in files precede them. */
export const BUILT_IN_ENTITIES: readonly UnifiedEntity[] = [...BUILT_IN_AGENTS, ...BUILT_IN_SKILLS];

/** Settings of {@link initializeWorkflowsSDK}. */
export interface InitializeWorkflowsOptions
  extends Omit<DiscoverEntitiesOptions, "projectDirectory" | "homeDirectory" | "builtIn"> {
  /** The folder of the project. @default the working directory */
  readonly projectPath?: string;
  /** The home folder of the user. @default that of the process's user */
  readonly userPath?: string;
}

/**
 * Creates a registry of everything that can be used by name: the built-in agents and skills, then the user's definitions,
 * then the project's, which precede the others. Files that cannot be read are listed in the registry's `problems`. Each
 * call reads the files again and returns a registry of its own.
 *
 * @example
 * const registry = await initializeWorkflowsSDK({ providers: ["claude", "atomic"], projectPath: "/home/me/project" });
 * registry.getAgent("debugger")?.source.location; // "builtin", unless a file defines one
 */
export async function initializeWorkflowsSDK(options: InitializeWorkflowsOptions = {}): Promise<EntityRegistry> {
  const { projectPath = ".", userPath = homedir(), ...others } = options;
  const { registry } = await discoverEntities({
    ...others,
    projectDirectory: resolve(projectPath),
    homeDirectory: resolve(userPath),
    builtIn: BUILT_IN_ENTITIES,
  });
  return registry;
}
