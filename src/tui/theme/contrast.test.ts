import { expect, test } from "bun:test";
import { contrastOf, READABLE_CONTRAST } from "./contrast.ts";
import { darkTheme, lightTheme } from "./theme.ts";

test("contrast is that of WCAG, whatever the order", () => {
  expect([contrastOf("#000000", "#ffffff"), contrastOf("#fff", "#000"), contrastOf("#777777", "#777777")]).toEqual([
    21, 21, 1,
  ]);
  expect(contrastOf("cyan", "#ffffff")).toBeUndefined();
});

for (const { name, colors, syntax } of [darkTheme, lightTheme]) {
  const { background, foreground, border, selection, addedLine, removedLine, muted, ...texts } = colors;
  const backgrounds = { background, selection, addedLine, removedLine };

  test.each(Object.entries({ foreground, ...texts, ...syntax }))(
    `${name}: %s is readable on the background`,
    (_, text) => {
      expect(contrastOf(text, background) ?? 0).toBeGreaterThanOrEqual(READABLE_CONTRAST);
    },
  );

  test.each(Object.entries(backgrounds))(
    `${name}: text is readable on %s, and context can be made out`,
    (_, behind) => {
      expect(contrastOf(foreground, behind) ?? 0).toBeGreaterThanOrEqual(READABLE_CONTRAST);
      expect(contrastOf(muted, behind) ?? 0).toBeGreaterThanOrEqual(3);
    },
  );

  test.each(Object.entries(syntax))(`${name}: code in the colour of %s is readable in a diff`, (_, text) => {
    expect(contrastOf(text, addedLine) ?? 0).toBeGreaterThanOrEqual(3);
    expect(contrastOf(text, removedLine) ?? 0).toBeGreaterThanOrEqual(3);
  });

  test(`${name}: a border can be seen and stays calm`, () => {
    expect(contrastOf(border, background) ?? 0).toBeGreaterThanOrEqual(1.4);
    expect(contrastOf(border, background) ?? 0).toBeLessThan(3);
  });
}
