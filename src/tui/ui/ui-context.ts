import { createContext, useContext, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import type { ChatController } from "../chat/chat-controller.ts";
import type { ChatState } from "../chat/chat-state.ts";
import type { CommandRegistry } from "../commands/command-registry.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { KeyHandler, KeyLayerOptions, KeyLayers } from "../keys/key-layers.ts";
import type { Keymap } from "../keys/keymap.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { ShownTheme } from "../theme/shown-theme.ts";
import type { Screen, UiStore } from "./ui-store.ts";

/** What every component can reach. */
export interface UiServices {
  readonly host: ChatHost;
  readonly chat: ChatController;
  readonly ui: UiStore;
  readonly commands: CommandRegistry;
  /** Whether more commands may follow. @default none do */
  readonly areCommandsLoading?: () => boolean;
  readonly keymap: Keymap;
  readonly layers: KeyLayers;
  readonly glyphs: Glyphs;
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Copies a text to the user's clipboard. */
  readonly copy: (text: string) => void;
  /** Stops the process until a shell continues it. Absent where there is no shell. */
  readonly suspend?: () => void;
  /** What was typed before the input was drawn, once. */
  readonly takeEarlyInput?: () => string;
  /** Has the chat say when a run that the person continued has ended. Absent where there are no runs. */
  readonly followRun?: (runId: string) => void;
  /** Leaves the chat, without a question. */
  readonly quit: () => void;
}

/** The services of the UI. */
export const UiContext = createContext<UiServices | undefined>(undefined);

/** The theme in effect. */
export const ThemeContext = createContext<ShownTheme | undefined>(undefined);

/** The services of the UI. @throws outside of the UI */
export function useUi(): UiServices {
  const services = useContext(UiContext);
  if (services === undefined) throw new Error("useUi() is only available inside the chat UI.");
  return services;
}

/** The theme in effect. @throws outside of the UI */
export function useTheme(): ShownTheme {
  const theme = useContext(ThemeContext);
  if (theme === undefined) throw new Error("useTheme() is only available inside the chat UI.");
  return theme;
}

/** The state of the conversation. Renders again after each change. */
export function useChat(): ChatState {
  const { chat } = useUi();
  return useSyncExternalStore(chat.subscribe, chat.snapshot);
}

/** The screen and the dialogs. Renders again after each change. */
export function useScreen(): Screen {
  const { ui } = useUi();
  return useSyncExternalStore(ui.subscribe, ui.snapshot);
}

/**
 * Receives keys while the component is mounted, before the components below it. The handler returns whether it used the
 * key; it always sees the latest props.
 */
export function useKeys(handler: KeyHandler, { isModal = false, isBase = false }: KeyLayerOptions = {}): void {
  const { layers } = useUi();
  const latest = useRef(handler);
  latest.current = handler;
  // Before the component is drawn: a person can type as soon as they see it.
  useLayoutEffect(() => layers.push((key) => latest.current(key), { isModal, isBase }), [layers, isModal, isBase]);
}
