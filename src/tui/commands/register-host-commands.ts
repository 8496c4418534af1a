import { messageOf } from "../../contracts/index.ts";
import type { ChatController } from "../chat/chat-controller.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { HostCommand } from "../host/host-command.ts";
import type { CommandDefinition, CommandResult } from "./command.ts";
import type { CommandRegistry } from "./command-registry.ts";

/** What the program's commands use. */
export interface HostCommandServices {
  readonly chat: ChatController;
  readonly host: ChatHost;
  /** Called with the id of a run that was started. */
  readonly followRun: (runId: string) => void;
}

/**
 * Registers the workflows, skills, commands and agents that the program offers. A name that a built-in command has is
 * offered as `name-skill`, `name-workflow` and so on. Problems become notices.
 */
export async function registerHostCommands(
  registry: CommandRegistry,
  { signal, ...services }: HostCommandServices & { readonly signal: AbortSignal },
): Promise<void> {
  const { loadCommands } = services.host;
  if (loadCommands === undefined) return;
  try {
    for (const command of await loadCommands(signal)) registry.register(toDefinition(command, registry, services));
  } catch (error) {
    if (!signal.aborted) services.chat.notice(`Commands could not be loaded: ${messageOf(error)}`, { tone: "warning" });
  }
}

function toDefinition(
  command: HostCommand,
  registry: CommandRegistry,
  services: HostCommandServices,
): CommandDefinition {
  const { name, description, category, aliases = [], argumentHint } = command;
  const isTaken = registry.get(name)?.category === "builtin";
  const own = isTaken ? `${name}-${category}` : name;
  return {
    name: own,
    description,
    // Commands of the vendors are texts for the agent, like skills.
    category: category === "command" ? "skill" : category,
    aliases: aliases.filter((alias) => !registry.has(alias)),
    ...(argumentHint === undefined ? {} : { argumentHint }),
    execute: (args) => executeHostCommand({ ...command, name: own }, args, services),
  };
}

async function executeHostCommand(
  { name, category, requiredArgument, argumentHint = "", start }: HostCommand,
  args: string,
  { chat, followRun }: HostCommandServices,
): Promise<CommandResult> {
  if (requiredArgument !== undefined && args.trim() === "") {
    const hint = argumentHint === "" ? `<${requiredArgument}>` : argumentHint;
    return { success: false, message: `/${name} needs a ${requiredArgument}: /${name} ${hint}` };
  }
  const { agentType } = chat.snapshot();
  if (start.type === "run") {
    // It may take seconds. The person types on meanwhile: no view takes the keys by itself.
    chat.notice(`Starting ${name} …`);
    const runId = await start.start(args, agentType);
    followRun(runId);
    return {
      success: true,
      message: `Started /${name} as the run ${runId}. It continues without the chat: /runs`,
    };
  }
  const text = await start.write(args, agentType, new AbortController().signal);
  // The user sees the call, the agent receives the text.
  const label = args.trim() === "" ? `/${name}` : `/${name} ${args.trim()}`;
  chat.send(label, [{ label, part: { type: "text", text } }]);
  return category === "skill" ? { success: true, skillLoaded: name } : { success: true };
}
