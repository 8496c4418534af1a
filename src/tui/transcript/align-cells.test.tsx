import { expect, test } from "bun:test";
import { renderUi } from "../fixtures/render-ui.tsx";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { entryToLines } from "./entry-to-lines.ts";
import { MarkdownView } from "./markdown-view.tsx";

const TABLE = [
  "| Name | Votes | Price |",
  "| :--- | :---: | ----: |",
  "| 🇩🇪 👨‍👩‍👧 | 7 | 1 |",
  "| 👍🏽 thumb | 12345 | 12.50 |",
].join("\n");

test.each([100, 60, 40])(
  "in %i columns a table has its alignment, also beside flags and joined emoji",
  async (width) => {
    const ui = await renderUi(<MarkdownView text={TABLE} isStreaming={false} />, { width, height: 8 });
    expect((await ui.until(/12\.50/)).split("\n").filter((line) => line !== "")).toEqual([
      "Name       Votes  Price",
      "DE 👨👩👧    7        1",
      "👍 thumb   12345  12.50",
    ]);
    ui.close();
  },
);

test.each([60, 40])("in %i columns the transcript's tables are aligned alike", (columns) => {
  const entry = { type: "text", id: "e1", at: 0, text: TABLE, isStreaming: false } as const;
  const layout = { columns, glyphs: UNICODE_GLYPHS, workingDirectory: "/work", now: 0 };
  expect(entryToLines(entry, layout).map(({ text }) => text)).toEqual([
    "Name       Votes  Price",
    "─────────  ─────  ─────",
    "DE 👨👩👧    7        1",
    "👍 thumb   12345  12.50",
  ]);
});
