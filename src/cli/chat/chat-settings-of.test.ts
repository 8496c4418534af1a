import { expect, test } from "bun:test";
import type { ChatSettings } from "../../tui/index.ts";
import { darkTheme } from "../../tui/theme/theme.ts";
import type { UiSettings } from "../config/ui-settings.ts";
import { chatSettingsOf, type ModeFlags } from "./chat-settings-of.ts";

const DEFAULTS: ChatSettings = {
  ...{ hasMouseWheel: true, hasMouseSelection: true, hasRightClick: true },
  ...{ isMotionReduced: false, hasViKeys: false, isColorless: false, isAscii: false },
};

test.each<{
  readonly title: string;
  readonly ui?: UiSettings;
  readonly flags?: ModeFlags;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings: ChatSettings;
}>([
  { title: "nothing is set", settings: {} },
  {
    title: "everything is set",
    ui: {
      ...{ mode: "inline", theme: "light", keys: { copy: ["f2"] }, reducedMotion: true, vi: true },
      mouse: { wheel: false, selection: false, rightClick: false },
    },
    settings: {
      ...{ mode: "inline", theme: "light", keys: { copy: ["f2"] }, isMotionReduced: true, hasViKeys: true },
      ...{ hasMouseWheel: false, hasMouseSelection: false, hasRightClick: false },
    },
  },
  {
    title: "an option precedes the settings",
    ui: { mode: "plain" },
    flags: { full: true },
    settings: { mode: "full" },
  },
  { title: "the quietest option wins", flags: { full: true, inline: true, plain: true }, settings: { mode: "plain" } },
  { title: "NO_COLOR is set", env: { NO_COLOR: "1" }, settings: { isColorless: true } },
  { title: "NO_COLOR is empty", env: { NO_COLOR: "" }, settings: {} },
  { title: "--no-color is passed", flags: { color: false }, settings: { isColorless: true } },
  {
    title: "the terminal is dumb",
    env: { TERM: "dumb", LANG: "en_US.UTF-8" },
    settings: {
      ...{ mode: "plain", plainReason: 'the terminal cannot draw: TERM is "dumb"' },
      ...{ isColorless: true, isAscii: true },
    },
  },
  {
    title: "the terminal is dumb and the mode was chosen",
    flags: { plain: true },
    env: { TERM: "dumb", LANG: "en_US.UTF-8" },
    settings: { mode: "plain", isColorless: true, isAscii: true },
  },
  { title: "the locale has UTF-8", env: { LANG: "C.utf8" }, settings: {} },
  { title: "the locale has no UTF-8", env: { LC_ALL: "C", LANG: "en_US.UTF-8" }, settings: { isAscii: true } },
  { title: "the terminal is the console of Linux", env: { TERM: "linux" }, settings: { isAscii: true } },
])("when $title, the settings follow", ({ ui = {}, flags = {}, env = {}, settings }) => {
  expect(chatSettingsOf(ui, { flags, env, themes: [] })).toEqual({ ...DEFAULTS, ...settings });
});

test("checked themes are passed on", () => {
  const themes = [{ ...darkTheme, name: "mine" }];
  expect(chatSettingsOf({ themes: [{ name: "mine" }] }, { flags: {}, env: {}, themes }).themes).toBe(themes);
});
