import type { EntityRegistry, RegisteredEntity, UnifiedEntity } from "../../discovery/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { visibleLine } from "../visible/visible-text.ts";

/** Whether the user's definition is used only because the project, which has one of the same name, is not trusted. */
export function isLeftOut({ entity, shadowedBy }: RegisteredEntity): boolean {
  return entity.source.isUntrusted === true && shadowedBy !== undefined && shadowedBy.source.location !== "project";
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
