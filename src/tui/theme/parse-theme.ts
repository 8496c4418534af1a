import { AtomicError, isRecord, nearestName, type UnknownRecord } from "../../contracts/index.ts";
import { channelsOf, luminanceOf } from "./contrast.ts";
import { TERMINAL_COLORS, terminalColorOf } from "./terminal-color.ts";
import { darkTheme, lightTheme, type SyntaxColors, type Theme, type ThemeColors } from "./theme.ts";

/** A theme in the settings that cannot be used. */
export class ThemeInvalidError extends AtomicError {
  constructor(
    readonly themeName: string,
    problem: string,
  ) {
    super("THEME_INVALID", `The theme "${themeName}" ${problem}`);
  }
}

const THEME_KEYS = ["name", "appearance", "colors", "syntax"] as const;

/**
 * A user's theme from JSON. Missing colours are those of the built-in theme of the same appearance; a missing appearance
 * follows from the background. Pure.
 *
 * @throws ThemeInvalidError
 */
export function parseTheme(value: unknown): Theme {
  if (!isRecord(value)) throw new ThemeInvalidError("?", `must be an object with the keys ${THEME_KEYS.join(", ")}.`);
  const { name } = value;
  if (typeof name !== "string" || name.trim() === "") {
    throw new ThemeInvalidError("?", 'needs a "name", which /theme shows.');
  }
  if (name === "auto") throw new ThemeInvalidError(name, "needs another name: auto follows the terminal's background.");
  assertKeys(value, THEME_KEYS, { theme: name, place: "" });
  const base = parseAppearance(value, name) === "light" ? lightTheme : darkTheme;
  const colors = readColors<ThemeColors>(value.colors, { base: base.colors, theme: name, place: "colors" });
  return {
    name,
    appearance: base.appearance,
    // Where only the foreground is set, the agent's text follows it.
    colors: { ...base.colors, ...(colors.foreground && { assistantMessage: colors.foreground }), ...colors },
    syntax: {
      ...base.syntax,
      ...readColors<SyntaxColors>(value.syntax, { base: base.syntax, theme: name, place: "syntax" }),
    },
  };
}

function parseAppearance({ appearance, colors }: UnknownRecord, theme: string): "dark" | "light" {
  if (appearance === undefined) {
    const background = isRecord(colors) ? luminanceOf(colors.background) : undefined;
    return background !== undefined && background > 0.4 ? "light" : "dark";
  }
  if (appearance === "dark" || appearance === "light") return appearance;
  throw new ThemeInvalidError(theme, `has the appearance ${JSON.stringify(appearance)}. It must be "dark" or "light".`);
}

interface ReadColorsOptions<Colors> {
  readonly base: Colors;
  readonly theme: string;
  readonly place: "colors" | "syntax";
}

/** The colours that a group of the theme sets. */
function readColors<Colors extends ThemeColors | SyntaxColors>(
  value: unknown,
  { base, theme, place }: ReadColorsOptions<Colors>,
): Partial<Colors> {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new ThemeInvalidError(theme, `must have an object of colours in "${place}".`);
  assertKeys(value, Object.keys(base), { theme, place });
  for (const [key, color] of Object.entries(value)) assertColor(color, { theme, key: `${place}.${key}` });
  return value as Partial<Colors>; // the keys and the values are checked
}

function assertKeys(
  value: UnknownRecord,
  known: readonly string[],
  { theme, place }: { readonly theme: string; readonly place: string },
): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  const advice = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const where = place === "" ? "" : ` in "${place}"`;
  throw new ThemeInvalidError(theme, `has the unknown key "${unknown}"${where}.${advice} Keys: ${known.join(", ")}.`);
}

function assertColor(color: unknown, { theme, key }: { readonly theme: string; readonly key: string }): void {
  if (channelsOf(color) !== undefined) return;
  if (typeof color === "string" && terminalColorOf(color) !== undefined) return;
  const nearest = typeof color === "string" ? nearestName(color, TERMINAL_COLORS) : undefined;
  const advice =
    nearest === undefined
      ? `Write it like #6ea8fe, or as one of ${TERMINAL_COLORS.join(", ")}.`
      : `Did you mean "${nearest}"?`;
  throw new ThemeInvalidError(theme, `has ${JSON.stringify(color)} in ${key}, which is not a colour. ${advice}`);
}
