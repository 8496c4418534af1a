import { createInterface } from "node:readline";
import { formatPermissionRequest } from "../../view/permissions.ts";
import type { CommandDefinition } from "../commands/command.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { guardTermination } from "../terminal/guard-exit.ts";
import { joinPastes, MARK_PASTES, MARK_PASTES_NO_MORE } from "../terminal/join-pastes.ts";
import { runPlainChat } from "../terminal/plain-chat.ts";
import type { TerminalProcess } from "../terminal/terminal-process.ts";
import { TypedLines } from "../terminal/typed-lines.ts";
import { createChatServices } from "./create-services.ts";
import { describePlainEnding } from "./describe-ending.ts";
import { submitLine } from "./submit-line.ts";
import { readUnsent } from "./unsent-lines.ts";

/** The width of a request where there is no terminal. */
const PLAIN_COLUMNS = 200;

/** The columns of the label before the first row of a request. */
const LABEL_COLUMNS = 6;

/**
 * Opens the chat as lines, and resolves when the input has ended or the user has left. SIGTERM and SIGHUP end the chat and then
 * the process.
 */
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
  const isInteractive = stdin.isTTY === true;
  const typed = isInteractive ? new TypedLines(process) : undefined;
  const lines = createInterface({ input: typed?.stream ?? stdin, terminal: false });
  const ended = Promise.withResolvers<void>();
  const onInterrupt = (listener: () => void): (() => void) => process.onSignal("SIGINT", listener);
  const removeMarks = isInteractive ? markPastes(process) : () => undefined;
  let isEnding = false;
  const unguard = guardTermination(process, {
    restore: removeMarks,
    onEnd: () => {
      isEnding = true;
      left.abort();
      return ended.promise;
    },
    now: Date.now,
  });
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
      ...(typed === undefined ? {} : { takeTyped: () => typed.takeTyped() }),
      now: Date.now,
      signal: left.signal,
    });
  } finally {
    removeMarks();
    lines.close();
    typed?.close();
    // Before the end of the chat, which empties the queue, and which a second signal does not wait for.
    const ending = describePlainEnding(services.chat.snapshot(), readUnsent(services));
    if (ending.length > 0) write(`${ending.join("\n")}\n`);
    await services.stop();
    ended.resolve();
    // The process ends with the code of its signal.
    if (isEnding) await new Promise<never>(() => undefined);
    unguard();
  }
}

/** Has a terminal that can mark pastes do so. Returns what ends it, once. */
function markPastes(process: TerminalProcess): () => void {
  const { TERM = "dumb" } = process.env;
  let isMarking = process.stdout.isTTY === true && TERM !== "dumb";
  if (isMarking) process.writeNow(MARK_PASTES);
  return () => {
    if (isMarking) process.writeNow(MARK_PASTES_NO_MORE);
    isMarking = false;
  };
}
