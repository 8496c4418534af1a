import type { UnifiedEntity } from "../../discovery/index.ts";
import { visibleLine } from "../../view/index.ts";
import { UsageError } from "../config/usage-error.ts";
import { type ExpandPlace, expandEntity } from "./expand-entity.ts";

/**
 * The message that a command or a skill sends to an agent, with the place of a skill's files.
 *
 * @throws UsageError for a definition without a text, and as {@link expandEntity}
 */
export async function writeEntityMessage(
  entity: UnifiedEntity,
  options: ExpandPlace & { readonly args: string; readonly signal: AbortSignal },
): Promise<string> {
  const message = await expandEntity(entity, options);
  if (message.trim() === "") {
    const path = visibleLine(entity.source.path ?? "");
    throw new UsageError(
      `The ${entity.type} "${entity.name}" has no text to send. Write it after the frontmatter: ${path}`,
    );
  }
  const { directory } = entity;
  return directory === undefined ? message : `The files of this skill are in: ${directory}\n\n${message}`;
}
