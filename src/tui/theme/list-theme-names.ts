import type { Theme } from "./theme.ts";

/** The names that a user can choose: `auto`, the user's own themes and the built-in ones. */
export function listThemeNames(themes: readonly Theme[] = []): readonly string[] {
  return [...new Set(["auto", "dark", "light", ...themes.map(({ name }) => name)])];
}
