import { homedir } from "node:os";
import { resolve } from "node:path";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import {
  ENTITY_TYPES,
  type EntityType,
  LOCATIONS,
  PROVIDERS,
  type ProviderType,
  type UnifiedEntity,
} from "./entity.ts";
import type { EntityPlace } from "./entity-place.ts";
import { listEntityPlaces, loadYamlParser } from "./entity-places.ts";
import { mergeOpenCodeLayers } from "./merge-opencode-layers.ts";
import type { UnusableEntity } from "./parse-opencode-config.ts";
import { describeUnknownAgent } from "./unknown-agent.ts";

/** An entity, and what became of its name. */
export interface RegisteredEntity {
  readonly entity: UnifiedEntity;
  /** The entity of the same name that is used instead. */
  readonly shadowedBy?: UnifiedEntity;
}

/** What is wrong with a definition, or with the file or folder that it should be in. */
export interface EntityProblem extends DiscoveryProblem {
  /** The types of the definitions that the file or folder can have. */
  readonly types: readonly EntityType[];
}

/** Settings of {@link EntityRegistry.registerFromProvider}. */
export interface RegisterProviderOptions {
  /** Whether the folder is a project or the user's home: the provider's folders differ. @default user for the home folder, else project */
  readonly location?: "project" | "user";
}

/**
 * Agents, skills, commands and instructions by their names. Lookups ignore case and know aliases. Of two entities with one
 * name the project's is used before the user's, that before a built-in one, and that before one of a project that is not
 * trusted; within one location the order is `.atomic`,
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
  #problems: readonly EntityProblem[] = [];
  #unusable: readonly UnusableEntity[] = [];

  /** What could not be read, or not entirely, in the order in which it was found. */
  get problems(): readonly EntityProblem[] {
    return [...this.#problems, ...this.#unknownAgents()];
  }

  /** Adds an entity; which one a name stands for then depends on precedence, not on the order of the calls. */
  register(entity: UnifiedEntity): void {
    const known = this.#entities.get(entity.type);
    if (known === undefined) this.#entities.set(entity.type, [entity]);
    else known.push(entity);
    claim(this.#byName, keyOf(entity.type, entity.name), entity);
    for (const alias of entity.aliases ?? []) claim(this.#byAlias, keyOf(entity.type, alias), entity);
  }

  /**
   * Adds all definitions of a provider in a project or in the user's home. A file that cannot be read is one of the
   * `problems` and affects no other.
   *
   * @example
   * await registry.registerFromProvider("claude", "/home/me/project");
   * await registry.registerFromProvider("opencode", "/home/me", { location: "user" });
   */
  async registerFromProvider(
    provider: ProviderType,
    basePath: string,
    { location = resolve(basePath) === homedir() ? "user" : "project" }: RegisterProviderOptions = {},
  ): Promise<void> {
    const directory = resolve(basePath);
    const homeDirectory = location === "user" ? directory : homedir();
    const places = await listEntityPlaces({ projectDirectory: directory, homeDirectory, providers: [provider] });
    await this.registerPlaces(places.filter((place) => place.location === location));
  }

  /** Adds all definitions of some places, of which the first has the highest precedence among equals. */
  async registerPlaces(places: readonly EntityPlace[]): Promise<void> {
    const parseYaml = await loadYamlParser();
    const read = mergeOpenCodeLayers(
      await Promise.all(
        places.map(async (place) => ({ types: place.types, order: place.order, ...(await place.read(parseYaml)) })),
      ),
    );
    // Of two equals, the one that is registered later is used.
    for (const { entities } of read.toReversed()) for (const entity of entities.toReversed()) this.register(entity);
    const found = read.flatMap(({ problems, types }) => problems.map((problem) => ({ types, ...problem })));
    this.#problems = [...this.#problems, ...found];
    this.#unusable = [...this.#unusable, ...read.flatMap(({ unusable = [] }) => unusable)];
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

  /**
   * An entity by its name, or else by an alias; but an alias in a file precedes the name of a built-in entity, and either in a
   * trusted place precedes both in a project that is not trusted.
   */
  get(type: EntityType, name: string): UnifiedEntity | undefined {
    const key = keyOf(type, name.trim());
    const [named, other] = [this.#byName.get(key), this.#byAlias.get(key)];
    if (named === undefined || other === undefined) return named ?? other;
    if (isUntrusted(named) !== isUntrusted(other)) return isUntrusted(named) ? other : named;
    return isBuiltIn(named) && !isBuiltIn(other) ? other : named;
  }

  /**
   * The problem of a definition that would be used for this name if it could be: `get` returns another one of the same
   * name, or none.
   */
  problemOf(type: EntityType, name: string): DiscoveryProblem | undefined {
    const key = keyOf(type, name.trim());
    const used = this.get(type, name);
    const isMeant = ({ entity }: UnusableEntity): boolean =>
      [entity.name, ...(entity.aliases ?? [])].some((each) => keyOf(entity.type, each) === key);
    return this.#unusable.find((each) => isMeant(each) && (used === undefined || rankOf(each.entity) <= rankOf(used)))
      ?.problem;
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

  /** All entities of a type by name, those included whose names stand for another one, which they follow by precedence. */
  entries(type: EntityType): readonly RegisteredEntity[] {
    // Of equals the newer one is used.
    return (this.#entities.get(type) ?? [])
      .toReversed()
      .sort(byNameAndRank)
      .map((entity) => {
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

  /** Commands and skills that name an agent which no definition has, so far. */
  #unknownAgents(): readonly EntityProblem[] {
    return [...this.all("skill"), ...this.all("command")].flatMap((entity) => {
      const message = describeUnknownAgent(entity, this);
      const { path } = entity.source;
      const isReported = this.problemOf("agent", entity.agent ?? "") !== undefined;
      if (message === undefined || path === undefined || isReported) return [];
      const field = entity.fields.agent === undefined ? "mode" : "agent";
      const remedy = `Correct the field "${field}" of "${entity.name}", or write that agent: without it, the ${entity.type} cannot be used.`;
      return [{ path, message, remedy, severity: "warning", types: [entity.type] }];
    });
  }

  #ownerOf({ type, name }: UnifiedEntity): UnifiedEntity | undefined {
    return this.get(type, name);
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
function rankOf(entity: UnifiedEntity): number {
  const { location, provider } = entity.source;
  // A project that nobody trusts must take the place of nothing.
  const place = LOCATIONS.indexOf(location) + (isUntrusted(entity) ? LOCATIONS.length : 0);
  return place * PROVIDERS.length + rankOfProvider(provider);
}

function isUntrusted({ source }: UnifiedEntity): boolean {
  return source.isUntrusted === true;
}

function rankOfProvider(provider: ProviderType): number {
  return PROVIDERS.indexOf(provider);
}

function isBuiltIn({ source }: UnifiedEntity): boolean {
  return source.location === "builtin";
}

/** Names that differ in nothing but case are the same name. */
function byNameAndRank(left: UnifiedEntity, right: UnifiedEntity): number {
  const [first, second] = [left.name.toLowerCase(), right.name.toLowerCase()];
  return first.localeCompare(second, "en") || rankOf(left) - rankOf(right);
}

function byName(left: UnifiedEntity, right: UnifiedEntity): number {
  return left.name.localeCompare(right.name, "en");
}
