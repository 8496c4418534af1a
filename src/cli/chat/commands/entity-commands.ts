import type { EntityRegistry, UnifiedEntity } from "../../../discovery/index.ts";
import type { HostCommand } from "../../../tui/index.ts";
import { describeSource } from "../../entities/entities-commands.ts";
import type { ExpandPlace } from "../../entities/expand-entity.ts";
import { findAgentOf, type NamedType, throwIfUnusable, untrustedEntity } from "../../entities/find-entity.ts";
import { writeEntityMessage } from "../../entities/write-entity-message.ts";
import { agentMessage } from "./agent-message.ts";
import { isTypable } from "./unique-commands.ts";

/** What the messages of definitions are made with. */
export interface EntityCommandsOptions {
  readonly registry: EntityRegistry;
  /** Where prompts are expanded, and what commands in them may do. */
  readonly place: ExpandPlace;
  /** What may follow a name, as a person reads it. */
  readonly hintOf: (name: string) => string | undefined;
  /** Whether an agent loads the user's own settings of it. */
  readonly hasUserSettings: (agentType: string) => boolean;
}

/** The definitions of a type as slash commands that send a message. Those of a project that is not trusted explain that. */
export function entityCommands(type: NamedType, options: EntityCommandsOptions): readonly HostCommand[] {
  return options.registry
    .all(type)
    .filter(({ fields }) => fields["user-invocable"] !== false)
    .flatMap((entity) => createCommand(entity, type, options));
}

/** None for a name that cannot be typed. */
function createCommand(
  entity: UnifiedEntity,
  type: NamedType,
  { registry, place, hintOf, hasUserSettings }: EntityCommandsOptions,
): readonly HostCommand[] {
  const names = [entity.name, ...(entity.aliases ?? [])].filter(isTypable);
  const [name, ...aliases] = names;
  if (name === undefined) return [];
  const argumentHint = type === "agent" ? "<task>" : (entity.argumentHint ?? hintOf(name));
  const required = requiredArgumentIn(argumentHint);
  return [
    {
      name,
      description: entity.description,
      category: type,
      ...(aliases.length === 0 ? {} : { aliases }),
      ...(argumentHint === undefined || argumentHint === "" ? {} : { argumentHint }),
      ...(required === undefined ? {} : { requiredArgument: required }),
      source: describeSource(entity),
      start: {
        type: "message",
        async write(args, agentType, signal) {
          if (entity.source.isUntrusted === true) throw untrustedEntity(entity, { isChat: true });
          throwIfUnusable(registry, type, entity.name);
          const messageFor = (agent: UnifiedEntity, task: string): string =>
            agentMessage(agent, { agentType, task, hasUserSettings: hasUserSettings(agentType) });
          if (type === "agent") return messageFor(entity, args);
          const message = await writeEntityMessage(entity, { ...place, args, signal });
          const agent = findAgentOf(entity, registry);
          return agent === undefined ? message : messageFor(agent, message);
        },
      },
    },
  ];
}

/** The argument that a hint such as `<issue> [--amend]` begins with. Undefined if nothing has to follow. */
export function requiredArgumentIn(hint: string | undefined): string | undefined {
  return /^\s*["']?<([^<>]+)>/.exec(hint ?? "")?.[1];
}
