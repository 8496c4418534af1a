import type { CommandDefinition } from "../commands/command.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { Keymap } from "../keys/keymap.ts";
import { type OpenTerminal, openTerminal } from "../terminal/open-terminal.ts";
import type { TerminalProcess } from "../terminal/terminal-process.ts";
import type { HighlightingOptions } from "../transcript/syntax-style.ts";
import { type ChatServices, createChatServices } from "./create-services.ts";
import { describeEnding } from "./describe-ending.ts";
import { loadWithoutMeasures } from "./load-without-measures.ts";
import { openPlainChat } from "./open-plain-chat.ts";
import { submitLine } from "./submit-line.ts";
import { readUnsent, type UnsentTexts } from "./unsent-lines.ts";

/** How the chat is shown. */
export type ChatMode = "full" | "inline" | "plain";

/** Settings of {@link openChat}. */
export interface OpenChatOptions {
  /** @default the setting `ui.mode`, else `full` */
  readonly mode?: ChatMode;
  /** The first message, sent at once. */
  readonly firstMessage?: string;
  /** Further slash commands. One of the name of a built-in command replaces it. @default none */
  readonly commands?: readonly CommandDefinition[];
  /** Where the grammars of highlighted code are loaded from, after the first frame. @default when code is first shown */
  readonly highlighting?: HighlightingOptions;
  /** Called when the first frame is on the screen. In the plain mode, before the first line. */
  readonly onDrawn?: () => void;
}

/** Opens the chat, and resolves when the user has left it. The terminal is as it was before. */
export async function openChat(host: ChatHost, process: TerminalProcess, options: OpenChatOptions = {}): Promise<void> {
  const { mode = host.settings.mode ?? "full", firstMessage, commands = [], onDrawn = () => undefined } = options;
  const openPlain = async (): Promise<void> => {
    onDrawn();
    await openPlainChat(host, process, { firstMessage, commands });
  };
  const { settings } = host;
  if (mode === "plain") {
    if (settings.plainReason !== undefined) process.writeError(`atomic: Plain mode, because ${settings.plainReason}.`);
    return await openPlain();
  }
  // Before the terminal is opened: an error must be read on the normal screen.
  new Keymap(settings.keys);
  const left = Promise.withResolvers<UnsentTexts>();
  const opened: { services?: ChatServices; terminal?: OpenTerminal } = {};
  const result = await openTerminal(process, {
    mode,
    settings,
    onInterrupt: () => void opened.services?.chat.interrupt(),
    onEnd: async () => {
      const { services, terminal } = opened;
      if (services === undefined || terminal === undefined) return;
      // First, because a second signal ends the process at once. In the background the terminal shows another program.
      if (process.isInForeground()) {
        process.writeNow(describeEnding(services, { ...terminal.facts, mode, unsent: readUnsent(services) }));
      }
      await services.stop();
    },
  });
  if (result.type === "unusable") {
    process.writeError(`atomic: Plain mode, because ${result.reason}.`);
    return await openPlain();
  }
  const { terminal } = result;
  const services = createChatServices(host, {
    now: Date.now,
    quit: () => left.resolve(readUnsent(services)),
    copy: (text) => void terminal.renderer.copyToClipboardOSC52(text),
    suspend: () => void terminal.stop(),
    takeEarlyInput: terminal.takeEarlyInput,
    commands,
    hasDialogs: true,
    hasUnicode: terminal.facts.hasUnicode,
  });
  opened.services = services;
  opened.terminal = terminal;
  const unsent = await show(services, { ...options, terminal, mode, left: left.promise, onDrawn });
  process.writeNow(describeEnding(services, { ...terminal.facts, mode, unsent }));
}

interface ShownChat extends OpenChatOptions {
  readonly terminal: OpenTerminal;
  readonly mode: "full" | "inline";
  readonly left: Promise<UnsentTexts>;
  readonly onDrawn: () => void;
}

async function show(
  services: ChatServices,
  { terminal, mode, firstMessage, highlighting, left, onDrawn }: ShownChat,
): Promise<UnsentTexts> {
  const { renderer, facts, appearance } = terminal;
  let remove = (): void => undefined;
  try {
    const [{ renderChat }, { ChatScreen }] = await loadScreen();
    // What a person sees comes first: agents and commands take a while to load.
    const begin = (): void => {
      onDrawn();
      void services.start();
      if (highlighting !== undefined) void startHighlighting(highlighting);
    };
    remove = renderChat(
      renderer,
      <ChatScreen services={services} mode={mode} appearance={appearance} colors={facts.colors} />,
      begin,
    );
    if (firstMessage !== undefined) void submitLine(services, firstMessage);
    return await left;
  } finally {
    remove();
    terminal.close();
    await services.stop();
  }
}

/** Loads what the screen needs. Rejects without the native library. */
export async function preloadChat(): Promise<void> {
  await loadScreen();
}

async function startHighlighting(options: HighlightingOptions): Promise<void> {
  const { prepareHighlighting } = await import("../transcript/syntax-style.ts");
  // Without it, code has no colours.
  await prepareHighlighting(options).catch(() => undefined);
}

/** Loaded late: where the native library is missing, loading it fails, and the chat has to start in plain mode. */
function loadScreen() {
  const load = () => Promise.all([import("../terminal/render-chat.tsx"), import("./chat-screen.tsx")]);
  return loadWithoutMeasures(load, globalThis.console);
}
