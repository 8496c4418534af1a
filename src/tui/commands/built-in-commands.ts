import { messageOf, nearestName } from "../../contracts/index.ts";
import type { ChatController } from "../chat/chat-controller.ts";
import { lastAnswerOf } from "../chat/last-answer.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { RunsPort } from "../host/runs-port.ts";
import type { CommandDefinition, CommandResult } from "./command.ts";
import type { CommandRegistry } from "./command-registry.ts";
import { formatCommandHelp } from "./format-command-help.ts";
import { formatInbox, formatRuns } from "./format-run-lists.ts";

/** What the built-in commands open and use. */
export interface BuiltInServices {
  readonly host: ChatHost;
  readonly chat: ChatController;
  readonly registry: CommandRegistry;
  /** Opens a dialog or a view by its name. Undefined where nothing can be opened: the command answers in text then. */
  readonly open:
    | ((name: "help" | "model" | "agent" | "sessions" | "rewind" | "context" | "runs" | "inbox") => void)
    | undefined;
  /** Copies a text. */
  readonly copy: (text: string) => void;
  /** The conversation as Markdown. */
  readonly formatMarkdown: () => string;
  /** The name of a file for the conversation. */
  readonly exportName: () => string;
  /** In milliseconds since 1970. */
  readonly now: () => number;
}

type BuiltIn = Pick<CommandDefinition, "name" | "description" | "execute"> &
  Partial<Pick<CommandDefinition, "aliases" | "argumentHint" | "hidden">>;

const DONE: CommandResult = { success: true };
const NOT_DONE: CommandResult = { success: false };

/** Registers the built-in commands. A command of the same name stays. */
export function registerBuiltinCommands(registry: CommandRegistry, services: Omit<BuiltInServices, "registry">): void {
  for (const command of createBuiltinCommands({ ...services, registry })) {
    if (!registry.has(command.name)) registry.register(command);
  }
}

/** The built-in commands. */
export function createBuiltinCommands(services: BuiltInServices): readonly CommandDefinition[] {
  return [
    ...screenCommands(services),
    ...conversationCommands(services),
    ...textCommands(services),
    ...agentCommands(services),
    ...placeCommands(services),
  ].map((command) => ({ ...command, category: "builtin" }));
}

function screenCommands({ registry, open }: BuiltInServices): readonly BuiltIn[] {
  return [
    {
      name: "help",
      description: "List all commands",
      execute: () =>
        open === undefined ? { success: true, message: formatCommandHelp(registry.all()) } : openOr(open, "help", ""),
    },
    {
      name: "theme",
      description: "Switch between the dark and the light theme, or choose one",
      argumentHint: "[dark|light|NAME]",
      hidden: open === undefined,
      execute(args): CommandResult {
        const name = args.trim();
        if (open === undefined) {
          const message = "The plain mode has no theme. For the others: atomic config set ui.theme NAME --user";
          return { success: false, message };
        }
        if (name === "dark" || name === "light") return { success: true, themeChange: name };
        if (name === "") return { success: true, themeChange: "toggle" };
        return { success: true, themeName: name };
      },
    },
    {
      name: "exit",
      description: "Leave the chat",
      aliases: ["quit", "q"],
      execute: () => ({ success: true, shouldExit: true }),
    },
  ];
}

function conversationCommands({ chat, host, open }: BuiltInServices): readonly BuiltIn[] {
  return [
    {
      name: "clear",
      description: "Start over: remove the messages and the session",
      aliases: ["new", "reset"],
      execute: () => ({ success: true, clearMessages: true, destroySession: true }),
    },
    {
      name: "compact",
      description: "Compact the conversation to free context",
      async execute() {
        await chat.compact();
        const { compactionSummary } = chat.snapshot();
        return compactionSummary === undefined ? DONE : { success: true, compactionSummary };
      },
    },
    {
      name: "resume",
      description: "Continue one of the agent's conversations",
      aliases: ["sessions"],
      argumentHint: "[id]",
      async execute(args) {
        if (args.trim() !== "") return await resume(args.trim(), { chat, host });
        if (open === undefined) return await listSessions(chat);
        open("sessions");
        return DONE;
      },
    },
    {
      name: "rename",
      description: "Name this conversation",
      argumentHint: "<name>",
      async execute(args) {
        if (args.trim() === "") return missing("rename", "a name", "<name>");
        await chat.rename(args.trim());
        return { success: true, message: `This conversation is now called "${args.trim()}".` };
      },
    },
    {
      name: "fork",
      description: "Continue in a copy of this conversation",
      async execute() {
        await chat.fork();
        return DONE;
      },
    },
    {
      name: "rewind",
      description: "Go back to before an earlier message",
      aliases: ["undo"],
      hidden: open === undefined,
      execute: () => openOr(open, "rewind", "Rewinding needs the full-screen or inline chat."),
    },
    {
      name: "btw",
      description: "Ask a side question that leaves no trace in the conversation",
      aliases: ["aside"],
      argumentHint: "<question>",
      async execute(args) {
        if (args.trim() === "") return missing("btw", "a question", "<question>");
        await chat.askAside(args.trim());
        return DONE;
      },
    },
  ];
}

function textCommands({ chat, copy, exportName, formatMarkdown, host }: BuiltInServices): readonly BuiltIn[] {
  return [
    {
      name: "copy",
      description: "Copy the agent's last answer",
      execute() {
        const last = lastAnswerOf(chat.snapshot().model.entries);
        if (last === undefined) return { success: false, message: "There is no answer to copy yet." };
        copy(last);
        return { success: true, message: "Copied the last answer." };
      },
    },
    {
      name: "export",
      description: "Write the conversation to a Markdown file",
      argumentHint: "[file]",
      hidden: host.writeExport === undefined,
      async execute(args) {
        const { writeExport } = host;
        if (writeExport === undefined) return { success: false, message: "Files cannot be written here." };
        const path = await writeExport(unquote(args.trim()) || exportName(), formatMarkdown());
        return { success: true, message: `Wrote ${path}.` };
      },
    },
  ];
}

function agentCommands({ chat, host, open }: BuiltInServices): readonly BuiltIn[] {
  return [
    {
      name: "model",
      description: "Show or choose the model",
      argumentHint: "[model]",
      async execute(args): Promise<CommandResult> {
        const name = args.trim();
        if (name === "" && open !== undefined) return { success: true, showModelSelector: true };
        if (name === "") return await listModels(chat);
        const doubt = await describeUnlisted(name, chat);
        await chat.setModel(name);
        // Why not is in the conversation.
        if (chat.snapshot().modelName !== name) return NOT_DONE;
        return { success: true, message: `The model is now ${name}${doubt}.`, modelDisplayName: name };
      },
    },
    {
      name: "agents",
      description: "Choose the agent that continues the conversation",
      aliases: ["agent"],
      argumentHint: "[agent]",
      async execute(args) {
        const name = args.trim();
        if (name !== "") await chat.setAgent(name);
        else if (open !== undefined) open("agent");
        else return { success: true, message: `Agents: ${host.agentTypes.join(", ")}. Choose one: /agents NAME` };
        return DONE;
      },
    },
    {
      name: "plan",
      description: "Switch the read-only plan mode on or off",
      async execute() {
        const mode = chat.snapshot().mode === "plan" ? "default" : "plan";
        await chat.setMode(mode);
        if (chat.snapshot().mode !== mode) return NOT_DONE;
        const message = mode === "plan" ? "Plan mode: no edits, no commands." : "Plan mode is off.";
        return { success: true, message };
      },
    },
    {
      name: "mcp",
      description: "Show the MCP servers",
      async execute(): Promise<CommandResult> {
        if (open !== undefined) return { success: true, showMcpOverlay: true };
        const servers = await chat.mcpStatus();
        const lines = servers.map(({ name, status, detail = "" }) => `- ${name}: ${status} ${detail}`.trimEnd());
        const message = lines.length === 0 ? "No MCP servers." : lines.join("\n");
        return { success: true, message, mcpSnapshot: { servers } };
      },
    },
    {
      name: "context",
      description: "Show how full the context window is",
      async execute(): Promise<CommandResult> {
        if (open !== undefined) return openOr(open, "context", "");
        const usage = await chat.session()?.getContextUsage();
        if (usage === undefined) return { success: true, message: "The context is empty: there is no session yet." };
        const percent = Math.round(usage.fraction * 100);
        return { success: true, message: `Context: ${usage.usedTokens} of ${usage.maxTokens} tokens (${percent} %).` };
      },
    },
  ];
}

function placeCommands({ chat, host, open, now }: BuiltInServices): readonly BuiltIn[] {
  const describe = (topic: "doctor" | "init" | "permissions" | "tools", description: string): BuiltIn => ({
    name: topic,
    description,
    hidden: host.describe === undefined,
    async execute() {
      if (host.describe === undefined) return { success: false, message: `/${topic} is not available here.` };
      // It asks every agent.
      if (topic === "doctor") chat.notice("Checking …");
      return { success: true, message: await host.describe(topic) };
    },
  });
  const { runs } = host;
  /** Opens the view, or lists the same as text. */
  const show = async (name: "runs" | "inbox", list: (port: RunsPort) => Promise<string>): Promise<CommandResult> => {
    if (runs === undefined) return { success: false, message: `/${name} is not available here.` };
    if (open === undefined) return { success: true, message: await list(runs) };
    return openOr(open, name, "");
  };
  return [
    {
      name: "runs",
      description: "Show the runs of this machine",
      hidden: runs === undefined,
      execute: () => show("runs", async (port) => formatRuns(await port.list(), now())),
    },
    {
      name: "inbox",
      description: "Show everything that waits for you",
      hidden: runs === undefined,
      execute: () =>
        show("inbox", async (port) => formatInbox(await port.loadInbox(), (await port.countUnreadable?.()) ?? 0)),
    },
    describe("tools", "List the custom tools"),
    describe("permissions", "Show the permission rules in effect"),
    describe("doctor", "Check that everything is installed"),
    describe("init", "Set this project up: settings, a workflow, a tool"),
  ];
}

/** A name without the quotes that a shell would need around it. */
function unquote(name: string): string {
  return /^(["'])(.*)\1$/.exec(name)?.[2]?.trim() ?? name;
}

function openOr(open: BuiltInServices["open"], name: Parameters<NonNullable<typeof open>>[0], instead: string) {
  if (open === undefined) return { success: false, message: instead };
  open(name);
  return DONE;
}

function missing(command: string, what: string, hint: string): CommandResult {
  return { success: false, message: `/${command} needs ${what}: /${command} ${hint}` };
}

/** What is said of a model that the agent does not list. Empty where the list is unknown, too. */
async function describeUnlisted(name: string, chat: ChatController): Promise<string> {
  const names = await listedNames(chat);
  if (names.length === 0 || names.some((model) => model === name || model.endsWith(`/${name}`))) return "";
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const { agentType } = chat.snapshot();
  return `, which is not in ${agentType}'s list of models.${hint} Your next message shows whether ${agentType} has it; /model chooses another one`;
}

/** None where the agent cannot list its models: it decides then. */
async function listedNames(chat: ChatController): Promise<readonly string[]> {
  try {
    return (await chat.listModels()).map(({ model }) => model);
  } catch {
    return [];
  }
}

async function listModels(chat: ChatController): Promise<CommandResult> {
  const current = chat.snapshot().modelName ?? "the agent's own choice";
  try {
    const names = (await chat.listModels()).map(({ model, isCurrent = false }) =>
      isCurrent ? `- ${model} (in use)` : `- ${model}`,
    );
    return { success: true, message: [`The model is ${current}. Choose one: /model NAME`, ...names].join("\n") };
  } catch (error) {
    return { success: true, message: `The model is ${current}. Choose one: /model NAME. ${messageOf(error)}` };
  }
}

/** So many conversations are listed as text. */
const MAX_SESSIONS = 20;

/** One that does not exist changes nothing: the open conversation would be left for it. */
async function resume(id: string, { chat, host }: Pick<BuiltInServices, "chat" | "host">): Promise<CommandResult> {
  const { agentType, capabilities } = chat.snapshot();
  const isListed = capabilities?.listSessions !== true || (await chat.listSessions()).some((one) => one.id === id);
  if (!isListed && (await host.conversations?.loadEntries?.(id)) === undefined) {
    const message = `${agentType} has no conversation "${id}" in this folder. /resume lists those it has.`;
    return { success: false, message };
  }
  await chat.resume(id);
  return DONE;
}

async function listSessions(chat: ChatController): Promise<CommandResult> {
  const sessions = await chat.listSessions();
  if (sessions.length === 0) return { success: true, message: "There are no conversations yet." };
  const lines = sessions.slice(0, MAX_SESSIONS).map(({ id, name, title }) => `- ${id}  ${name ?? title}`);
  const rest = sessions.length - lines.length;
  const more = rest > 0 ? [`… ${rest} more. In the full screen, /resume lists and filters all of them.`] : [];
  return { success: true, message: ["Continue one: /resume ID", ...lines, ...more].join("\n") };
}
