import { type EntityType, PROVIDERS, type ProviderType, type UnifiedEntity } from "./entity.ts";
import type { EntityPlacesOptions } from "./entity-place.ts";
import { listEntityPlaces } from "./entity-places.ts";
import { createEntityRegistry, type EntityProblem, type EntityRegistry } from "./entity-registry.ts";

/** Settings of {@link discoverEntities}. */
export interface DiscoverEntitiesOptions extends EntityPlacesOptions {
  /** Entities that come with the program. @default none */
  readonly builtIn?: readonly UnifiedEntity[];
  /** Receives a line for each finding, for debugging. @default none */
  readonly onDebug?: (line: string) => void;
}

/** What {@link discoverEntities} found. */
export interface DiscoveredEntities {
  readonly registry: EntityRegistry;
  /** The same as `registry.problems`. */
  readonly problems: readonly EntityProblem[];
}

/**
 * Finds the agents, skills, commands and instructions of a project and of the user, in the folders and formats of Claude
 * Code, OpenCode, Copilot and Atomic. A file that is broken is a problem and stops no other. Runs no code of the project.
 * Must not throw.
 *
 * @example
 * const { registry, problems } = await discoverEntities({ projectDirectory: process.cwd(), homeDirectory: homedir() });
 * registry.getCommand("git:commit")?.prompt;
 */
export async function discoverEntities(options: DiscoverEntitiesOptions): Promise<DiscoveredEntities> {
  const { providers = PROVIDERS, builtIn = [], onDebug = () => {} } = options;
  const registry = createEntityRegistry();
  for (const entity of builtIn) registry.register(entity);
  await registry.registerPlaces(await listEntityPlaces(options));
  for (const provider of providers) onDebug(describeProvider(provider, registry));
  for (const { path, line, message } of registry.problems) {
    onDebug(`[workflows] Problem in ${path}${line === undefined ? "" : `:${line}`}: ${message}`);
  }
  return { registry, problems: registry.problems };
}

function describeProvider(provider: ProviderType, registry: EntityRegistry): string {
  const count = (type: EntityType): number =>
    registry.all(type).filter(({ source }) => source.provider === provider).length;
  const parts = [
    `${count("skill")} skills`,
    `${count("agent")} agents`,
    `${count("command")} commands`,
    `${count("instructions")} instructions`,
  ];
  const total = count("skill") + count("agent") + count("command") + count("instructions");
  return `[workflows] Registered ${total} entities from ${provider} (${parts.join(", ")})`;
}
