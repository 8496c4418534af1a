import { nearestName } from "../../contracts/index.ts";
import {
  describeUnknownAgent,
  type EntityRegistry,
  type EntityType,
  type UnifiedEntity,
} from "../../discovery/index.ts";
import { visibleLine } from "../../view/index.ts";
import { UsageError } from "../config/usage-error.ts";
import { formatProblem } from "../loading/workflow-errors.ts";
import { quoteWord } from "../output/quote-word.ts";

/** The types that people look up and run. */
export type NamedType = Exclude<EntityType, "instructions">;

/** The definition that a name is used for, also with a slash before it. @throws UsageError if there is none that can be used */
export function findEntity(registry: EntityRegistry, type: NamedType, typed: string): UnifiedEntity {
  const name = typed.replace(/^\//, "");
  throwIfUnusable(registry, type, name);
  const entity = registry.get(type, name);
  if (entity !== undefined) return entity;
  const other = findNamed(registry, name);
  if (other === undefined) throw unknownEntity(type, typed, registry.all(type));
  const kind = other.type === "agent" ? "an agent" : `a ${other.type}`;
  throw new UsageError(`There is no ${type} "${typed}". It is ${kind}: ${callOf(other)}`);
}

/** A definition of any type that people can run. */
export function findNamed(registry: EntityRegistry, name: string): UnifiedEntity | undefined {
  return registry.get("command", name) ?? registry.get("skill", name) ?? registry.get("agent", name);
}

/** The call that runs a definition. */
export function callOf({ type, name }: UnifiedEntity): string {
  return `atomic ${type}s run ${quoteWord(visibleLine(name))}${type === "agent" ? ' "…"' : ""}`;
}

/**
 * The agent that carries out a command or a skill. Nothing if it names none, or one that only its vendor has.
 *
 * @throws UsageError for one that does not exist or cannot be used
 */
export function findAgentOf(entity: UnifiedEntity, registry: EntityRegistry): UnifiedEntity | undefined {
  const { type, name, agent } = entity;
  if (agent === undefined) return undefined;
  throwIfUnusable(registry, "agent", agent);
  const unknown = describeUnknownAgent(entity, registry);
  if (unknown !== undefined) {
    const end = unknown.endsWith("?") ? "" : ".";
    throw new UsageError(`The ${type} "${name}" cannot be used: ${unknown}${end} See all of them: atomic agents list`);
  }
  const found = registry.getAgent(agent);
  if (found?.source.isUntrusted === true) throw untrustedEntity(found);
  return found;
}

/** Another definition of the same name must not take the place of one that is broken. @throws UsageError */
export function throwIfUnusable(registry: EntityRegistry, type: EntityType, name: string): void {
  const problem = registry.problemOf(type, name);
  if (problem !== undefined) throw new UsageError(`The ${type} "${name}" cannot be used: ${formatProblem(problem)}`);
}

/** The error for a name that no definition has. */
function unknownEntity(type: NamedType, name: string, known: readonly UnifiedEntity[]): UsageError {
  const nearest = nearestName(
    name,
    known.flatMap((entity) => [entity.name, ...(entity.aliases ?? [])]),
  );
  if (nearest === undefined && isPath(name)) {
    return new UsageError(
      `"${visibleLine(name)}" is a path, not the name of ${type === "agent" ? "an" : "a"} ${type}. See all of them: atomic ${type}s list`,
    );
  }
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return new UsageError(`There is no ${type} "${name}".${hint} See all of them: atomic ${type}s list`);
}

/** OpenCode's commands have names such as `git/commit`. */
function isPath(name: string): boolean {
  return /(?:^|\/)\.{1,2}\/|^~?\/|\.md$/i.test(name);
}

/** The error for a definition of a project that the user does not trust. `isChat`: a chat is open, which has to be left. */
export function untrustedEntity(
  { type, name, source }: UnifiedEntity,
  { isChat = false }: { readonly isChat?: boolean } = {},
): UsageError {
  const remedy = isChat
    ? "To use it: leave the chat, look at it with `atomic trust`, enter `atomic trust add`, and continue with `atomic chat -c`."
    : "Look at it, then call again with --trust.";
  return new UsageError(
    `The ${type} "${name}" is defined in a project that you have not trusted: ${visibleLine(source.path ?? "")}. ${remedy}`,
  );
}
