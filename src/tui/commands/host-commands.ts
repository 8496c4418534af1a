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
 * Registers the workflows, skills, commands and agents that the program offers, and removes those that it offers no more. A
 * name that a built-in command has is offered as `name-skill`, `name-workflow` and so on. Problems become notices.
 */
export class HostCommands {
  readonly #registry: CommandRegistry;
  readonly #services: HostCommandServices & { readonly signal: AbortSignal };
  readonly #waiting = new Set<() => void>();
  #names: ReadonlySet<string> = new Set();
  /** The load that was started last. Undefined when it is complete. */
  #latest: symbol | undefined = Symbol("first");

  constructor(registry: CommandRegistry, services: HostCommandServices & { readonly signal: AbortSignal }) {
    this.#registry = registry;
    this.#services = services;
    services.signal.addEventListener("abort", () => this.#complete());
  }

  /** Whether more commands may follow: before the first load, and during each. */
  readonly isLoading = (): boolean => this.#latest !== undefined;

  /** Resolves when all commands are loaded, at once where they are. */
  readonly loaded = (): Promise<void> =>
    this.isLoading() ? new Promise((resolve) => this.#waiting.add(resolve)) : Promise.resolve();

  /** Loads the commands, also after the files changed. Never rejects. */
  async load(): Promise<void> {
    const { host, chat, signal } = this.#services;
    const load = Symbol("load");
    this.#latest = load;
    const register = (commands: readonly HostCommand[]): void => {
      // A load that was started later has read the files later.
      if (this.#latest === load) this.#register(commands);
    };
    try {
      register((await host.loadCommands?.(signal, register)) ?? []);
    } catch (error) {
      if (!signal.aborted) chat.notice(`Commands could not be loaded: ${messageOf(error)}`, { tone: "warning" });
    }
    if (this.#latest === load) this.#complete();
  }

  #register(commands: readonly HostCommand[]): void {
    const before = this.#names;
    const definitions = commands.map((command) => toDefinition(command, this.#registry, this.#services));
    this.#names = new Set(definitions.map(({ name }) => name));
    for (const name of before) if (!this.#names.has(name)) this.#registry.unregister(name);
    for (const definition of definitions) this.#registry.register(definition);
  }

  #complete(): void {
    this.#latest = undefined;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
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
    aliases: aliases.filter((alias) => isFree(alias, own, registry)),
    ...(argumentHint === undefined ? {} : { argumentHint }),
    execute: (args) => executeHostCommand({ ...command, name: own }, args, services),
  };
}

/** Whether an alias is no name or alias of another command. */
function isFree(alias: string, own: string, registry: CommandRegistry): boolean {
  const known = registry.get(alias);
  return known === undefined || known.name === own;
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
    const said = start.check?.(args);
    if (said !== undefined) return { success: true, message: said };
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
