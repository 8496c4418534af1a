import process from "node:process";
import type { CodingAgentClient, SessionConfig } from "../../contracts/index.ts";
import { type ChatHost, type ChatMode, type ChatSettings, type CommandDefinition, openChat } from "../../tui/index.ts";
import { createTerminalProcess } from "./terminal-process.ts";

/** Settings of {@link startChatUI}. */
export interface StartChatUiOptions {
  /** @default "full", and "plain" where nothing can be drawn */
  readonly mode?: ChatMode;
  /** Keys, themes, mouse and motion. @default those of Atomic */
  readonly settings?: ChatSettings;
  /** Continues this conversation of the agent. @default a new one */
  readonly sessionId?: string;
  /** Further slash commands. One of the name of a built-in command replaces it. @default none */
  readonly commands?: readonly CommandDefinition[];
  /** Further parts of the program: slash commands, files, a history. @default none */
  readonly host?: Partial<Omit<ChatHost, "agentType" | "agentTypes" | "openClient" | "sessionConfigFor" | "settings">>;
}

/**
 * Opens the chat with an agent in the terminal of this process. Resolves when the user has left it; the session is closed
 * and the terminal is as it was. The client is stopped, too.
 *
 * @example
 * ```ts
 * import { createClaudeClient } from "@bastani/atomic";
 * import { startChatUI } from "@bastani/atomic/tui";
 *
 * await startChatUI(createClaudeClient({ workingDirectory: process.cwd() }), { permissions: { rules: [] } });
 * ```
 * @throws KeyInvalidError when the settings have an unknown action or key
 */
export async function startChatUI(
  client: CodingAgentClient,
  sessionConfig: SessionConfig = {},
  { mode, settings = {}, sessionId, commands = [], host = {} }: StartChatUiOptions = {},
): Promise<void> {
  const { agentType } = client;
  const whole: ChatHost = {
    workingDirectory: sessionConfig.workingDirectory ?? process.cwd(),
    ...host,
    ...{ agentType, agentTypes: [agentType], settings },
    openClient: () => Promise.resolve(client),
    sessionConfigFor: () => sessionConfig,
    ...(sessionId === undefined ? {} : { resumeSessionId: sessionId }),
  };
  const options = { commands, ...(mode === undefined ? {} : { mode }) };
  await openChat(whole, createTerminalProcess(process), options);
}
