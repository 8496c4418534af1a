import { mergeToolLists, type SessionConfig } from "../../contracts/index.ts";
import { joinArguments, toolListOf, type UnifiedEntity } from "../../discovery/index.ts";
import { type PromptFlags, type PromptRole, promptCommand } from "../commands/prompt-command.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { quoteWord } from "../output/quote-word.ts";
import { trustIfAsked } from "../trust/trust-if-asked.ts";
import { Workspace } from "../workspace.ts";
import { modelsFor } from "./entity-services.ts";
import { findAgentOf, findEntity, type NamedType, untrustedEntity } from "./find-entity.ts";
import { loadEntities } from "./load-entities.ts";
import { tellLeftOut, tellRepeated } from "./tell-left-out.ts";
import { writeEntityMessage } from "./write-entity-message.ts";

/** A call of one definition. */
export interface EntityCall {
  readonly type: NamedType;
  readonly name: string;
  /** The message, or the arguments. */
  readonly text: string | readonly string[];
}

/** `atomic agents|skills|commands run NAME [TEXT]`: one message to an agent, with the definition of that name. */
export async function runEntityCommand(
  environment: CliEnvironment,
  { type, name, text: typed }: EntityCall,
  flags: Omit<PromptFlags, "prompt">,
): Promise<ExitCode> {
  // One argument is all that would follow the name in a conversation; several are its words.
  const text = typeof typed === "string" ? typed : typed.length === 1 ? typed[0] : joinArguments(typed);
  const workspace = new Workspace(environment);
  await trustIfAsked(environment, workspace, flags);
  const { registry } = await loadEntities(environment, workspace);
  const entity = findEntity(registry, type, name);
  if (entity.source.isUntrusted === true) throw untrustedEntity(entity);
  tellLeftOut(environment, registry.entries(entity.type), entity);
  tellRepeated(environment, registry, entity);
  if (type === "agent" && (text === undefined || text.trim() === "")) {
    throw new UsageError(`The agent "${entity.name}" needs a message: atomic agents run ${quoteWord(entity.name)} "…"`);
  }
  // A command may have an agent of its own to carry it out.
  const agent = findAgentOf(entity, registry);
  return await promptCommand(environment, { ...flags, prompt: text ?? "" }, createRole(entity, agent));
}

function createRole(entity: UnifiedEntity, agent: UnifiedEntity | undefined): PromptRole {
  const player = entity.type === "agent" ? entity : agent;
  const tools = mergeToolLists(player === undefined ? undefined : toolListOf(player), toolListOf(entity));
  return {
    ...(tools === undefined ? {} : { tools }),
    settingsFor: (agentType) => ({
      ...(player === undefined ? {} : settingsOf(player, agentType)),
      ...(entity.type === "agent" ? {} : settingsOf(entity, agentType)),
      ...(player === undefined || player.prompt === "" ? {} : { systemPrompt: player.prompt }),
    }),
    async write(text, place) {
      if (entity.type === "agent") return text;
      return await writeEntityMessage(entity, { ...place, args: text });
    },
  };
}

function settingsOf(entity: UnifiedEntity, agentType: string): SessionConfig {
  const { model } = modelsFor(entity, agentType);
  return model === undefined ? {} : { model };
}
