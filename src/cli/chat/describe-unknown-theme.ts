import { nearestName } from "../../contracts/index.ts";
import { BUILT_IN_THEMES } from "../config/known-names.ts";

/** What is wrong with the setting `ui.theme`. Undefined when the theme exists, or none is set. */
export function describeUnknownTheme(
  theme: string | undefined,
  ownThemes: readonly { readonly name: string }[],
): string | undefined {
  const names = [...new Set([...BUILT_IN_THEMES, ...ownThemes.map(({ name }) => name)])];
  if (theme === undefined || names.includes(theme)) return undefined;
  const nearest = nearestName(theme, names);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return `ui.theme: there is no theme ${JSON.stringify(theme)}, so "auto" is used.${hint} Possible: ${names.join(", ")}.`;
}
