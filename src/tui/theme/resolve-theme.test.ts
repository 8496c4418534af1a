import { expect, test } from "bun:test";
import { RGBA } from "@opentui/core";
import { contrastOf } from "./contrast.ts";
import { listThemeNames } from "./list-theme-names.ts";
import { type ResolveThemeOptions, resolveTheme } from "./resolve-theme.ts";
import { darkTheme, lightTheme, type Theme } from "./theme.ts";

const SEA: Theme = {
  ...darkTheme,
  name: "sea",
  colors: { ...darkTheme.colors, accent: "bright-cyan", border: "gray" },
};

test.each<{ title: string; options: Omit<ResolveThemeOptions, "themes">; expected: string }>([
  { title: "auto on a light background", options: { name: "auto", background: "light" }, expected: "light" },
  { title: "auto on a dark background", options: { name: "auto", background: "dark" }, expected: "dark" },
  {
    title: "auto where the terminal does not answer",
    options: { name: "auto", background: "unknown" },
    expected: "dark",
  },
  { title: "a name whatever the background", options: { name: "dark", background: "light" }, expected: "dark" },
  { title: "a theme of the user", options: { name: "sea" }, expected: "sea" },
  { title: "an unknown name like auto", options: { name: "see", background: "light" }, expected: "light" },
])("chooses $expected for $title", ({ options, expected }) => {
  expect(resolveTheme({ ...options, themes: [SEA] }).name).toBe(expected);
});

test("a user's theme may replace a built-in one, and is listed once", () => {
  const own = { ...SEA, name: "dark" };
  expect(resolveTheme({ name: "auto", themes: [own] }).colors.border).toEqual(RGBA.fromIndex(8));
  expect(listThemeNames([own, SEA])).toEqual(["auto", "dark", "light", "sea"]);
});

test("built-in themes are unchanged where the terminal has all colours", () => {
  expect(resolveTheme({ name: "dark" })).toEqual(darkTheme);
  expect(resolveTheme({ name: "light" })).toEqual(lightTheme);
});

test("names of colours are the terminal's own colours, not fixed ones", () => {
  const { accent, border, error } = resolveTheme({ name: "sea", themes: [SEA] }).colors;
  expect([accent, border, error]).toEqual([RGBA.fromIndex(14), RGBA.fromIndex(8), darkTheme.colors.error]);
});

test("without colours everything is in the terminal's own foreground and background", () => {
  const { colors, syntax } = resolveTheme({ name: "light", isColorless: true });
  const [foreground, background] = [RGBA.defaultForeground(), RGBA.defaultBackground()];
  const { background: _, selection, addedLine, removedLine, ...texts } = colors;
  expect([...Object.values(texts), ...Object.values(syntax)]).toEqual(Array(15).fill(foreground));
  expect([colors.background, selection, addedLine, removedLine]).toEqual(Array(4).fill(background));
});

test("a terminal of 16 colours has only those, and the user's names stay", () => {
  const { colors, syntax } = resolveTheme({ name: "sea", themes: [SEA], colorDepth: "16" });
  for (const color of [...Object.values(colors), ...Object.values(syntax)]) {
    expect(color).toBeInstanceOf(RGBA);
    expect(color instanceof RGBA && color.intent).not.toBe("rgb");
  }
  expect([colors.accent, colors.error, colors.background]).toEqual([
    RGBA.fromIndex(14),
    RGBA.fromIndex(9),
    RGBA.defaultBackground(),
  ]);
});

test("a terminal of 256 colours has the nearest of them", () => {
  const { colors } = resolveTheme({ name: "dark", colorDepth: "256" });
  expect([colors.background, colors.accent, colors.error]).toEqual([
    RGBA.fromIndex(234),
    RGBA.fromIndex(75),
    RGBA.fromIndex(210),
  ]);
});

test("messages that the theme's own background would hide have the foreground", () => {
  const hidden = { ...darkTheme.colors, background: "#1a1a2e", userMessage: "#2d3748", assistantMessage: "#1a365d" };
  const { userMessage, assistantMessage, accent } = resolveTheme({
    name: "mine",
    themes: [{ ...darkTheme, name: "mine", colors: hidden }],
  }).colors;
  const { foreground } = darkTheme.colors;
  expect([userMessage, assistantMessage, accent]).toEqual([foreground, foreground, darkTheme.colors.accent]);
});

test.each(["#000000", "#ffffff", "#808080"])("a theme that is all %s shows its text all the same", (color) => {
  const names = Object.keys(darkTheme.colors);
  const colors = Object.fromEntries(names.map((name) => [name, color])) as unknown as Theme["colors"]; // the same names
  const theme = resolveTheme({ name: "mono", themes: [{ ...darkTheme, name: "mono", colors }] });
  const { background, border: _border, selection, addedLine, removedLine, ...texts } = theme.colors;
  for (const text of Object.values(texts)) expect(contrastOf(text, background) ?? 0).toBeGreaterThan(2);
  for (const other of [selection, addedLine, removedLine]) {
    expect(contrastOf(theme.colors.foreground, other) ?? 0).toBeGreaterThan(2);
  }
});
