import { expect, test } from "bun:test";
import { parseTheme, ThemeInvalidError } from "./parse-theme.ts";
import { darkTheme, lightTheme } from "./theme.ts";

test("the palette of the documents is a theme", () => {
  const colors = {
    ...{ background: "#1a1a2e", foreground: "#edf2f7", accent: "#4a90e2", border: "#4a5568", userMessage: "#90cdf4" },
    ...{ assistantMessage: "#e2e8f0", error: "#fc8181", success: "#68d391", warning: "#f6e05e" },
  };
  expect(parseTheme({ name: "night", colors })).toEqual({
    name: "night",
    appearance: "dark",
    colors: { ...darkTheme.colors, ...colors },
    syntax: darkTheme.syntax,
  });
});

test.each([
  { title: "a light background", value: { name: "paper", colors: { background: "#fffdf5" } }, expected: lightTheme },
  { title: "a dark background", value: { name: "ink", colors: { background: "#101010" } }, expected: darkTheme },
  { title: "its appearance", value: { name: "day", appearance: "light" }, expected: lightTheme },
  { title: "no background", value: { name: "own", colors: { accent: "cyan" } }, expected: darkTheme },
])("a theme with $title has the missing colours of $expected.name", ({ value, expected }) => {
  expect(parseTheme(value)).toEqual({
    name: value.name,
    appearance: expected.appearance,
    colors: { ...expected.colors, ...value.colors },
    syntax: expected.syntax,
  });
});

test("the agent's text follows the foreground, and code has colours of its own", () => {
  const { colors, syntax } = parseTheme({
    name: "own",
    colors: { foreground: "#fff" },
    syntax: { keyword: "bright-red" },
  });
  expect([colors.assistantMessage, syntax.keyword, syntax.string]).toEqual([
    "#fff",
    "bright-red",
    darkTheme.syntax.string,
  ]);
});

const COLOR_KEYS =
  "background, foreground, accent, border, userMessage, assistantMessage, error, success, warning, muted, selection, addedLine, removedLine";

test.each([
  { value: "dark", message: 'The theme "?" must be an object with the keys name, appearance, colors, syntax.' },
  { value: { colors: {} }, message: 'The theme "?" needs a "name", which /theme shows.' },
  {
    value: { name: "auto" },
    message: 'The theme "auto" needs another name: auto follows the terminal\'s background.',
  },
  {
    value: { name: "own", colours: {} },
    message:
      'The theme "own" has the unknown key "colours". Did you mean "colors"? Keys: name, appearance, colors, syntax.',
  },
  {
    value: { name: "own", colors: { acent: "#fff" } },
    message: `The theme "own" has the unknown key "acent" in "colors". Did you mean "accent"? Keys: ${COLOR_KEYS}.`,
  },
  {
    value: { name: "own", syntax: { operator: "#fff" } },
    message:
      'The theme "own" has the unknown key "operator" in "syntax". Keys: keyword, string, number, comment, function, type.',
  },
  {
    value: { name: "own", colors: { error: "brightred1" } },
    message: 'The theme "own" has "brightred1" in colors.error, which is not a colour. Did you mean "brightRed"?',
  },
  {
    value: { name: "own", colors: { error: "#ff00" } },
    message:
      'The theme "own" has "#ff00" in colors.error, which is not a colour. Write it like #6ea8fe, or as one of black, red, green, yellow, blue, magenta, cyan, white, brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite.',
  },
  {
    value: { name: "own", appearance: "dim" },
    message: 'The theme "own" has the appearance "dim". It must be "dark" or "light".',
  },
  { value: { name: "own", colors: [] }, message: 'The theme "own" must have an object of colours in "colors".' },
])("reports: $message", ({ value, message }) => {
  expect(() => parseTheme(value)).toThrow(ThemeInvalidError);
  expect(() => parseTheme(value)).toThrow(message);
});
