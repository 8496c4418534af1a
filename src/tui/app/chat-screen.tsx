import { useEffect, useMemo, useSyncExternalStore } from "react";
import { resolveTheme } from "../theme/resolve-theme.ts";
import { KeyDispatcher } from "../ui/key-dispatcher.tsx";
import { ThemeContext, UiContext } from "../ui/ui-context.ts";
import { App } from "./app.tsx";
import type { ChatServices } from "./create-services.ts";

/** Properties of {@link ChatScreen}. */
export interface ChatScreenProps {
  readonly services: ChatServices;
  readonly mode: "full" | "inline";
  /** The terminal's background. Undefined when it does not say. */
  readonly appearance: "dark" | "light" | undefined;
  readonly colors: "none" | "16" | "256" | "truecolor";
}

/** The chat with its theme. */
export function ChatScreen({ services, mode, appearance, colors }: ChatScreenProps) {
  const { ui, host, runner } = services;
  const { todoItems } = useSyncExternalStore(runner.subscribe, runner.board);
  const { themeName } = useSyncExternalStore(ui.subscribe, ui.snapshot);
  const { themes = [], isColorless = false } = host.settings;
  const theme = useMemo(
    () =>
      resolveTheme({
        ...{ name: themeName, themes, background: appearance ?? "unknown" },
        isColorless: isColorless || colors === "none",
        ...(colors === "none" ? {} : { colorDepth: colors }),
      }),
    [themeName, appearance, colors, themes, isColorless],
  );
  useEffect(() => ui.setAppearance(theme.appearance), [ui, theme]);
  return (
    <UiContext.Provider value={services}>
      <ThemeContext.Provider value={theme}>
        <KeyDispatcher>
          <App mode={mode} board={todoItems} onSubmit={(text, attachments) => void runner.submit(text, attachments)} />
        </KeyDispatcher>
      </ThemeContext.Provider>
    </UiContext.Provider>
  );
}
