import type { Theme } from "../theme/theme.ts";

/** The user's settings of the UI: `ui` in config.json. */
export interface ChatSettings {
  /** @default "full" where the terminal can */
  readonly mode?: "full" | "inline" | "plain";
  /** Why `mode` is plain, where nobody chose it: `TERM is "dumb"`. */
  readonly plainReason?: string;
  /** The name of a theme, or `auto`: by the terminal's background. @default "auto" */
  readonly theme?: string;
  /** The user's own themes. */
  readonly themes?: readonly Theme[];
  /** Keys by action, as {@link Keymap} takes them. */
  readonly keys?: Readonly<Record<string, string | readonly string[]>>;
  /** @default true */
  readonly hasMouseWheel?: boolean;
  /** Selecting with the mouse copies. @default true */
  readonly hasMouseSelection?: boolean;
  /** @default true */
  readonly hasRightClick?: boolean;
  /** No spinner. @default false */
  readonly isMotionReduced?: boolean;
  /** vi keys in the input. @default false */
  readonly hasViKeys?: boolean;
  /** No colours: `NO_COLOR`. @default false */
  readonly isColorless?: boolean;
  /** Signs of ASCII only. @default false */
  readonly isAscii?: boolean;
}
