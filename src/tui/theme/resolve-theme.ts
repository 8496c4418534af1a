import { RGBA } from "@opentui/core";
import { channelsOf, contrastOf } from "./contrast.ts";
import type { ShownColor, ShownColors, ShownTheme } from "./shown-theme.ts";
import { nearestOf256, terminalColorOf } from "./terminal-color.ts";
import { darkTheme, lightTheme, type SyntaxColors, type Theme } from "./theme.ts";

/** How many colours the terminal can show. */
export type ColorDepth = "truecolor" | "256" | "16";

/** What the look depends on. */
export interface ResolveThemeOptions {
  /** The name of a theme, or `auto`: by the terminal's background. */
  readonly name: string;
  /** The user's own themes. One named `dark` or `light` replaces the built-in one. @default none */
  readonly themes?: readonly Theme[];
  /** The terminal's background, as it answered. @default "unknown", which counts as dark */
  readonly background?: "dark" | "light" | "unknown";
  /** @default "truecolor" */
  readonly colorDepth?: ColorDepth;
  /** `NO_COLOR`: everything in the terminal's own colours. @default false */
  readonly isColorless?: boolean;
}

/**
 * The theme in effect, with colours that the terminal can show. An unknown name counts as `auto`. Text that the theme's own
 * background would hide has another colour.
 */
export function resolveTheme(options: ResolveThemeOptions): ShownTheme {
  const { colorDepth = "truecolor", isColorless = false } = options;
  const theme = chooseTheme(options);
  if (isColorless) return withoutColors(theme);
  if (colorDepth === "16") return inTerminalColors(theme);
  const show = (color: ShownColor): ShownColor => showColor(color, colorDepth);
  return { ...theme, colors: mapColors(readable(theme.colors), show), syntax: mapColors(theme.syntax, show) };
}

function chooseTheme({ name, themes = [], background = "unknown" }: ResolveThemeOptions): Theme {
  const all = [...themes, darkTheme, lightTheme];
  const automatic = background === "light" ? "light" : "dark";
  return all.find((theme) => theme.name === name) ?? all.find((theme) => theme.name === automatic) ?? darkTheme;
}

/** Below this, letters cannot be told apart from the background. */
const MIN_CONTRAST = 2;

/** The colours of text, and of backgrounds besides that of the screen. */
const TEXT_COLORS = ["userMessage", "assistantMessage", "accent", "error", "success", "warning", "muted"] as const;
const BACKGROUNDS = ["selection", "addedLine", "removedLine"] as const;

/** A request for a permission must not be invisible, whatever the theme. */
function readable(colors: ShownColors): ShownColors {
  const isReadable = (text: ShownColor, background: ShownColor): boolean =>
    (contrastOf(text, background) ?? MIN_CONTRAST) >= MIN_CONTRAST;
  const { background } = colors;
  const foreground = [colors.foreground, "#ffffff", "#000000"].find((color) => isReadable(color, background));
  const own = { ...colors, foreground: foreground ?? colors.foreground };
  const texts = TEXT_COLORS.map((name) => [name, isReadable(own[name], background) ? own[name] : own.foreground]);
  const backgrounds = BACKGROUNDS.map((name) => [name, isReadable(own.foreground, own[name]) ? own[name] : background]);
  return { ...own, ...Object.fromEntries([...texts, ...backgrounds]) };
}

function showColor(color: ShownColor, depth: ColorDepth): ShownColor {
  if (typeof color !== "string") return color;
  const named = terminalColorOf(color);
  if (named !== undefined) return RGBA.fromIndex(named);
  const channels = channelsOf(color);
  return depth === "256" && channels !== undefined ? RGBA.fromIndex(nearestOf256(channels)) : color;
}

/** Every colour of a theme, changed. */
function mapColors<Colors extends ShownColors | SyntaxColors<ShownColor>>(
  colors: Colors,
  change: (color: ShownColor) => ShownColor,
): Colors {
  const changed = Object.entries<ShownColor>({ ...colors }).map(([name, color]) => [name, change(color)] as const);
  return Object.assign({ ...colors }, Object.fromEntries(changed));
}

/** The terminal's own colours; glyphs and words carry the meaning. */
function withoutColors(theme: ShownTheme): ShownTheme {
  const [foreground, background] = [RGBA.defaultForeground(), RGBA.defaultBackground()];
  const backgrounds = { background, selection: background, addedLine: background, removedLine: background };
  return {
    ...theme,
    colors: { ...mapColors(theme.colors, () => foreground), ...backgrounds },
    syntax: mapColors(theme.syntax, () => foreground),
  };
}

/** The names of the 16 colours that are readable on the usual palettes. Grey is not: some palettes hide it. */
const DARK_16 = {
  colors: {
    ...{ accent: "brightCyan", border: "brightBlack", userMessage: "brightCyan", error: "brightRed" },
    ...{ success: "brightGreen", warning: "brightYellow", muted: "white", selection: "blue" },
  },
  syntax: {
    ...{ keyword: "brightMagenta", string: "brightGreen", number: "brightYellow" },
    ...{ comment: "white", function: "brightCyan", type: "brightBlue" },
  },
} as const;

const LIGHT_16 = {
  colors: {
    ...{ accent: "blue", border: "white", userMessage: "blue", error: "red" },
    ...{ success: "green", warning: "magenta", muted: "brightBlack", selection: "white" },
  },
  syntax: {
    ...{ keyword: "magenta", string: "green", number: "red" },
    ...{ comment: "brightBlack", function: "blue", type: "cyan" },
  },
} as const;

/** A theme of the terminal's 16 colours. Names that the theme itself uses stay. */
function inTerminalColors(theme: ShownTheme): ShownTheme {
  const [foreground, background] = [RGBA.defaultForeground(), RGBA.defaultBackground()];
  const { colors, syntax } = theme.appearance === "light" ? LIGHT_16 : DARK_16;
  const own = {
    ...{ foreground, assistantMessage: foreground, background, addedLine: background, removedLine: background },
    ...colors,
  };
  const show = (chosen: ShownColor, color: ShownColor): ShownColor => {
    const isNamed = typeof chosen === "string" && terminalColorOf(chosen) !== undefined;
    return showColor(isNamed ? chosen : color, "16");
  };
  return { ...theme, colors: mergeColors(theme.colors, own, show), syntax: mergeColors(theme.syntax, syntax, show) };
}

function mergeColors<Colors extends ShownColors | SyntaxColors<ShownColor>>(
  chosen: Colors,
  replaced: Colors,
  merge: (chosen: ShownColor, replaced: ShownColor) => ShownColor,
): Colors {
  const others = new Map(Object.entries<ShownColor>({ ...replaced }));
  const merged = Object.entries<ShownColor>({ ...chosen }).map(
    ([name, color]) => [name, merge(color, others.get(name) ?? color)] as const,
  );
  return Object.assign({ ...chosen }, Object.fromEntries(merged));
}
