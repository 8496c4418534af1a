import process from "node:process";
import type { ChatHost, Theme } from "../../tui/index.ts";
import type { ChatFlags } from "../chat/chat-flags.ts";
import { type ChatMode, modeOf } from "../chat/chat-settings-of.ts";
import { createChatHost } from "../chat/create-chat-host.ts";
import { createRunsPort } from "../chat/runs/create-runs-port.ts";
import { startRun } from "../chat/runs/start-run.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";

/** The terminal UI, which is loaded only for the chat. */
export interface ChatUi {
  readonly parseTheme: (theme: unknown) => Theme;
  /** Resolves when the user has left the chat. */
  readonly openChat: (host: ChatHost, options: { readonly mode?: ChatMode }) => Promise<void>;
}

/** `atomic` without a command: a conversation with an agent in the terminal. */
export async function chatCommand(
  environment: CliEnvironment,
  flags: ChatFlags,
  loadUi: () => Promise<ChatUi> = loadChatUi,
): Promise<ExitCode> {
  // It takes a while, and so do the settings.
  const loading = loadUi();
  loading.catch(() => undefined);
  const { host, stop } = await createChatHost({
    ...{ environment, flags },
    parseTheme: async (theme) => (await loading).parseTheme(theme),
    startRun: (name, run) => startRun(environment, name, run),
    runs: createRunsPort(environment),
  });
  try {
    const { openChat } = await loading;
    const mode = modeOf(flags);
    await openChat(host, mode === undefined ? {} : { mode });
    return ExitCode.done;
  } finally {
    await stop();
  }
}

async function loadChatUi(): Promise<ChatUi> {
  const [{ openChat, parseTheme }, { createTerminalProcess }] = await Promise.all([
    import("../../tui/index.ts"),
    import("../chat/terminal-process.ts"),
  ]);
  return { parseTheme, openChat: (host, options) => openChat(host, createTerminalProcess(process), options) };
}
