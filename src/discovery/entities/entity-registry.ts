import {
  ENTITY_TYPES,
  type EntityType,
  LOCATIONS,
  PROVIDERS,
  type ProviderType,
  type UnifiedEntity,
} from "./entity.ts";

/** An entity, and what became of its name. */
export interface RegisteredEntity {
  readonly entity: UnifiedEntity;
  /** The entity of the same name that is used instead. */
  readonly shadowedBy?: UnifiedEntity;
}

/**
 * Agents, skills, commands and instructions by their names. Lookups ignore case and know aliases. Of two entities with one
 * name the project's is used before the user's, that before a built-in one; within one location the order is `.atomic`,
 * `.claude`, `.opencode`, `.github`; of two from one place the newer one.
 *
 * @example
 * const registry = createEntityRegistry();
 * registry.register({ type: "agent", name: "Reviewer", description: "Reviews", prompt: "Review.", fields: {}, source: { provider: "atomic", location: "user" } });
 * registry.getAgent("reviewer")?.prompt; // "Review."
 */
export class EntityRegistry {
  readonly #entities = new Map<EntityType, UnifiedEntity[]>();
  readonly #byName = new Map<string, UnifiedEntity>();
  readonly #byAlias = new Map<string, UnifiedEntity>();

  /** Adds an entity; which one a name stands for then depends on precedence, not on the order of the calls. */
  register(entity: UnifiedEntity): void {
    const known = this.#entities.get(entity.type) ?? [];
    this.#entities.set(entity.type, [...known, entity]);
    claim(this.#byName, keyOf(entity.type, entity.name), entity);
    for (const alias of entity.aliases ?? []) claim(this.#byAlias, keyOf(entity.type, alias), entity);
  }

  getAgent(name: string): UnifiedEntity | undefined {
    return this.get("agent", name);
  }

  getSkill(name: string): UnifiedEntity | undefined {
    return this.get("skill", name);
  }

  getCommand(name: string): UnifiedEntity | undefined {
    return this.get("command", name);
  }

  /** An entity by its name, or else by an alias. */
  get(type: EntityType, name: string): UnifiedEntity | undefined {
    const key = keyOf(type, name.trim());
    return this.#byName.get(key) ?? this.#byAlias.get(key);
  }

  searchAgents(prefix: string): readonly UnifiedEntity[] {
    return this.search("agent", prefix);
  }

  searchSkills(prefix: string): readonly UnifiedEntity[] {
    return this.search("skill", prefix);
  }

  searchCommands(prefix: string): readonly UnifiedEntity[] {
    return this.search("command", prefix);
  }

  /** The entities whose names or aliases begin so, by name. */
  search(type: EntityType, prefix: string): readonly UnifiedEntity[] {
    const wanted = prefix.trim().toLowerCase();
    const fits = (name: string): boolean => name.toLowerCase().startsWith(wanted);
    return this.all(type).filter(({ name, aliases = [] }) => fits(name) || aliases.some(fits));
  }

  allAgents(): readonly UnifiedEntity[] {
    return this.all("agent");
  }

  allSkills(): readonly UnifiedEntity[] {
    return this.all("skill");
  }

  allCommands(): readonly UnifiedEntity[] {
    return this.all("command");
  }

  allInstructions(): readonly UnifiedEntity[] {
    return this.all("instructions");
  }

  /** The entities that names stand for, by name. */
  all(type: EntityType): readonly UnifiedEntity[] {
    return (this.#entities.get(type) ?? []).filter((entity) => this.#ownerOf(entity) === entity).sort(byName);
  }

  /** All entities of a type, those included whose names stand for another one. */
  entries(type: EntityType): readonly RegisteredEntity[] {
    return [...(this.#entities.get(type) ?? [])].sort(byName).map((entity) => {
      const owner = this.#ownerOf(entity);
      return owner === entity || owner === undefined ? { entity } : { entity, shadowedBy: owner };
    });
  }

  /** What may follow the name of a command or a skill. */
  getArgumentHint(name: string): string | undefined {
    return (this.getCommand(name) ?? this.getSkill(name))?.argumentHint;
  }

  /** How many entities of each type are used. */
  counts(): Readonly<Record<EntityType, number>> {
    // The cast is true: every type is there.
    return Object.fromEntries(ENTITY_TYPES.map((type) => [type, this.all(type).length])) as Record<EntityType, number>;
  }

  #ownerOf({ type, name }: UnifiedEntity): UnifiedEntity | undefined {
    return this.#byName.get(keyOf(type, name));
  }
}

/** An empty registry. */
export function createEntityRegistry(): EntityRegistry {
  return new EntityRegistry();
}

function keyOf(type: EntityType, name: string): string {
  return `${type}:${name.toLowerCase()}`;
}

function claim(owners: Map<string, UnifiedEntity>, key: string, entity: UnifiedEntity): void {
  const owner = owners.get(key);
  if (owner === undefined || rankOf(entity) <= rankOf(owner)) owners.set(key, entity);
}

/** Lower ranks are used first. */
function rankOf({ source }: UnifiedEntity): number {
  return LOCATIONS.indexOf(source.location) * PROVIDERS.length + rankOfProvider(source.provider);
}

function rankOfProvider(provider: ProviderType): number {
  return PROVIDERS.indexOf(provider);
}

function byName(left: UnifiedEntity, right: UnifiedEntity): number {
  return left.name.localeCompare(right.name, "en");
}
