import type { CliRenderer, CliRendererConfig } from "@opentui/core";
import { messageOf } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import type { ChatSettings } from "../host/chat-settings.ts";
import { EarlyInput } from "./early-input.ts";
import { type ExitCause, guardExit } from "./guard-exit.ts";
import { keepScrollback } from "./keep-scrollback.ts";
import { markBursts } from "./mark-bursts.ts";
import { findObstacle, readTerminalFacts, type TerminalFacts } from "./terminal-facts.ts";
import type { TerminalProcess } from "./terminal-process.ts";

/** A terminal that the UI draws on. */
export interface OpenTerminal {
  readonly renderer: CliRenderer;
  readonly facts: TerminalFacts;
  /** By its background colour. Undefined when it did not answer. */
  readonly appearance: "dark" | "light" | undefined;
  /** The title of the window. */
  setTitle(title: string): void;
  /** Leaves the terminal to another program, such as an editor, until {@link OpenTerminal.resume}. */
  suspend(): void;
  resume(): void;
  /** Leaves the terminal and stops the process, as Ctrl+Z does. Resolves when a shell has continued it. */
  stop(): Promise<void>;
  /** What was typed since the terminal was opened, once. Afterwards the UI receives all keys. */
  takeEarlyInput(): string;
  /** Makes the terminal as it was. Nothing happens the second time. */
  close(): void;
}

/** A terminal, or why it cannot be drawn on. */
export type OpenedTerminal =
  | { readonly type: "open"; readonly terminal: OpenTerminal }
  /** `reason` is the end of a sentence: `TERM is dumb`. */
  | { readonly type: "unusable"; readonly reason: string };

/** Settings of {@link openTerminal}. */
export interface OpenTerminalOptions {
  readonly mode: "full" | "inline";
  readonly settings?: ChatSettings;
  /** The first SIGINT: interrupts the turn. Ctrl+C of the keyboard is a key, not a signal. */
  readonly onInterrupt?: () => void;
  /** Ends agents and sessions before the process ends. The terminal is restored already. */
  readonly onEnd?: (cause: ExitCause) => void | Promise<void>;
  /** @default the one of OpenTUI */
  readonly createRenderer?: (config: CliRendererConfig) => Promise<CliRenderer>;
  /** The current time, in milliseconds. @default Date.now */
  readonly now?: () => number;
  /** How long the question for the background colour waits for its answer, in milliseconds. @default 200 */
  readonly backgroundTimeoutMs?: number;
}

/** A continued process resumes without SIGCONT after this time: the stop had no effect. In milliseconds. */
const STOP_TIMEOUT_MS = 300;

/** How long after it was continued a process waits for other signals, in milliseconds. */
const SETTLE_MS = 50;

/** Rows of the inline mode's live part at the start. */
const INITIAL_FOOTER_ROWS = 4;

/** Opens the terminal, and restores it however the process ends. */
export async function openTerminal(process: TerminalProcess, options: OpenTerminalOptions): Promise<OpenedTerminal> {
  const facts = readTerminalFacts(process);
  const obstacle = findObstacle(facts);
  if (obstacle !== undefined) return { type: "unusable", reason: obstacle };
  const screen = new TerminalScreen(process, facts);
  const unguard = guardExit(process, {
    restore: () => screen.restore(),
    onInterrupt: options.onInterrupt,
    onStop: () => void screen.stop(),
    onEnd: options.onEnd,
    now: options.now ?? Date.now,
  });
  screen.onClose(unguard);
  try {
    // Its listeners swallow exceptions, and the chat would continue in an unknown state.
    const renderer = await process.withoutOwnFailureListeners(() => screen.open(options));
    const appearance = await renderer.waitForThemeMode(options.backgroundTimeoutMs ?? 200);
    return { type: "open", terminal: screen.asTerminal(renderer, appearance ?? undefined) };
  } catch (error) {
    screen.close();
    return { type: "unusable", reason: describeFailure(messageOf(error)) };
  }
}

/** What OpenTUI says where npm did not install its native library, or a compiled Atomic does not contain it. */
const MISSING_LIBRARY = /find (?:package|module) ['"](@opentui\/core-[\w-]+)['"]/i;

function describeFailure(message: string): string {
  const library = MISSING_LIBRARY.exec(message)?.[1];
  if (library !== undefined) return `this installation does not have the library that draws the chat, ${library}`;
  return `it could not be opened: ${safeLine(message, 200)}`;
}

function configOf(
  { mode, settings = {} }: OpenTerminalOptions,
  process: TerminalProcess,
  early: EarlyInput,
): CliRendererConfig {
  const { hasMouseWheel = true, hasMouseSelection = true, hasRightClick = true } = settings;
  return {
    stdin: markBursts(process.stdin, { isActive: () => early.isOver }),
    stdout: process.stdout,
    exitOnCtrlC: false,
    // The guard handles them.
    exitSignals: [],
    useKittyKeyboard: {},
    // The terminal's own wheel and selection work in the inline mode.
    useMouse: mode === "full" && (hasMouseWheel || hasMouseSelection || hasRightClick),
    enableMouseMovement: false,
    openConsoleOnError: false,
    prependInputHandlers: [early.receive],
    targetFps: 30,
    ...(mode === "full"
      ? { screenMode: "alternate-screen" }
      : {
          screenMode: "split-footer",
          footerHeight: INITIAL_FOOTER_ROWS,
          externalOutputMode: "capture-stdout",
          // It clears the screen above the footer, too.
          clearOnShutdown: false,
        }),
  };
}

async function createOwnRenderer(config: CliRendererConfig): Promise<CliRenderer> {
  // Loaded late: where the native library is missing, loading it fails, and the chat has to start in plain mode.
  const { createCliRenderer } = await import("@opentui/core");
  return createCliRenderer(config);
}

/** Saves the title of the window and of the icon. */
const SAVE_TITLE = "\u001b[22;0t";
/** OpenTUI leaves grapheme clustering on. Then the saved titles. */
const RESTORE = "\u001b[?2027l\u001b[23;0t";

/** OpenTUI clears the footer and leaves the cursor below it. */
function leaveFooter({ screenMode, footerHeight, terminalHeight }: CliRenderer): string {
  return screenMode === "split-footer" ? `\u001b[${Math.min(footerHeight, terminalHeight)}A\u001b[J` : "";
}

/** What is changed in the terminal, and how it is changed back. */
class TerminalScreen {
  readonly #process: TerminalProcess;
  readonly #facts: TerminalFacts;
  readonly #onClose: (() => void)[] = [];
  readonly #early = new EarlyInput();
  #renderer: CliRenderer | undefined;
  #state: "closed" | "open" | "suspended" = "closed";
  #title = "";

  constructor(process: TerminalProcess, facts: TerminalFacts) {
    this.#process = process;
    this.#facts = facts;
  }

  onClose(action: () => void): void {
    this.#onClose.push(action);
  }

  async open(options: OpenTerminalOptions): Promise<CliRenderer> {
    const { createRenderer = createOwnRenderer } = options;
    this.#process.writeNow(SAVE_TITLE);
    this.#state = "open";
    this.#renderer = await createRenderer(configOf(options, this.#process, this.#early));
    // Each component that depends on the size listens; a warning about many listeners would be printed over the screen.
    this.#renderer.setMaxListeners(0);
    this.#renderer.keyInput.setMaxListeners(0);
    if (options.mode === "inline") {
      keepScrollback(this.#renderer, {
        write: (text) => this.#process.writeNow(text),
        readSize: () => this.#process.readSize(),
        isXtermJs: this.#facts.isXtermJs,
        isTmux: this.#facts.isTmux,
      });
    }
    return this.#renderer;
  }

  asTerminal(renderer: CliRenderer, appearance: "dark" | "light" | undefined): OpenTerminal {
    return {
      renderer,
      facts: this.#facts,
      appearance,
      setTitle: (title) => this.#setTitle(title),
      suspend: () => this.#suspend(),
      resume: () => this.#resume(),
      stop: () => this.stop(),
      takeEarlyInput: this.#early.take,
      close: () => this.close(),
    };
  }

  /** Stops the process. A group that no shell controls cannot be stopped: then the UI returns by itself. */
  async stop(): Promise<void> {
    if (this.#state !== "open") return;
    this.#suspend();
    do {
      await this.#stopUntilContinued();
      // A shell that continues the process in the background, or to end it, has not left it the terminal.
    } while (this.#isSuspended() && !this.#process.isInForeground());
    this.#resume();
  }

  async #stopUntilContinued(): Promise<void> {
    const continued = Promise.withResolvers<void>();
    const stopListening = this.#process.onSignal("SIGCONT", continued.resolve);
    const timer = setTimeout(continued.resolve, STOP_TIMEOUT_MS);
    this.#process.stop();
    await continued.promise;
    clearTimeout(timer);
    stopListening();
    // `kill %1` sends SIGTERM and continues the process: whichever arrives first, the end comes first.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }

  #isSuspended(): boolean {
    return this.#state === "suspended";
  }

  restore(): void {
    if (this.#state === "closed") return;
    const isSuspended = this.#state === "suspended";
    this.#state = "closed";
    // Suspending has restored everything, and the terminal may belong to a shell: touching it would stop the process.
    if (isSuspended && !this.#process.isInForeground()) return;
    const renderer = this.#renderer;
    const footer = renderer === undefined ? "" : leaveFooter(renderer);
    renderer?.destroy();
    if (!isSuspended) this.#process.writeNow(RESTORE + footer);
  }

  close(): void {
    this.restore();
    for (const action of this.#onClose.splice(0)) action();
  }

  #setTitle(title: string): void {
    this.#title = safeLine(title, 100);
    if (this.#state === "open") this.#renderer?.setTerminalTitle(this.#title);
  }

  #suspend(): void {
    if (this.#state !== "open") return;
    this.#state = "suspended";
    this.#renderer?.suspend();
    this.#process.writeNow(RESTORE);
  }

  #resume(): void {
    if (this.#state !== "suspended") return;
    this.#state = "open";
    this.#process.writeNow(SAVE_TITLE);
    this.#renderer?.resume();
    this.#setTitle(this.#title);
  }
}
