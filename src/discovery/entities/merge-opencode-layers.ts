import type { UnifiedEntity } from "./entity.ts";
import type { ReadPlace } from "./entity-place.ts";
import { mergeFields } from "./merge-fields.ts";
import { bareToolName } from "./normalize-tools.ts";
import { isDisabled } from "./opencode-entry-schema.ts";
import { createEntity } from "./parse-definition.ts";
import type { UnusableEntity } from "./parse-opencode-config.ts";
import { toolListOf } from "./tool-list-of.ts";

/** A place that was read; OpenCode's have an order. */
export interface OrderedPlace extends ReadPlace {
  readonly order?: number | undefined;
}

/** What one place says about a definition. */
interface Layer {
  readonly entity: UnifiedEntity;
  readonly order: number;
  /** Whether it is a definition by itself. */
  readonly isWhole: boolean;
  /** Why it cannot be read. */
  readonly problem?: UnusableEntity["problem"];
}

/**
 * Makes one definition of what OpenCode's files say about an agent or a command of one name, as OpenCode does, so that no
 * limit is lost which only one of them has. Pure.
 *
 * 1. The first definition, by the places' order in the list, gets what all layers say; the others stay as they are.
 * 2. Of two layers that set the same field, or the same key of a table, the one with the higher `order` counts; exclusions
 *    in `disallowed-tools` add up.
 * 3. What a project that is not trusted says applies to its own definitions only.
 * 4. Where one layer cannot be read, the definition is not used; where they add up to `disable`, none of them is.
 * 5. A definition of one of OpenCode's own agents keeps the limits that this agent has in OpenCode.
 * 6. What is set for one of OpenCode's own agents, which no file defines, limits the commands that name it.
 *
 * @param places the one with the highest precedence first
 */
export function mergeOpenCodeLayers<Place extends OrderedPlace>(places: readonly Place[]): readonly Place[] {
  const merged = new Map<UnifiedEntity, UnifiedEntity | undefined>();
  const unusable: UnusableEntity[] = [];
  const groups = groupLayers(places);
  for (const layers of groups.values()) {
    const trusted = layers.filter(({ entity }) => !isUntrusted(entity));
    const untrusted = layers.filter(({ entity }) => isUntrusted(entity));
    // Invariant 3.
    for (const [own, all] of [
      [trusted, trusted],
      [untrusted, layers],
    ] as const) {
      const used = own.find(({ isWhole }) => isWhole)?.entity;
      if (used === undefined) continue;
      const whole = all.length < 2 && ownFields(used) === undefined ? used : mergeLayers(used, all);
      const ofAgent = layersOfAgent(whole, groups);
      const definition = limitByAgent(whole, ofAgent);
      const problem = [...all, ...ofAgent].find((layer) => layer.problem !== undefined)?.problem;
      if (problem !== undefined) unusable.push({ entity: used, problem });
      if (definition.type === "agent" && isDisabled(definition.fields)) {
        for (const { entity } of own) merged.set(entity, undefined);
      } else if (definition !== used) merged.set(used, definition);
    }
  }
  return places.map((place, index) => ({
    ...place,
    entities: place.entities.flatMap((entity) => (merged.has(entity) ? (merged.get(entity) ?? []) : [entity])),
    unusable: [...(place.unusable ?? []), ...(index === 0 ? unusable : [])],
  }));
}

/** The layers of each agent and each command, in the places' order. */
function groupLayers(places: readonly OrderedPlace[]): ReadonlyMap<string, readonly Layer[]> {
  const groups = new Map<string, Layer[]>();
  const add = (layer: Layer): void => {
    const { type, name } = layer.entity;
    if (type !== "agent" && type !== "command") return;
    const key = `${type}:${name}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [layer]);
    else known.push(layer);
  };
  for (const { order, entities, changes = [], unusable = [] } of places) {
    if (order === undefined) continue;
    for (const entity of entities) add({ entity, order, isWhole: true });
    for (const entity of changes) add({ entity, order, isWhole: false });
    for (const { entity, problem } of unusable) add({ entity, order, isWhole: false, problem });
  }
  return groups;
}

/** What files set for an agent of OpenCode's own that carries out a command; nothing for an agent that a file defines. */
function layersOfAgent(
  { type, agent, source }: UnifiedEntity,
  groups: ReadonlyMap<string, readonly Layer[]>,
): readonly Layer[] {
  const all = (type === "command" ? groups.get(`agent:${agent}`) : undefined) ?? [];
  const layers = source.isUntrusted === true ? all : all.filter(({ entity }) => !isUntrusted(entity));
  return layers.some(({ isWhole }) => isWhole) ? [] : layers;
}

/** Invariant 6: what either of them denies is denied. */
function limitByAgent(command: UnifiedEntity, layers: readonly Layer[]): UnifiedEntity {
  const [first] = layers;
  const ofAgent = first && toolListOf(withFields(first.entity, fieldsOf(inOrder(layers)), ""));
  if (ofAgent === undefined) return command;
  const lists = [toolListOf(command) ?? ["*"], ofAgent];
  const denied = lists.flatMap((list) => list.filter(isExclusion).map((name) => name.slice(1)));
  const [own = [], other = []] = lists.map((list) => list.filter((name) => !isExclusion(name)));
  const allowed = unique([...keepAllowed(own, other), ...keepAllowed(other, own)]);
  const limits = {
    ...(allowed[0] === "*" ? {} : { tools: allowed }),
    ...(denied.length === 0 ? {} : { "disallowed-tools": denied }),
  };
  return withFields(command, { ...command.fields, ...limits }, command.prompt);
}

/** Of names that differ only in case, the first one. */
function unique(names: readonly string[]): readonly string[] {
  return [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed();
}

function isExclusion(name: string): boolean {
  return name.startsWith("!");
}

/** The names in a list that another one has as a whole, not for some calls only. */
function keepAllowed(names: readonly string[], list: readonly string[]): readonly string[] {
  const wholes = new Set(list.map((name) => name.toLowerCase()));
  return names.filter((name) => wholes.has("*") || wholes.has(bareToolName(name)));
}

function mergeLayers(used: UnifiedEntity, layers: readonly Layer[]): UnifiedEntity {
  const ordered = inOrder(layers);
  const { prompt, source } = ordered.findLast((entity) => entity.prompt !== "") ?? used;
  const fields = mergeFields(ownFields(used) ?? {}, fieldsOf(ordered));
  const { path = "" } = source;
  // The file that people look for is that with the text.
  return withFields({ ...used, source: { ...used.source, path } }, fields, prompt);
}

/** Invariant 5: OpenCode's own layer, below all others. */
function ownFields({ type, name }: UnifiedEntity): Fields | undefined {
  return type === "agent" && Object.hasOwn(OWN_PERMISSIONS, name) ? { permission: OWN_PERMISSIONS[name] } : undefined;
}

const READING = ["grep", "glob", "list", "bash", "webfetch", "websearch", "read"];

const OWN_PERMISSIONS: Readonly<Record<string, Fields>> = {
  plan: { edit: "deny" },
  explore: { "*": "deny", ...Object.fromEntries(READING.map((name) => [name, "allow"])) },
};

/** The last one counts; in one place, that is what comes first. */
function inOrder(layers: readonly Layer[]): readonly UnifiedEntity[] {
  return layers
    .filter(({ problem }) => problem === undefined)
    .toReversed()
    .toSorted((left, right) => left.order - right.order)
    .map(({ entity }) => entity);
}

function withFields({ type, name, aliases, source }: UnifiedEntity, fields: Fields, prompt: string): UnifiedEntity {
  const entity = createEntity({ type, name, path: "", ...source }, fields, prompt);
  return { ...entity, ...(aliases === undefined ? {} : { aliases }) };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(ordered: readonly UnifiedEntity[]): Fields {
  return ordered.reduce((lower, { fields: higher }) => mergeFields(lower, higher), {});
}

function isUntrusted({ source }: UnifiedEntity): boolean {
  return source.isUntrusted === true;
}
