import { describe, expect, test } from "bun:test";
import { rowsToFooterStart, visibleLengths } from "./footer-rows.ts";

const FOOTER = { rows: 16, lengths: [10, 0, 40, 40, 40, 6], cursorRow: 3, cursorColumn: 6, emptyRows: 0 };

describe("rowsToFooterStart", () => {
  test.each([
    { title: "the size is the same", size: { columns: 40, rows: 16 }, rows: 3, inXtermJs: 3 },
    { title: "rows above the cursor wrap", size: { columns: 25, rows: 16 }, rows: 4, inXtermJs: 6 },
    { title: "the rows below the cursor are dropped", size: { columns: 25, rows: 14 }, rows: 4, inXtermJs: 4 },
    { title: "the cursor's character wraps", size: { columns: 5, rows: 40 }, rows: 12, inXtermJs: 26 },
    { title: "the terminal is wider", size: { columns: 90, rows: 10 }, rows: 3, inXtermJs: 3 },
  ])("counts when $title", ({ size, rows, inXtermJs }) => {
    expect({
      rows: rowsToFooterStart(FOOTER, { ...size, isXtermJs: false }),
      inXtermJs: rowsToFooterStart(FOOTER, { ...size, isXtermJs: true }),
    }).toEqual({ rows, inXtermJs });
  });

  test("counts no rows as dropped while there are empty rows below the footer", () => {
    const footer = { ...FOOTER, emptyRows: 2 };
    expect(rowsToFooterStart(footer, { columns: 25, rows: 14, isXtermJs: true })).toBe(6);
  });
});

describe("visibleLengths", () => {
  test("counts letters, backgrounds and attributes, and not the spaces after them", () => {
    const char = [..."a b    ", ..."       ", ..."       "].map((letter) => letter.charCodeAt(0));
    const bg = Array.from({ length: 4 * char.length }, () => 0);
    bg[4 * 8 + 3] = 255;
    const attributes = char.map((_, cell) => (cell === 20 ? 8 : 0));
    expect(visibleLengths({ width: 7, height: 3, buffers: { char, bg, attributes } })).toEqual([3, 2, 7]);
  });
});
