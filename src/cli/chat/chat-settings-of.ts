import type { ChatSettings, Theme } from "../../tui/index.ts";
import type { UiSettings } from "../config/ui-settings.ts";
import type { TerminalFlags } from "../output/terminal.ts";

/** How the UI is drawn. */
export type ChatMode = NonNullable<ChatSettings["mode"]>;

/** Options of the chat that choose how it is drawn. */
export interface ModeFlags extends TerminalFlags {
  readonly full?: boolean;
  readonly inline?: boolean;
  readonly plain?: boolean;
}

/** What decides about the look of the chat. */
export interface ChatSettingsSources {
  readonly flags: ModeFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Those of the settings, checked. */
  readonly themes: readonly Theme[];
}

/** The mode that an option chooses; the quietest of several. */
export function modeOf({ plain = false, inline = false, full = false }: ModeFlags): ChatMode | undefined {
  if (plain) return "plain";
  if (inline) return "inline";
  return full ? "full" : undefined;
}

/** The settings of the UI: the options, then those of `ui`, then what the environment says about the terminal. */
export function chatSettingsOf(
  { mode: configured, theme, keys, mouse = {}, reducedMotion, vi }: UiSettings,
  { flags, env, themes }: ChatSettingsSources,
): ChatSettings {
  const isDumb = env.TERM === "dumb";
  const chosen = modeOf(flags) ?? configured;
  const mode = chosen ?? (isDumb ? "plain" : undefined);
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(chosen === undefined && isDumb ? { plainReason: 'the terminal cannot draw: TERM is "dumb"' } : {}),
    ...(theme === undefined ? {} : { theme }),
    ...(themes.length === 0 ? {} : { themes }),
    ...(keys === undefined ? {} : { keys }),
    hasMouseWheel: mouse.wheel ?? true,
    hasMouseSelection: mouse.selection ?? true,
    hasRightClick: mouse.rightClick ?? true,
    isMotionReduced: reducedMotion ?? false,
    hasViKeys: vi ?? false,
    isColorless: flags.color === false || (env.NO_COLOR ?? "") !== "" || isDumb,
    isAscii: isDumb || !hasUnicode(env),
  };
}

/** The first variable that is set decides, as in the C library. The console of Linux has few signs beyond ASCII. */
function hasUnicode({ LC_ALL, LC_CTYPE, LANG, TERM }: ChatSettingsSources["env"]): boolean {
  if (TERM === "linux") return false;
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "");
  return locale === undefined || /utf-?8/i.test(locale);
}
