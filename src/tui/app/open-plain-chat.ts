import { createInterface } from "node:readline";
import { formatPermissionRequest } from "../../view/permissions.ts";
import type { CommandDefinition } from "../commands/command.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { joinPastes, MARK_PASTES, MARK_PASTES_NO_MORE } from "../terminal/join-pastes.ts";
import { runPlainChat } from "../terminal/plain-chat.ts";
import type { TerminalProcess } from "../terminal/terminal-process.ts";
import { createChatServices } from "./create-services.ts";
import { submitLine } from "./submit-line.ts";

/** The width of a request where there is no terminal. */
const PLAIN_COLUMNS = 200;

/** The columns of the label before the first row of a request. */
const LABEL_COLUMNS = 6;

/** Opens the chat as lines, and resolves when the input has ended or the user has left. */
export async function openPlainChat(
  host: ChatHost,
  process: TerminalProcess,
  {
    firstMessage,
    commands,
  }: { readonly firstMessage: string | undefined; readonly commands: readonly CommandDefinition[] },
): Promise<void> {
  const { stdin, stdout } = process;
  // A terminal wraps and scrolls; a pipe and a file do neither.
  const readSize = (): readonly [columns: number, rows: number] | undefined => {
    const [columns = 0, rows = 0] = process.readSize() ?? [];
    return columns > 0 && rows > 0 ? [columns, rows] : undefined;
  };
  const left = new AbortController();
  const write = (text: string): void => {
    stdout.write(text);
  };
  const services = createChatServices(host, {
    now: Date.now,
    quit: () => left.abort(),
    // A terminal copies what it receives in this sequence; a file or a pipe must not contain it.
    copy: () => undefined,
    commands,
    hasDialogs: false,
  });
  const lines = createInterface({ input: stdin, terminal: false });
  const onInterrupt = (listener: () => void): (() => void) => process.onSignal("SIGINT", listener);
  const isInteractive = stdin.isTTY === true;
  const removeMarks = isInteractive ? markPastes(process) : undefined;
  try {
    void services.start();
    if (firstMessage !== undefined) void submitLine(services, firstMessage);
    await runPlainChat({
      chat: services.chat,
      submit: (text) => submitLine(services, text),
      input: isInteractive ? joinPastes(lines, { onInterrupt }) : lines,
      ...{ write, isInteractive, onInterrupt },
      describeRequest: (request) =>
        formatPermissionRequest(request, (readSize()?.[0] ?? PLAIN_COLUMNS) - LABEL_COLUMNS),
      readSize,
      now: Date.now,
      signal: left.signal,
    });
  } finally {
    removeMarks?.();
    lines.close();
    await services.stop();
  }
}

/** Has a terminal that can mark pastes do so until the chat or the process ends. Returns what ends it. */
function markPastes(process: TerminalProcess): (() => void) | undefined {
  const { TERM = "dumb" } = process.env;
  if (process.stdout.isTTY !== true || TERM === "dumb") return undefined;
  process.writeNow(MARK_PASTES);
  const end = (): void => process.writeNow(MARK_PASTES_NO_MORE);
  const remove = process.onExit(end);
  return () => {
    remove();
    end();
  };
}
