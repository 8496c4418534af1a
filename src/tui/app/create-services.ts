import { ChatSession } from "../chat/chat-session.ts";
import { type BuiltInServices, registerBuiltinCommands } from "../commands/built-in-commands.ts";
import type { CommandDefinition } from "../commands/command.ts";
import { CommandRegistry } from "../commands/command-registry.ts";
import { HostCommands } from "../commands/host-commands.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { KeyLayers } from "../keys/key-layers.ts";
import { KEY_ACTIONS, Keymap } from "../keys/keymap.ts";
import { RunNews } from "../runs/run-news.ts";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { exportNameOf } from "../transcript/export-name.ts";
import { formatTranscript } from "../transcript/format-transcript.ts";
import type { UiServices } from "../ui/ui-context.ts";
import { UiStore } from "../ui/ui-store.ts";
import { CommandRunner } from "./command-runner.ts";

/** What the parts of the chat share, whatever it is shown with. */
export interface ChatServices extends UiServices {
  readonly runner: CommandRunner;
  /** Opens the agent and loads the commands. Never rejects. */
  readonly start: () => Promise<void>;
  /** Ends the session and the agents. */
  readonly stop: () => Promise<void>;
}

/** What differs between the modes. */
export interface ChatServicesOptions {
  readonly now: () => number;
  readonly quit: () => void;
  readonly copy: (text: string) => void;
  readonly suspend?: () => void;
  readonly takeEarlyInput?: () => string;
  /** Further slash commands. @default none */
  readonly commands?: readonly CommandDefinition[];
  /** Whether dialogs and views can be opened. */
  readonly hasDialogs: boolean;
  /** Whether the terminal shows Unicode. @default true */
  readonly hasUnicode?: boolean;
}

/** Creates the conversation, its commands and its keys. @throws KeyInvalidError */
export function createChatServices(host: ChatHost, options: ChatServicesOptions): ChatServices {
  const { now, quit, copy, suspend, takeEarlyInput, hasDialogs, hasUnicode = true } = options;
  const { settings } = host;
  const keymap = new Keymap(settings.keys);
  const chat = new ChatSession(host, now);
  const ui = new UiStore(settings.theme);
  const commands = new CommandRegistry();
  const open: BuiltInServices["open"] = (name) => {
    if (name === "runs" || name === "inbox") ui.show({ type: name });
    else ui.open(name === "help" ? { type: name, first: "commands" } : { type: name });
  };
  registerBuiltinCommands(commands, {
    host,
    chat,
    ...{ copy, now },
    open: hasDialogs ? open : undefined,
    formatMarkdown: () => formatTranscript(chat.snapshot().model.entries),
    exportName: () => exportNameOf(chat.snapshot(), now()),
  });
  for (const command of options.commands ?? []) commands.register(command);
  for (const action of keymap.actionsWithoutKey()) {
    chat.notice(`No key does this any more: ${KEY_ACTIONS[action].help}. ui.keys.${action} is an empty list.`);
  }
  // Without a screen there is no input to put it into.
  if (!hasDialogs) {
    chat.subscribe(() => {
      if (chat.snapshot().unsent.length === 0) return;
      for (const { text } of chat.takeUnsent()) chat.notice(`Not sent: ${text}`, { tone: "warning" });
    });
  }
  const stopping = new AbortController();
  const news =
    host.runs === undefined
      ? undefined
      : new RunNews({
          ...{ port: host.runs, now, say: (text, tone) => chat.notice(text, { tone }) },
          // Where nothing can be opened, the keys do nothing.
          ...(hasDialogs ? { keys: { inbox: keymap.labelOf("inbox"), runs: keymap.labelOf("runs") } } : {}),
        });
  const followRun = (runId: string): void => news?.follow(runId);
  const hostCommands = new HostCommands(commands, { chat, host, followRun, signal: stopping.signal });
  const runner = new CommandRunner({
    ...{ host, chat, registry: commands, ui, quit, loading: hostCommands },
    suspendKey: suspend === undefined ? undefined : keymap.labelOf("suspend"),
  });
  host.connect?.({
    onPermissionAsk: chat.onPermissionAsk,
    onNotice: (text, tone) => chat.notice(text, { tone }),
    onCommandsChange: () => void hostCommands.load(),
  });
  return {
    ...{ host, chat, ui, commands, keymap, layers: new KeyLayers(), runner },
    areCommandsLoading: hostCommands.isLoading,
    glyphs: settings.isAscii === true || !hasUnicode ? ASCII_GLYPHS : UNICODE_GLYPHS,
    ...{ now, copy, quit, followRun },
    ...(suspend === undefined ? {} : { suspend }),
    ...(takeEarlyInput === undefined ? {} : { takeEarlyInput }),
    async start() {
      await Promise.all([chat.start(), hostCommands.load()]);
    },
    async stop() {
      stopping.abort();
      news?.stop();
      await chat.stop();
    },
  };
}
