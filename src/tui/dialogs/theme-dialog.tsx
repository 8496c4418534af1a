import { useEffect, useRef } from "react";
import { listThemeNames } from "../theme/list-theme-names.ts";
import { useScreen, useUi } from "../ui/ui-context.ts";
import { Picker } from "./picker.tsx";
import { useAttempt } from "./use-attempt.ts";

/** The themes. The one under the pointer is shown at once; leaving restores the former one. */
export function ThemeDialog() {
  const { host, ui } = useUi();
  const { themeName } = useScreen();
  const attempt = useAttempt();
  const before = useRef(themeName);
  const isChosen = useRef(false);
  // Whatever closes the dialog, only a choice changes the theme.
  useEffect(() => {
    const former = before.current;
    return () => {
      if (!isChosen.current) ui.setTheme(former);
    };
  }, [ui]);
  const own = host.settings.themes ?? [];
  const items = listThemeNames(own).map((name) => ({
    id: name,
    label: name,
    detail:
      name === "auto"
        ? "by the terminal's background"
        : own.some((theme) => theme.name === name)
          ? "your own"
          : undefined,
    isCurrent: name === before.current,
  }));
  const choose = (name: string): void => {
    isChosen.current = true;
    ui.setTheme(name);
    attempt(async () => await host.saveSetting?.("ui.theme", name));
  };
  return (
    <Picker
      title="Theme"
      items={items}
      onMove={(name) => ui.setTheme(name)}
      onChoose={choose}
      onCancel={() => ui.close()}
    />
  );
}
