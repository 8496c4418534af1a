import { expect, test } from "bun:test";
import { listThemeNames } from "../../tui/theme/list-theme-names.ts";
import { describeUnknownTheme } from "./describe-unknown-theme.ts";

test("an unknown theme is named, with the nearest one", () => {
  expect(describeUnknownTheme("drak", [{ name: "paper" }])).toBe(
    'ui.theme: there is no theme "drak", so "auto" is used. Did you mean "dark"? Possible: auto, dark, light, paper.',
  );
  expect(describeUnknownTheme("x", [])).toBe(
    'ui.theme: there is no theme "x", so "auto" is used. Possible: auto, dark, light.',
  );
});

test("every theme of the UI is known, and none is needed", () => {
  for (const theme of [undefined, "paper", ...listThemeNames()]) {
    expect(describeUnknownTheme(theme, [{ name: "paper" }])).toBeUndefined();
  }
});
