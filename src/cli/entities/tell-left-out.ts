import type { EntityRegistry, RegisteredEntity, UnifiedEntity } from "../../discovery/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { visibleLine } from "../visible/visible-text.ts";

/** Whether the user's definition is used only because the project, which has one of the same name, is not trusted. */
export function isLeftOut({ entity, shadowedBy }: RegisteredEntity): boolean {
  return entity.source.isUntrusted === true && shadowedBy !== undefined && shadowedBy.source.location !== "project";
}

/** Warns on standard error of another definition that has the same name in the same place, so that either could be meant. */
export function tellRepeated({ stderr }: CliEnvironment, registry: EntityRegistry, used: UnifiedEntity): void {
  for (const { entity, shadowedBy } of registry.entries(used.type)) {
    const { path, provider, location, plugin } = entity.source;
    const isSamePlace =
      provider === used.source.provider && location === used.source.location && plugin === used.source.plugin;
    if (shadowedBy !== used || path === undefined || !isSamePlace) continue;
    const { type, name, source } = used;
    stderr.write(
      `warning: The ${type} "${visibleLine(name)}" is also defined in ${visibleLine(path)}; ${visibleLine(source.path ?? "")} is used. Rename or remove one of them.\n`,
    );
    return;
  }
}

/** Notes on standard error which of the project's definitions would be used if the project were trusted. */
export function tellLeftOut({ stderr }: CliEnvironment, registry: EntityRegistry, used: UnifiedEntity): void {
  for (const entry of registry.entries(used.type)) {
    if (entry.shadowedBy !== used || !isLeftOut(entry)) continue;
    const { type, name, source } = entry.entity;
    const path = visibleLine(source.path ?? "");
    stderr.write(
      `note: The ${type} "${name}" of this project is not used, because the project is not trusted: ${path}\n`,
    );
    return;
  }
}
