import { messageOf, nearestName } from "../../contracts/index.ts";
import type { ChatController } from "../chat/chat-controller.ts";
import type { Attachment } from "../chat/chat-state.ts";
import { expandPastes } from "../chat/compose-message.ts";
import { describeTerminalProgram } from "../chat/terminal-program.ts";
import type { CommandResult } from "../commands/command.ts";
import { type CommandBoard, createCommandContext, EMPTY_BOARD } from "../commands/command-context.ts";
import type { CommandRegistry } from "../commands/command-registry.ts";
import type { HostCommands } from "../commands/host-commands.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { listThemeNames } from "../theme/list-theme-names.ts";
import { memoryOf } from "../transcript/transcript-memory.ts";
import type { UiStore } from "../ui/ui-store.ts";

/** What {@link CommandRunner} uses. */
export interface CommandRunnerOptions {
  readonly host: ChatHost;
  readonly chat: ChatController;
  readonly registry: CommandRegistry;
  readonly ui: UiStore;
  /** Leaves the chat, without a question. */
  readonly quit: () => void;
  /** The key that returns to the shell. @default there is none */
  readonly suspendKey?: string | undefined;
  /** Whether the program's commands are being loaded, and when they all are. @default they are */
  readonly loading?: Pick<HostCommands, "isLoading" | "loaded">;
  /** How long an unknown command waits for that, in milliseconds. @default 15000 */
  readonly loadTimeoutMs?: number;
}

/** A longer wait for commands is a line in the conversation, in milliseconds. */
const SILENT_WAIT_MS = 700;

/** Carries out what the user submits: a message, a slash command, or a command of the shell. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions;
  #board: CommandBoard = EMPTY_BOARD;
  readonly #listeners = new Set<() => void>();
  readonly #readers: ((text: string) => void)[] = [];

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
  }

  /** What commands have set. The same object until something changes. */
  readonly board = (): CommandBoard => this.#board;

  /** Calls the listener after each change of the board. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Never rejects: failures become notices. */
  async submit(text: string, attachments: readonly Attachment[] = []): Promise<void> {
    const { chat } = this.#options;
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader(text);
    try {
      if (text.startsWith("!")) await this.#runShell(text.slice(1).trim());
      else if (isCommand(text)) await this.#runCommand(text, attachments);
      else chat.send(text, attachments);
    } catch (error) {
      chat.notice(messageOf(error), { tone: "error" });
    }
  }

  async #runShell(command: string): Promise<void> {
    const { chat, suspendKey } = this.#options;
    const problem = describeTerminalProgram(command, { suspendKey });
    if (problem === undefined) await chat.runShell(command);
    else chat.notice(problem, { tone: "warning" });
  }

  async #runCommand(text: string, attachments: readonly Attachment[]): Promise<void> {
    const { host, chat, registry } = this.#options;
    const [, name = "", args = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    const hasWaited = !registry.has(name) && (await this.#waitUntilLoaded(name));
    const [match] = hasWaited && args === "" ? registry.search(name) : [];
    const command = registry.get(name) ?? match;
    if (command === undefined) return this.#tellUnknown(name);
    const context = createCommandContext({
      host,
      chat,
      board: this.board,
      changeBoard: (change) => this.#changeBoard(change),
      nextInput: () =>
        new Promise((resolve) => {
          this.#readers.push(resolve);
        }),
    });
    const result = await command.execute(expandPastes(args, attachments), context);
    await this.#apply(result);
  }

  #changeBoard(change: Partial<CommandBoard>): void {
    this.#board = { ...this.#board, ...change };
    for (const listener of this.#listeners) listener();
  }

  /**
   * A person types faster than files are read. Waits only so long, because a program may never answer. Returns whether it had
   * to wait: the suggestion that Enter would have chosen was not known then.
   */
  async #waitUntilLoaded(name: string): Promise<boolean> {
    const { chat, loading, loadTimeoutMs = 15_000 } = this.#options;
    if (loading === undefined || !loading.isLoading()) return false;
    const tooLate = Promise.withResolvers<void>();
    const sayWhy = (): void => chat.notice(`/${name} is not known yet: waiting for the commands to load …`);
    const timers = [setTimeout(sayWhy, SILENT_WAIT_MS), setTimeout(tooLate.resolve, loadTimeoutMs)];
    await Promise.race([loading.loaded(), tooLate.promise]);
    for (const timer of timers) clearTimeout(timer);
    return true;
  }

  #tellUnknown(name: string): void {
    const { chat, registry } = this.#options;
    const names = registry.all().flatMap((command) => [command.name, ...(command.aliases ?? [])]);
    const nearest = nearestName(name, names);
    const hint = nearest === undefined ? "" : ` Did you mean /${nearest}?`;
    chat.notice(`There is no command /${name}.${hint} All commands: /help`, { tone: "error" });
  }

  async #apply(result: CommandResult): Promise<void> {
    const { chat, ui, quit } = this.#options;
    if (result.clearMessages === true || result.destroySession === true) await chat.clear();
    if (result.message !== undefined) chat.notice(result.message, { tone: result.success ? "info" : "error" });
    if (result.stateUpdate !== undefined) {
      this.#changeBoard({ state: { ...this.#board.state, ...result.stateUpdate } });
    }
    const themeName = result.themeName ?? this.#themeAfter(result.themeChange);
    if (themeName !== undefined) this.#setTheme(themeName);
    if (result.showModelSelector === true) ui.open({ type: "model" });
    if (result.showMcpOverlay === true) ui.open({ type: "mcp" });
    if (result.shouldExit !== true) return;
    const { comments } = memoryOf(chat).comments.snapshot();
    if (chat.snapshot().status === "idle" && comments.length === 0) quit();
    else ui.open({ type: "confirm-quit", ...(comments.length === 0 ? {} : { commentCount: comments.length }) });
  }

  #setTheme(name: string): void {
    const { host, chat, ui } = this.#options;
    const known = listThemeNames(host.settings.themes);
    if (!known.includes(name)) {
      chat.notice(`There is no theme "${name}". Themes: ${known.join(", ")}.`, { tone: "error" });
      return;
    }
    ui.setTheme(name);
    host.saveSetting?.("ui.theme", name).catch((error: unknown) => {
      chat.notice(`The theme is not stored: ${messageOf(error)}`, { tone: "warning" });
    });
  }

  #themeAfter(change: CommandResult["themeChange"]): string | undefined {
    if (change !== "toggle") return change;
    return this.#options.ui.snapshot().appearance === "dark" ? "light" : "dark";
  }
}

/** Whether a text calls a command. `/usr/bin` is a path. */
function isCommand(text: string): boolean {
  return /^\/[^\s/]+(\s|$)/.test(text);
}
