import type { ColorInput } from "@opentui/core";
import type { Theme, ThemeColors } from "./theme.ts";

/** A colour as OpenTUI takes it, which may be one of the terminal's own. */
export type ShownColor = ColorInput;

/** The theme in effect, see `resolveTheme`. */
export type ShownTheme = Theme<ShownColor>;

/** Its colours, except those of code. */
export type ShownColors = ThemeColors<ShownColor>;
