import { type EntityRegistry, type EntityType, toolListOf, type UnifiedEntity } from "../../discovery/index.ts";
import {
  type AgentDefinition,
  getSubagentRegistry,
  type PromptDefinition,
  type RunServices,
} from "../../graph/index.ts";
import type { NameLookup } from "../../telemetry/index.ts";
import { describeSource } from "./entities-commands.ts";
import { type ExpandPlace, expandEntity } from "./expand-entity.ts";
import { findAgentOf, throwIfUnusable, untrustedEntity } from "./find-entity.ts";

/** What named entities are used with. */
export interface EntityUse extends ExpandPlace {
  /** Finds the entities, when the first name is looked up. */
  readonly load: () => Promise<EntityRegistry>;
  /** The agent of the run. */
  readonly agent: string;
  /** Whether nothing may run: commands in prompts stay as they are. @default false */
  readonly isRehearsal?: boolean;
  /** Receives a line for each name that was looked up. @default none */
  readonly onDebug?: ((line: string) => void) | undefined;
  /** Measures each name that was looked up. @default none */
  readonly onLookup?: ((lookup: NameLookup) => void) | undefined;
}

/**
 * The run's `agents`, `skills` and `commands`: those that were found in the folders of the project and the user. An agent
 * that the workflow's file has registered comes first.
 */
export function createEntityServices(use: EntityUse): Pick<RunServices, "agents" | "skills" | "commands"> {
  const { onDebug = () => {}, onLookup = () => {} } = use;
  let loading: Promise<EntityRegistry> | undefined;
  let registry: EntityRegistry | undefined;
  const load = async (): Promise<EntityRegistry> => {
    loading ??= use.load();
    registry = await loading;
    return registry;
  };
  const named = <Definition>(
    type: EntityType,
    define: (entity: UnifiedEntity, all: EntityRegistry) => Definition | Promise<Definition>,
  ) => ({
    async find(name: string): Promise<Definition | undefined> {
      const isCached = registry !== undefined;
      const startedAt = performance.now();
      const all = await load();
      const entity = all.get(type, name);
      onLookup({ type, durationMs: performance.now() - startedAt, isFound: entity !== undefined, isCached });
      onDebug(describeLookup({ type, name }, entity));
      throwIfUnusable(all, type, name);
      if (entity?.source.isUntrusted === true) throw untrustedEntity(entity);
      return entity === undefined ? undefined : await define(entity, all);
    },
    // Names are wanted for the error about one that was looked up.
    names: () => (registry?.all(type) ?? []).map(({ name }) => name),
  });
  const found = named("agent", (entity) => defineAgent(entity, use));
  return {
    agents: {
      async find(name) {
        const registered = await getSubagentRegistry().find(name);
        if (registered === undefined) return await found.find(name);
        onDebug(`[workflows] Resolved agent "${name}": registered by code`);
        return registered;
      },
      names: () => [...getSubagentRegistry().names(), ...found.names()],
    },
    skills: named("skill", (entity, all) => definePrompt(entity, all, use)),
    commands: named("command", (entity, all) => definePrompt(entity, all, use)),
  };
}

function describeLookup(
  { type, name }: { readonly type: EntityType; readonly name: string },
  entity: UnifiedEntity | undefined,
): string {
  if (entity === undefined) return `[workflows] Missed ${type} "${name}": no definition has this name`;
  const { path } = entity.source;
  return `[workflows] Resolved ${type} "${name}": ${describeSource(entity)}${path === undefined ? "" : `, ${path}`}`;
}

function defineAgent(entity: UnifiedEntity, use: EntityUse): AgentDefinition {
  const { name, description, prompt } = entity;
  const tools = toolListOf(entity);
  return { name, description, prompt, ...modelsFor(entity, use.agent), ...(tools === undefined ? {} : { tools }) };
}

async function definePrompt(entity: UnifiedEntity, all: EntityRegistry, use: EntityUse): Promise<PromptDefinition> {
  const { name, description, prompt, agent, directory } = entity;
  const registered = agent === undefined ? undefined : await getSubagentRegistry().find(agent);
  // Vendors have agents of their own, which are theirs alone.
  const isKnown = registered !== undefined || findAgentOf(entity, all) !== undefined;
  const tools = toolListOf(entity);
  return {
    name,
    description,
    prompt,
    ...(isKnown && agent !== undefined ? { agent } : {}),
    ...modelsFor(entity, use.agent),
    ...(tools === undefined ? {} : { tools }),
    ...(directory === undefined ? {} : { directory }),
    ...(use.isRehearsal === true
      ? {}
      : { expand: (args, { signal }) => expandEntity(entity, { ...use, args, signal }) }),
  };
}

/** The model of a definition, for each agent that has it. */
export function modelsFor(
  { model, vendorModel, source: { provider } }: UnifiedEntity,
  agent: string,
): Pick<AgentDefinition, "model" | "models"> {
  if (vendorModel === undefined || vendorModel.toLowerCase() === "inherit") return {};
  const family = model === undefined || model === "inherit" ? {} : { claude: model };
  // Atomic's own definitions name a model in the spelling of the agent that they are used with.
  const own = provider === "atomic" ? { [agent]: vendorModel } : { [provider]: vendorModel };
  const models: Readonly<Record<string, string>> = { ...own, ...family, ...(provider === "claude" ? own : {}) };
  const ofRun = models[agent];
  return { models, ...(ofRun === undefined ? {} : { model: ofRun }) };
}
