import type { EntityRegistry, EntitySource, RegisteredEntity, UnifiedEntity } from "../../discovery/index.ts";
import { visibleLine } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";

/** Whether the user's definition is used only because the project, which has one of the same name, is not trusted. */
export function isLeftOut({ entity, shadowedBy }: RegisteredEntity): boolean {
  return entity.source.isUntrusted === true && shadowedBy !== undefined && shadowedBy.source.location !== "project";
}

/** Warns on standard error of another definition that has the same name in the same place, so that either could be meant. */
export function tellRepeated({ stderr }: CliEnvironment, registry: EntityRegistry, used: UnifiedEntity): void {
  for (const { entity, shadowedBy } of registry.entries(used.type)) {
    const { path } = entity.source;
    if (shadowedBy !== used || path === undefined || !isSamePlace(entity.source, used.source)) continue;
    // OpenCode's are layers of one definition.
    if (used.source.provider === "opencode" && used.type !== "skill") continue;
    const { type, name, source } = used;
    stderr.write(
      `warning: The ${type} "${visibleLine(name)}" is also defined in ${visibleLine(path)}; ${visibleLine(source.path ?? "")} is used. Rename or remove one of them.\n`,
    );
    return;
  }
}

function isSamePlace(left: EntitySource, right: EntitySource): boolean {
  return PLACE.every((field) => left[field] === right[field]);
}

const PLACE = ["provider", "location", "folder", "plugin"] as const satisfies readonly (keyof EntitySource)[];

/**
 * Notes on standard error which of the project's definitions would be used if the project were trusted.
 *
 * @param used notes only what would be used instead of this one
 */
export function tellLeftOut(
  { stderr }: CliEnvironment,
  entries: readonly RegisteredEntity[],
  used?: UnifiedEntity,
): void {
  const told = new Set<UnifiedEntity | undefined>();
  for (const entry of entries) {
    const { entity, shadowedBy } = entry;
    if (!isLeftOut(entry) || (used !== undefined && shadowedBy !== used) || told.has(shadowedBy)) continue;
    told.add(shadowedBy);
    const path = visibleLine(entity.source.path ?? "");
    stderr.write(
      `note: The ${entity.type} "${entity.name}" of this project is not used, because the project is not trusted: ${path}\n`,
    );
  }
}
